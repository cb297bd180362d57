import ATT
import BluetoothTypes
import Bytes
import Captures
import GATT
import PluginKit
import TestKit

/// One change of a session, as a faulty puck or phone would make it.
struct ProtocolMutation: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case change = "byte changed"
        case drop = "dropped"
        case swap = "swapped"
        case again = "repeated"
        case delay = "delayed"
    }

    var kind: Kind
    /// Frame that is changed.
    var frame: Int
    /// What it was: `Handle Value Notification`, and what became of it.
    var title: String
    /// What it is about; nil for discovery.
    var attribute: String?
    var packets: [Recording.Packet]

    /// A mutation of a session of HCI packets.
    init(of packets: [Recording.Packet], _ random: inout SplitMix64) {
        let pdus = packets.indices.filter { Self.attribute(packets[$0]) != nil }
        kind = Kind.allCases[Int.random(in: 0..<Kind.allCases.count, using: &random)]
        var place = pdus[Int.random(in: 0..<pdus.count, using: &random)]
        var changed = packets
        var what = ""
        switch kind {
        case .change:
            let values = pdus.filter { Self.value(packets[$0]) != nil }
            place = values[Int.random(in: 0..<values.count, using: &random)]
            let range = Self.value(packets[place]) ?? 0..<0
            let position = Int.random(in: range, using: &random)
            changed[place].bytes[position] ^= UInt8.random(in: 1...255, using: &random)
            what = ", byte \(position - range.lowerBound) of its value"
        case .drop: changed.remove(at: place)
        case .swap:
            let other = min(place + Int.random(in: 1...3, using: &random), packets.count - 1)
            what = " with frame \(other + 1)"
            changed.swapAt(place, other)
            changed[place].time = packets[place].time
            changed[other].time = packets[other].time
        case .again:
            var copy = packets[place]
            copy.time.nanoseconds += 1_000_000
            changed.insert(copy, at: place + 1)
        case .delay:
            var late = changed.remove(at: place)
            let seconds = Int64.random(in: 1...40, using: &random)
            late.time.nanoseconds += seconds * 500_000_000
            what = " by \(Double(seconds) / 2) s"
            changed.insert(late, at: changed.firstIndex { $0.time > late.time } ?? changed.count)
        }
        frame = place + 1
        attribute = Self.attribute(of: packets, at: place)
        title = Self.name(packets[place]) + (attribute.map { " of \($0)" } ?? "") + what
        self.packets = changed
    }

    /// Bytes before the ATT PDU: H4 type, ACL header, L2CAP header.
    private static let headers = 9

    /// The ATT opcode of a packet; nil for others.
    private static func attribute(_ packet: Recording.Packet) -> ATT.Opcode? {
        let bytes = packet.bytes
        guard bytes.count > headers, bytes[0] == 0x02, bytes[7] == 0x04, bytes[8] == 0 else { return nil }
        return ATT.Opcode(rawValue: bytes[headers])
    }

    /// Where the value of an attribute lies in a packet; nil where it carries none.
    private static func value(_ packet: Recording.Packet) -> Range<Int>? {
        let start: Int
        switch attribute(packet) {
        case .writeRequest?, .handleValueNotification?: start = headers + 3
        case .readResponse?: start = headers + 1
        default: return nil
        }
        return start < packet.bytes.count ? start..<packet.bytes.count : nil
    }

    private static func name(_ packet: Recording.Packet) -> String {
        attribute(packet).map { $0.name ?? "ATT PDU" } ?? "frame"
    }

    /// The attribute that a PDU is about: of a response, that of its request.
    private static func attribute(of packets: [Recording.Packet], at place: Int) -> String? {
        switch attribute(packets[place]) {
        case .readRequest?, .writeRequest?, .handleValueNotification?: break
        case .readResponse?, .writeResponse?:
            let requests: Set<ATT.Opcode> = [.readRequest, .writeRequest]
            let before = packets[..<place].lastIndex { attribute($0).map { requests.contains($0) } == true }
            return before.flatMap { attribute(of: packets, at: $0) }
        default: return nil
        }
        let bytes = packets[place].bytes
        guard bytes.count > headers + 2 else { return nil }
        let handle = Handle(UInt16(bytes[headers + 1]) | UInt16(bytes[headers + 2]) << 8)
        if PuckLayout.shipped.descriptors.contains(where: { $0.handle == handle }) { return "a CCCD" }
        guard let type = PuckLayout.shipped.characteristics.first(where: { $0.value == handle })?.type else {
            return nil
        }
        let profile = try? VectorTests.puck.get().profile
        return profile?.services.flatMap(\.characteristics).first { $0.uuid == type }?.name
    }
}
