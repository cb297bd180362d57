import Bluetooth
import PluginKit
import Profile

/// Whether two devices were bonded by earlier connections.
package struct BondHistory: Sendable {
    /// The connection whose traffic showed last that both devices have a key, and the frame that shows it.
    private(set) var bonded: (connection: Int, frame: FrameReference)?

    mutating func record(_ session: Session) {
        guard let change = session.security.bondChange else { return }
        bonded = change.isBonded ? (session.connection.number, change.frame) : nil
    }
}

/// The last answer of the captured hosts to the requests for the link keys of devices, on BR/EDR (Vol 4, Part E, 7.1.10 and
/// 7.1.11).
package struct LinkKeyReplies: Sendable {
    enum Reply: Sendable {
        case provided(FrameReference)
        case refused(FrameReference)
    }

    private var replies: [Address: Reply] = [:]
    /// Devices whose replies are kept.
    private static let limit = 256

    mutating func handle(_ event: Event) {
        guard case .command(let opcode) = event.content, opcode == .linkKeyReply || opcode == .linkKeyNegativeReply,
            let low = event.bytes.u32(0), let high = event.bytes.u16(4)
        else { return }
        let address = Address(value: UInt64(high) << 32 | UInt64(low))
        guard replies[address] != nil || replies.count < Self.limit else { return }
        replies[address] = opcode == .linkKeyReply ? .provided(event.moment) : .refused(event.moment)
    }

    func lastReply(to address: Address) -> Reply? { replies[address] }
}

extension HCI.Opcode {
    fileprivate static let linkKeyReply = Self(rawValue: 0x040B)
    fileprivate static let linkKeyNegativeReply = Self(rawValue: 0x040C)
}
