package import Bluetooth
import Bytes
package import Host
package import PluginKit
package import Profile

/// Something that happened to an emulated device, or to a client of one.
package enum EmulationEvent: Hashable, Sendable {
    /// It advertises: the device can be found.
    case advertising(DeviceAddress, name: String?)
    /// Something that the twin or the client says, or its owner: `connected`, `disconnected`, `subscribed`.
    case note(TwinNote)
    /// A value was read, written or told; the name is that of its characteristic.
    case value(OperationKind, String, [UInt8])
    /// What the device keeps without power has changed.
    case stored([UInt8])
    /// The client wants rows of the store changed, and waits for the answer.
    case commit([StoreChange])
    /// The controller is of no use.
    case failed(Host.ControllerFailure)
}

extension TwinNote {
    static func connected(to peer: DeviceAddress) -> TwinNote {
        TwinNote("connected", ["peer": .text("\(peer.address)")])
    }

    static func disconnected(_ reason: HCI.ErrorCode) -> TwinNote {
        TwinNote("disconnected", ["reason": .text(reason.name ?? String(hex: reason.rawValue, digits: 2))])
    }

    /// The six digits that the device shows.
    static func passkey(_ digits: UInt32) -> TwinNote {
        let text = String(digits)
        return TwinNote("passkey", ["digits": .text(String(repeating: "0", count: max(0, 6 - text.count)) + text)])
    }

    /// The six digits of a passkey that is shown; nil for other notes.
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
