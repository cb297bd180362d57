import ATT
import Bytes
import Captures
import TestKit

/// One change of what a device sends in a session, as faulty firmware would make it.
struct DeviceMutation: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case field = "a byte of a notification changed"
        case answer = "a byte of a read value changed"
        case drop = "a notification left out"
        case late = "a notification 16 to 40 s late"
        case again = "a notification repeated"
        case refusal = "a write refused"
    }

    let packets: [Recording.Packet]
    /// Frames that name the fault: the one that is changed, or the client's request that lacks its consequence.
    let frames: Set<Int>

    /// A mutation of a session of HCI packets; nil where it has nothing of the kind.
    init?(_ kind: Kind, of packets: [Recording.Packet], _ random: inout SplitMix64) {
        let opcode: ATT.Opcode =
            switch kind {
            case .field, .drop, .late, .again: .handleValueNotification
            case .answer: .readResponse
            case .refusal: .writeResponse
            }
        let places = packets.indices.filter { Self.opcode(packets[$0]) == opcode }
        guard let place = places.randomElement(using: &random) else { return nil }
        var changed = packets
        var frames: Set<Int> = [place + 1]
        switch kind {
        case .field, .answer:
            let start = Self.headers + (kind == .field ? 3 : 1)
            guard start < packets[place].bytes.count else { return nil }
            let position = Int.random(in: start..<packets[place].bytes.count, using: &random)
            changed[place].bytes[position] ^= UInt8.random(in: 1...255, using: &random)
        case .drop:
            changed.remove(at: place)
            frames = Self.cause(of: place, in: packets)
        case .late:
            var late = changed.remove(at: place)
            late.time.nanoseconds += Int64.random(in: 16...40, using: &random) * 1_000_000_000
            let target = changed.firstIndex { $0.time > late.time } ?? changed.count
            changed.insert(late, at: target)
            frames = Self.cause(of: place, in: packets).union([target + 1])
        case .again:
            var copy = packets[place]
            copy.time.nanoseconds += 1_000_000
            changed.insert(copy, at: place + 1)
            frames = [place + 2]
        case .refusal:
            guard let request = packets[..<place].lastIndex(where: { Self.opcode($0) == .writeRequest }) else {
                return nil
            }
            let bytes = packets[request].bytes
            let error = [0x01, 0x12, bytes[Self.headers + 1], bytes[Self.headers + 2], 0x0E]
            changed[place].bytes = Self.replaced(packets[place].bytes, by: error)
        }
        self.packets = changed
        self.frames = frames
    }

    /// Bytes before the ATT PDU: H4 type, ACL header, L2CAP header.
    private static let headers = 9

    private static func opcode(_ packet: Recording.Packet) -> ATT.Opcode? {
        let bytes = packet.bytes
        guard bytes.count > headers, bytes[0] == 0x02, bytes[7] == 0x04, bytes[8] == 0 else { return nil }
        return ATT.Opcode(rawValue: bytes[headers])
    }

    /// The client's last write before a packet.
    private static func cause(of place: Int, in packets: [Recording.Packet]) -> Set<Int> {
        Set([packets[..<place].lastIndex { opcode($0) == .writeRequest }].compactMap { $0.map { $0 + 1 } })
    }

    /// A packet with another ATT PDU.
    private static func replaced(_ packet: [UInt8], by pdu: [UInt8]) -> [UInt8] {
        var bytes = Array(packet[..<headers]) + pdu
        let (acl, l2cap) = (UInt8(pdu.count + 4), UInt8(pdu.count))
        (bytes[3], bytes[4], bytes[5], bytes[6]) = (acl, 0, l2cap, 0)
        return bytes
    }
}
