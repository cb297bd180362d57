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

    /// Reverses directions from the first command or event on that shows a reversed recorder. Data before it stay as they
    /// were recorded, so that packets do not depend on how the file is read in pieces.
    ///
    /// - Parameter hasOneAdapter: whether all packets so far are of adapter 0, so that its convention is everybody's.
    /// - Returns: the first packet of each recorder that is found to be a reversed one.
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
