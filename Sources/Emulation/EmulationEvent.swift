package import Bluetooth
import Bytes
package import Host
package import PluginKit
package import Profile

package enum EmulationEvent: Hashable, Sendable {
    /// The device advertises and can be found.
    case advertising(DeviceAddress, name: String?)
    /// A note from the twin, the client or the layer around them: `connected`, `disconnected`, `subscribed`.
    case note(TwinNote)
    /// A value was read, written, notified or indicated, with the name of its characteristic.
    case value(OperationKind, String, [UInt8])
    /// The device's non-volatile storage changed.
    case stored([UInt8])
    /// The client asks for changes to the store and waits for the result.
    case commit([StoreChange])
    case failed(Host.ControllerFailure)
}

extension TwinNote {
    static func connected(to peer: DeviceAddress) -> TwinNote {
        TwinNote("connected", ["peer": .text("\(peer.address)")])
    }

    static func disconnected(_ reason: HCI.ErrorCode) -> TwinNote {
        TwinNote("disconnected", ["reason": .text(reason.name ?? String(hex: reason.rawValue, digits: 2))])
    }

    /// A passkey that the device displays, as six digits.
    static func passkey(_ digits: UInt32) -> TwinNote {
        let text = String(digits)
        return TwinNote("passkey", ["digits": .text(String(repeating: "0", count: max(0, 6 - text.count)) + text)])
    }

    /// The displayed passkey; nil for other notes.
    package var passkey: UInt32? {
        guard name == "passkey", case .text(let digits)? = facts.first?.value else { return nil }
        return UInt32(digits)
    }

    static func secured(_ security: LinkSecurity) -> TwinNote {
        TwinNote("secured", ["level": .text("\(security.level)")])
    }

    static func subscribed(_ name: String, _ subscription: TwinSubscription) -> TwinNote {
        TwinNote(
            "subscribed",
            [
                "characteristic": .text(name), "notifications": .flag(subscription.contains(.notifications)),
                "indications": .flag(subscription.contains(.indications)),
            ])
    }
}
