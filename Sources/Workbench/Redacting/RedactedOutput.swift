import Bytes
import Captures
import Conversation

/// Writes packets of a capture to another file, in the format that holds most of them: with an interface for each if
/// the capture has packets of hosts and of the air, as merged captures have.
struct RedactedOutput {
    private let writer: CaptureWriter
    private let interfaces: [StatedInterface]

    /// The interfaces of a capture's packets.
    struct Sources {
        /// The encapsulation of the first packet of each interface.
        private(set) var encapsulations: [Int: Encapsulation] = [:]
        private(set) var first: CapturedPacket?

        private static let limit = 256

        mutating func add(_ packets: [CapturedPacket]) {
            if first == nil { first = packets.first }
            for packet in packets {
                let number = Int(packet.adapter)
                if number < Self.limit, encapsulations[number] == nil { encapsulations[number] = packet.encapsulation }
            }
        }

        /// Whether the packets need several link types.
        var isMixed: Bool { Set(encapsulations.values.map(\.isLinkLayer)).count > 1 }
    }

    /// - Parameter hasDecrypted: whether packets were decrypted, which only link type 256 can mark.
    init(
        _ path: String, _ format: CaptureFormat, _ sources: Sources, hasDecrypted: Bool, hasNanoseconds: Bool
    ) throws(CaptureError) {
        let source = sources.first?.encapsulation
        if format == .pcapng, sources.isMixed {
            let last = sources.encapsulations.keys.max() ?? 0
            interfaces = (0...last).map { number in
                var encapsulation = sources.encapsulations[number] ?? source
                if hasDecrypted, encapsulation?.isLinkLayer == true { encapsulation = .linkLayerWithHeader }
                return StatedInterface(name: "interface\(number)", description: "", holding: encapsulation)
            }
            writer = try CaptureWriter(path: path, interfaces: interfaces)
            return
        }
        interfaces = []
        var target = CaptureTarget(format, holding: source)
        // Directions that the source does not state are not stated in the copy.
        if source == .h4, sources.first?.direction == .unknown, let plain = CaptureTarget(format, linkType: .h4) {
            target = plain
        }
        if hasDecrypted, let marking = CaptureTarget(format, linkType: .linkLayerWithHeader) { target = marking }
        let isOnAir = target.linkType == .linkLayer || target.linkType == .linkLayerWithHeader
        if let source, source.isLinkLayer != isOnAir {
            let kind = source.isLinkLayer ? "link layer packets" : "HCI packets"
            throw CaptureError(
                .wrongTarget, file: path, "\(format.name) cannot hold the \(kind) of the source",
                advice: "write pcap or pcapng")
        }
        target.hasNanoseconds = hasNanoseconds
        writer = try CaptureWriter(path: path, target: target)
    }

    /// Number of packets written.
    var packetCount: Int { writer.packetCount }
    /// What the file could not hold.
    var losses: [ConversionLoss] { writer.losses }

    /// Writes a packet with these comments instead of its own; returns whether the file can hold it.
    func write(_ packet: CapturedPacket, of batch: PacketBatch, comments: [String]) throws(CaptureError) -> Bool {
        let before = writer.packetCount
        if !interfaces.isEmpty {
            let number = min(Int(packet.adapter), interfaces.count - 1)
            try writer.write(packet, of: batch, on: number, comments: comments)
        } else {
            var (packet, batch) = (packet, batch)
            packet.comment = comments.isEmpty ? -1 : 0
            batch.comments = comments.isEmpty ? [] : [comments]
            try writer.write(packet, of: batch)
        }
        return writer.packetCount > before
    }

    func finish() throws(CaptureError) { try writer.flush() }
}
