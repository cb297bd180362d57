import Bluetooth
package import Bytes
import Captures
package import Conversation
import Dissection

/// Replaces what identifies people, devices and places in the packets of a capture, batch after batch.
///
/// Lengths, handles and opcodes stay, and the CRC of a packet on the air is computed anew: what was wrong with it
/// remains wrong.
package final class Redactor {
    private var replacements: Replacements
    private let dissector: Dissector
    private let frame = DissectedFrame()
    private let options: RedactionOptions
    private var treatments = FieldTreatments()
    /// The bytes of frames that are parts of something longer, by frame number.
    private var parts: [Int: [(range: Range<Int>, bytes: [UInt8])]] = [:]
    /// The last payload of each direction on the air, with its replacement, for retransmissions.
    private var lastPayloads: [Stream: (original: [UInt8], replacement: [UInt8])] = [:]
    /// The packets of the last time, with their replacements: a recorder may have written one twice.
    private var lastPackets: (time: Timestamp, packets: [[UInt8]: [UInt8]])?

    private struct Stream: Hashable {
        var connection: Int32
        var direction: Direction
    }

    /// Directions and packets of one time that are kept.
    private static let limit = 4096

    init(
        _ replacements: Replacements, _ dissector: Dissector, _ buffers: [AssembledBuffer], _ options: RedactionOptions
    ) {
        self.replacements = replacements
        self.dissector = dissector
        self.options = options
        for buffer in buffers { add(buffer) }
    }

    /// What was replaced so far.
    package var counts: RedactionCounts {
        get { replacements.counts }
        set { replacements.counts = newValue }
    }

    /// How much earlier all times become.
    package var timeShift: TimeSpan { options.timeShift }

    /// Replaces the bytes of a buffer, and assigns them to the frames of its pieces.
    private func add(_ buffer: AssembledBuffer) {
        let bytes = replacements.rewritten(buffer.bytes, buffer.treatment, in: buffer.bytes.indices)
        for piece in buffer.pieces {
            let end = min(bytes.count, piece.start + piece.range.count)
            guard piece.start < end, end - piece.start == piece.range.count else { continue }
            parts[piece.frame, default: []].append((piece.range, Array(bytes[piece.start..<end])))
        }
    }

    /// The packets of a batch after replacement, with the ranges in each packet that changed; nil for those that stay.
    package func redact(_ batch: borrowing TrackedBatch) -> [[UInt8]?] {
        var packets: [[UInt8]?] = []
        packets.reserveCapacity(batch.metadata.count)
        for metadata in batch.metadata {
            let original = Array(batch.packets.bytes[metadata.packet.range])
            let packet = redacted(original, metadata, batch)
            packets.append(packet == original ? nil : packet)
        }
        return packets
    }

    private func redacted(
        _ original: [UInt8], _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch
    ) -> [UInt8] {
        if lastPackets?.time != metadata.packet.time { lastPackets = (metadata.packet.time, [:]) }
        if metadata.notes.contains(.duplicate), let known = lastPackets?.packets[original] { return known }
        dissector.dissect(metadata, of: batch, into: frame)
        // A packet that is too short to identify has no bytes that could stay.
        guard var treatment = FrameTreatment(frame, metadata, in: batch, &treatments) else {
            return replacements.rewritten(original, BufferTreatment(count: original.count), in: original.indices)
        }
        let parts = parts[metadata.packet.number] ?? []
        for part in parts { treatment.frame.exclude(part.range) }
        var bytes = replacements.rewritten(original, treatment.frame, in: treatment.content)
        for part in parts where part.range.upperBound <= bytes.count {
            bytes.replaceSubrange(part.range, with: part.bytes)
        }
        if metadata.packet.encapsulation.isLinkLayer { finish(&bytes, original, metadata, batch) }
        if let count = lastPackets?.packets.count, count < Self.limit { lastPackets?.packets[original] = bytes }
        return bytes
    }

    /// Gives a retransmission the payload of the PDU that it repeats, and a packet on the air its CRC.
    private func finish(
        _ bytes: inout [UInt8], _ original: [UInt8], _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch
    ) {
        guard let header = batch.linkLayer(of: metadata)?.header, header.pdu.upperBound <= bytes.count else { return }
        let payload = header.payload
        if metadata.connection >= 0, metadata.direction != .unknown {
            let stream = Stream(connection: metadata.connection, direction: metadata.direction)
            let isRepeated = !metadata.notes.isDisjoint(with: [.retransmission, .undecidedRepetition])
            if isRepeated, let last = lastPayloads[stream], last.original == Array(original[payload]) {
                bytes.replaceSubrange(payload, with: last.replacement)
            } else if !metadata.notes.contains(.badCRC), !payload.isEmpty {
                if lastPayloads.count >= Self.limit { lastPayloads.removeAll() }
                lastPayloads[stream] = (Array(original[payload]), Array(bytes[payload]))
            }
        }
        guard let crc = header.crc, !metadata.notes.contains(.noCRC), bytes != original else { return }
        // The register run backwards gives the CRCInit of a packet without errors, and carries those of any other over.
        let initial = LL.crcInit(of: original.span.rawBytes.extracting(header.pdu), crc: crc)
        var writer = ByteWriter()
        LL.writeCRC(LL.crc(of: Array(bytes[header.pdu]), initial: initial), to: &writer)
        let place = header.pdu.upperBound..<(header.pdu.upperBound + LL.crcSize)
        if place.upperBound <= bytes.count { bytes.replaceSubrange(place, with: writer.bytes) }
    }
}
