import Bytes
package import Captures
import Conversation

/// Packets of a capture in memory, with their numbers in it.
package struct StoredPackets: Sendable {
    /// The path of the capture.
    package let name: String
    private var batch = PacketBatch()
    /// Numbers of the packets, in order.
    package var numbers: [Int] { batch.packets.map(\.number) }
    package var count: Int { batch.packets.count }
    /// The format of the capture.
    private let format: CaptureFormat
    private let hasNanoseconds: Bool
    /// Whether it has links of `merge`, or packets of a host and of the air.
    package let isMerged: Bool

    /// Packets of a capture that are held, and their bytes.
    package static let (packetLimit, sizeLimit) = (2_000_000, 256 << 20)

    /// Reads the whole capture. `goesOn` gets the number of packets so far, and returns whether to continue.
    package init(reading reader: CaptureReader, goesOn: (Int) -> Bool = { _ in true }) throws(CaptureError) {
        name = reader.file
        while let next = try reader.next() {
            for packet in next.packets { batch.append(packet, of: next) }
            reader.reuse(next)
            guard batch.packets.count <= Self.packetLimit, batch.bytes.count <= Self.sizeLimit else {
                throw CaptureError(
                    .unsupported, file: reader.file,
                    "more than \(Self.packetLimit) packets or \(Self.sizeLimit >> 20) MB, which shrink holds in memory",
                    advice: "take a part of it first with gattbench extract")
            }
            guard goesOn(batch.packets.count) else { break }
        }
        format = reader.format
        hasNanoseconds = reader.hasNanoseconds
        let air = batch.packets.count { $0.encapsulation.isLinkLayer }
        isMerged =
            air > 0 && air < batch.packets.count
            || batch.comments.contains { $0.contains { ViewLink(comment: $0) != nil } }
    }

    private init(_ batch: PacketBatch, of whole: Self) {
        self.batch = batch
        (name, format) = (whole.name, whole.format)
        (hasNanoseconds, isMerged) = (whole.hasNanoseconds, whole.isMerged)
    }

    /// The packets that are in a set.
    package func selecting(_ frames: FrameSet) -> Self {
        var part = PacketBatch()
        for packet in batch.packets where frames.contains(packet.number) { part.append(packet, of: batch) }
        return Self(part, of: self)
    }

    /// A source of the packets, for jobs that read captures.
    package func makeSource() -> some PacketSource { StoredPacketSource(name, batch) }

    /// Writes the packets to a file for its owner only, since they may have keys.
    func write(to path: String, format: CaptureFormat) throws(CaptureError) {
        let source = batch.packets.first?.encapsulation
        var target = CaptureTarget(format, holding: source)
        if let linkType = CaptureSubset.linkType(of: source, in: self.format, for: format) {
            target = CaptureTarget(format, linkType: linkType) ?? target
        }
        target.hasNanoseconds = hasNanoseconds
        let writer = try CaptureWriter(path: path, target: target, isPrivate: true)
        for packet in batch.packets { try writer.write(packet, of: batch) }
        try writer.flush()
    }
}

extension PacketBatch {
    /// Appends a packet of another batch, with its bytes and comments.
    fileprivate mutating func append(_ packet: CapturedPacket, of batch: borrowing PacketBatch) {
        var copy = packet
        copy.start = bytes.count
        bytes += batch.bytes(of: packet)
        let comments = batch.comments(of: packet)
        copy.comment = comments.isEmpty ? -1 : Int32(clamping: self.comments.count)
        if !comments.isEmpty { self.comments.append(comments) }
        packets.append(copy)
    }
}

/// Delivers packets in memory.
private final class StoredPacketSource: PacketSource {
    let name: String
    let isSeekable = true

    private let batch: PacketBatch
    /// Index of the next packet.
    private var next = 0

    /// Packets of a batch.
    private static let batchSize = 1024

    init(_ name: String, _ batch: PacketBatch) {
        self.name = name
        self.batch = batch
    }

    func next() async throws -> PacketBatch? {
        guard next < batch.packets.count else { return nil }
        let end = min(batch.packets.count, next + Self.batchSize)
        var part = PacketBatch()
        for packet in batch.packets[next..<end] { part.append(packet, of: batch) }
        next = end
        return part
    }

    func reuse(_ batch: consuming PacketBatch) {}
    func rewind() throws { next = 0 }
    func limitBatches(to bytes: Int) {}
}
