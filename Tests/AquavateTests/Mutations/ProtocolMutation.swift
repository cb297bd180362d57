import Bluetooth
import Bytes
import Captures
import PDUTestKit
import PluginKit
import Profile
import TestKit

/// One change to a session, as a faulty puck or phone would make it.
struct ProtocolMutation: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case change = "byte changed"
        case drop = "dropped"
        case swap = "swapped"
        case again = "repeated"
        case delay = "delayed"
    }

    var kind: Kind
    /// Number of the changed frame.
    var frame: Int
    /// The PDU's name, such as `Handle Value Notification`, and the change.
    var title: String
    /// The attribute concerned; nil for discovery.
    var attribute: String?
    var packets: [Recording.Packet]

    /// Mutates a session of HCI packets.
    init(of packets: [Recording.Packet], _ random: inout SplitMix64) {
        let pdus = packets.indices.filter { packets[$0].opcode != nil }
        kind = Kind.allCases[Int.random(in: 0..<Kind.allCases.count, using: &random)]
        var place = pdus[Int.random(in: 0..<pdus.count, using: &random)]
        var changed = packets
        var what = ""
        switch kind {
        case .change:
            let values = pdus.filter { packets[$0].valueRange != nil }
            place = values[Int.random(in: 0..<values.count, using: &random)]
            let range = packets[place].valueRange ?? 0..<0
            let position = changed[place].changeByte(of: range, &random)
            what = ", byte \(position - range.lowerBound) of its value"
        case .drop: changed.remove(at: place)
        case .swap:
            let other = min(place + Int.random(in: 1...3, using: &random), packets.count - 1)
            what = " with frame \(other + 1)"
            changed.swapAt(place, other)
            changed[place].time = packets[place].time
            changed[other].time = packets[other].time
        case .again:
            changed.repeat(at: place)
        case .delay:
            let halfSeconds = Int64.random(in: 1...40, using: &random)
            changed.delay(at: place, nanoseconds: halfSeconds * 500_000_000)
            what = " by \(Double(halfSeconds) / 2) s"
        }
        frame = place + 1
        attribute = Self.attribute(of: packets, at: place)
        let pdu = packets[place].opcode.map { $0.name ?? "ATT PDU" } ?? "frame"
        title = pdu + (attribute.map { " of \($0)" } ?? "") + what
        self.packets = changed
    }

    /// The attribute that a PDU concerns; for a response, that of its request.
    private static func attribute(of packets: [Recording.Packet], at place: Int) -> String? {
        switch packets[place].opcode {
        case .readRequest?, .writeRequest?, .handleValueNotification?: break
        case .readResponse?, .writeResponse?:
            let requests: Set<ATT.Opcode> = [.readRequest, .writeRequest]
            let before = packets[..<place].lastIndex { $0.opcode.map(requests.contains) == true }
            return before.flatMap { attribute(of: packets, at: $0) }
        default: return nil
        }
        let parameters = packets[place].bytes.dropFirst(Recording.Packet.pduStart + 1)
        guard let low = parameters.first, let high = parameters.dropFirst().first else { return nil }
        let handle = Handle(UInt16(low) | UInt16(high) << 8)
        if PuckLayout.shipped.descriptors.contains(where: { $0.handle == handle }) { return "a CCCD" }
        guard let type = PuckLayout.shipped.characteristics.first(where: { $0.value == handle })?.type else {
            return nil
        }
        let profile = try? VectorTests.puck.get().profile
        return profile?.services.flatMap(\.characteristics).first { $0.uuid == type }?.name
    }
}
