import Bytes

/// Detects a recorder that wrote directions as the controller sees them, and reverses the directions of its packets.
///
/// Only a host sends commands and only a controller sends events, so the first command or event of an adapter shows
/// how its recorder wrote directions. Formats whose records name the packet type instead of a direction need no such
/// check.
struct RecorderDirections {
    private enum Convention: UInt8 {
        case unknown, host, controller
    }

    /// By adapter; those from `CaptureLimit.adapters` on are taken as recorded.
    private var conventions: [Convention] = []

    /// Reverses the directions of a batch where they need it.
    ///
    /// - Parameter hasOneAdapter: whether all packets so far are of adapter 0, so that its convention is everybody's.
    /// - Returns: the first packet of each recorder that is found to be a reversed one.
    mutating func correct(_ packets: inout [CapturedPacket], in bytes: RawSpan, hasOneAdapter: Bool) -> [CapturedPacket]
    {
        guard let first = packets.first else { return [] }
        if hasOneAdapter, !first.encapsulation.hasRecordedDirection || conventions.first == .host { return [] }
        let reversed = learn(packets, bytes)
        guard conventions.contains(.controller) else { return [] }
        for index in packets.indices where packets[index].encapsulation.hasRecordedDirection {
            let adapter = Int(packets[index].adapter)
            guard adapter < conventions.count, conventions[adapter] == .controller else { continue }
            let implied = packets[index].impliedDirection(in: bytes)
            packets[index].direction = implied == .unknown ? packets[index].direction.opposite : implied
        }
        return reversed
    }

    /// Learns the conventions of adapters that are new from their first command or event, which decides for the packets
    /// before it in the batch too.
    private mutating func learn(_ packets: [CapturedPacket], _ bytes: RawSpan) -> [CapturedPacket] {
        var reversed: [CapturedPacket] = []
        for packet in packets where packet.direction != .unknown && packet.encapsulation.hasRecordedDirection {
            let adapter = Int(packet.adapter)
            guard adapter < CaptureLimit.adapters else { continue }
            while conventions.count <= adapter { conventions.append(.unknown) }
            guard conventions[adapter] == .unknown else { continue }
            let implied = packet.impliedDirection(in: bytes)
            guard implied != .unknown else { continue }
            conventions[adapter] = implied == packet.direction ? .host : .controller
            if implied != packet.direction { reversed.append(packet) }
        }
        return reversed
    }
}

extension Encapsulation {
    /// Whether packets have an H4 type and, apart from it, a direction.
    fileprivate var hasRecordedDirection: Bool { self == .h4 || self == .h4WithDirection }
}

extension CapturedPacket {
    /// The direction in which packets of the H4 type always go; unknown for data.
    fileprivate func impliedDirection(in bytes: RawSpan) -> Direction {
        let offset = encapsulation == .h4WithDirection ? 4 : 0
        return count > offset ? H4PacketType(rawValue: bytes.byte(at: start + offset)).impliedDirection : .unknown
    }
}
