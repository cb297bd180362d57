import Bytes

/// Detects captures whose directions were recorded from the controller's point of view, and reverses them.
///
/// Only a host sends commands and only a controller sends events, so the first command or event of an adapter shows its
/// convention. Formats whose records state the packet type instead of a direction need no such check.
struct RecorderDirections {
    private enum Convention: UInt8 {
        case unknown, host, controller
    }

    /// By adapter. Adapters from `CaptureLimit.adapters` on keep their recorded directions.
    private var conventions: [Convention] = []

    /// Reverses directions from the first command or event that shows the controller's convention. Earlier data packets
    /// keep their recorded direction, so that the result does not depend on the size of the pieces read.
    ///
    /// - Parameter hasOneAdapter: whether all packets so far are of adapter 0, so that its convention applies to all
    ///   packets.
    /// - Returns: the first packet of each adapter found to be reversed.
    mutating func correct(_ packets: inout [CapturedPacket], in bytes: RawSpan, hasOneAdapter: Bool) -> [CapturedPacket]
    {
        guard let first = packets.first else { return [] }
        if hasOneAdapter, !first.encapsulation.hasRecordedDirection || conventions.first == .host { return [] }
        var reversed: [CapturedPacket] = []
        for index in packets.indices where packets[index].encapsulation.hasRecordedDirection {
            let adapter = Int(packets[index].adapter)
            guard adapter < CaptureLimit.adapters else { continue }
            while conventions.count <= adapter { conventions.append(.unknown) }
            if conventions[adapter] == .host { continue }
            let implied = packets[index].impliedDirection(in: bytes)
            if conventions[adapter] == .unknown, implied != .unknown, packets[index].direction != .unknown {
                let isReversed = implied != packets[index].direction
                conventions[adapter] = isReversed ? .controller : .host
                if isReversed { reversed.append(packets[index]) }
            }
            guard conventions[adapter] == .controller else { continue }
            packets[index].direction = implied == .unknown ? packets[index].direction.opposite : implied
        }
        return reversed
    }
}

extension Encapsulation {
    /// Whether packets have an H4 type and a separate direction.
    fileprivate var hasRecordedDirection: Bool { self == .h4 || self == .h4WithDirection }
}

extension CapturedPacket {
    /// The direction implied by the H4 type; unknown for data.
    fileprivate func impliedDirection(in bytes: RawSpan) -> Direction {
        let offset = encapsulation == .h4WithDirection ? 4 : 0
        return count > offset ? H4PacketType(rawValue: bytes.byte(at: start + offset)).impliedDirection : .unknown
    }
}
