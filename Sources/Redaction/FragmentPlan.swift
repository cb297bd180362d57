import Bluetooth
import Bytes
import Captures
import Conversation

/// A buffer that was put together from several frames, with its treatment and the places of its bytes.
struct AssembledBuffer {
    var bytes: [UInt8]
    var treatment: BufferTreatment
    var pieces: [Piece]

    /// A part of the buffer in a frame.
    struct Piece {
        var frame: Int
        /// Its place in the frame, from the frame's first byte on.
        var range: Range<Int>
        /// Its place in the buffer.
        var start: Int
    }
}

/// Collects the buffers that are put together from several frames, to replace their bytes in these frames.
///
/// What cannot be assigned to its frames with certainty is replaced there as bytes without a meaning.
struct FragmentCollector {
    private(set) var buffers: [AssembledBuffer] = []
    /// The fragments of the PDUs in progress.
    private var fragments: [Stream: [AssembledBuffer.Piece]] = [:]
    /// The last parts of values and SDUs.
    private var parts: [Parts: [(piece: AssembledBuffer.Piece, bytes: [UInt8])]] = [:]
    private var held = 0
    /// Bytes of the last parts.
    private var heldParts = 0

    private struct Stream: Hashable {
        var connection: Int32
        var direction: Direction
    }

    private struct Parts: Hashable {
        var stream: Stream
        var channel: UInt16
        var handle: UInt16
    }

    /// Bytes of buffers, and streams and parts in progress, that are kept; later ones are replaced as bytes without a
    /// meaning.
    private static let (bytesLimit, streamLimit, partLimit) = (64 << 20, 4096, 1024)
    /// The longest header before the bytes of a part.
    private static let longestHeader = 8

    mutating func add(_ treatment: FrameTreatment, _ metadata: FrameMetadata, in batch: borrowing TrackedBatch) {
        guard metadata.connection >= 0, metadata.notes.isDisjoint(with: .discarded) else { return }
        let stream = Stream(connection: metadata.connection, direction: metadata.direction)
        addFragment(treatment, metadata, batch, stream)
        addPart(treatment, metadata, batch, stream)
        guard let assembled = treatment.assembled else { return }
        let bytes = Array(batch.bytes(of: metadata.assembled))
        for direction in [metadata.direction, metadata.direction.opposite] {
            let pieces = pieces(
                of: bytes, Self.parts(Stream(connection: stream.connection, direction: direction), metadata))
            if let pieces { keep(AssembledBuffer(bytes: bytes, treatment: assembled, pieces: pieces)) }
        }
    }

    private mutating func addFragment(
        _ treatment: FrameTreatment, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ stream: Stream
    ) {
        guard let fragment = treatment.fragment else { return }
        if fragments.count >= Self.streamLimit, fragments[stream] == nil { fragments.removeAll() }
        var pieces = fragment.isFirst ? [] : fragments[stream] ?? []
        let start = pieces.last.map { $0.start + $0.range.count } ?? 0
        guard fragment.isFirst || !pieces.isEmpty else { return }
        pieces.append(.init(frame: metadata.packet.number, range: fragment.range, start: start))
        guard let pdu = treatment.pdu else {
            fragments[stream] = pieces.count < Self.partLimit ? pieces : nil
            return
        }
        fragments[stream] = nil
        guard start + fragment.range.count == metadata.pdu.count else { return }
        keep(AssembledBuffer(bytes: Array(batch.bytes(of: metadata.pdu)), treatment: pdu, pieces: pieces))
    }

    private mutating func addPart(
        _ treatment: FrameTreatment, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ stream: Stream
    ) {
        guard let range = treatment.part else { return }
        let key = Self.parts(stream, metadata)
        heldParts += range.count
        if parts.count >= Self.streamLimit && parts[key] == nil || heldParts > Self.bytesLimit {
            parts.removeAll()
            heldParts = range.count
        }
        let start = metadata.packet.start + range.lowerBound
        let bytes = Array(batch.packets.bytes[start..<(start + range.count)])
        parts[key, default: []].append((.init(frame: metadata.packet.number, range: range, start: 0), bytes))
        if let count = parts[key]?.count, count > Self.partLimit { parts[key]?.removeFirst(count / 2) }
    }

    private static func parts(_ stream: Stream, _ metadata: FrameMetadata) -> Parts {
        Parts(
            stream: stream, channel: metadata.attribute == nil ? metadata.channel : 0,
            handle: metadata.attribute?.handle.rawValue ?? 0)
    }

    /// The parts whose ends, one after the other, are exactly these bytes; nil if there are no such parts.
    private func pieces(of bytes: [UInt8], _ key: Parts) -> [AssembledBuffer.Piece]? {
        var pieces: [AssembledBuffer.Piece] = []
        var end = bytes.count
        for part in (parts[key] ?? []).reversed() where end > 0 {
            let most = min(end, part.bytes.count)
            var count = 0
            while count < most, part.bytes[part.bytes.count - 1 - count] == bytes[end - 1 - count] { count += 1 }
            if count == 0 || part.bytes.count - count > Self.longestHeader { return nil }
            let upper = part.piece.range.upperBound
            end -= count
            pieces.append(.init(frame: part.piece.frame, range: (upper - count)..<upper, start: end))
        }
        return end == 0 ? pieces : nil
    }

    private mutating func keep(_ buffer: AssembledBuffer) {
        held += buffer.bytes.count
        guard held <= Self.bytesLimit else { return }
        buffers.append(buffer)
    }
}
