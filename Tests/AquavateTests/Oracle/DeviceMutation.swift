import Bluetooth
import Bytes
import Captures
import TestKit

/// One change to a device's packets in a session, as faulty firmware would make it.
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
    /// Frames that a report of the fault may name: the changed frame, or the client's request whose effect is missing.
    let frames: Set<Int>

    /// Mutates a session of HCI packets; nil if the session has no packet that the kind applies to.
    init?(_ kind: Kind, of packets: [Recording.Packet], _ random: inout SplitMix64) {
        let opcode: ATT.Opcode =
            switch kind {
            case .field, .drop, .late, .again: .handleValueNotification
            case .answer: .readResponse
            case .refusal: .writeResponse
            }
        let places = packets.indices.filter { packets[$0].opcode == opcode }
        guard let place = places.randomElement(using: &random) else { return nil }
        var changed = packets
        var frames: Set<Int> = [place + 1]
        switch kind {
        case .field, .answer:
            guard let range = packets[place].valueRange else { return nil }
            _ = changed[place].changeByte(of: range, &random)
        case .drop:
            changed.remove(at: place)
            frames = Self.cause(of: place, in: packets)
        case .late:
            let seconds = Int64.random(in: 16...40, using: &random)
            let target = changed.delay(at: place, nanoseconds: seconds * 1_000_000_000)
            frames = Self.cause(of: place, in: packets).union([target + 1])
        case .again:
            changed.repeat(at: place)
            frames = [place + 2]
        case .refusal:
            guard let request = packets[..<place].last(where: { $0.opcode == .writeRequest })?.bytes else { return nil }
            let handle = request[Recording.Packet.pduStart...].dropFirst().prefix(2)
            let error = [0x01, 0x12] + handle + [0x0E]
            changed[place].bytes = Self.replaced(packets[place].bytes, by: error)
        }
        self.packets = changed
        self.frames = frames
    }

    /// The client's last write before a packet.
    private static func cause(of place: Int, in packets: [Recording.Packet]) -> Set<Int> {
        Set([packets[..<place].lastIndex { $0.opcode == .writeRequest }].compactMap { $0.map { $0 + 1 } })
    }

    /// A packet with its ATT PDU replaced.
    private static func replaced(_ packet: [UInt8], by pdu: [UInt8]) -> [UInt8] {
        var bytes = Array(packet[..<Recording.Packet.pduStart]) + pdu
        let (acl, l2cap) = (UInt8(pdu.count + 4), UInt8(pdu.count))
        (bytes[3], bytes[4], bytes[5], bytes[6]) = (acl, 0, l2cap, 0)
        return bytes
    }
}
