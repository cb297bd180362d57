import Bytes
import Captures
import Conversation
import Redaction

/// Writes the packets of a capture after replacement, and the map that undoes it.
struct RedactedWriter {
    private let output: RedactedOutput
    private let redactor: Redactor
    private let timeShift: TimeSpan
    private let map: FileDescriptor?
    private let mapPath: String
    private var lines: [UInt8] = []

    private static let bufferSize = 256 * 1024
    /// A capture from before 2000 has no dates: its clock starts with the recorder.
    private static let firstDate = Timestamp(nanoseconds: 946_684_800_000_000_000)

    init(_ output: RedactedOutput, _ redactor: Redactor, mapPath: String?, firstTime: Timestamp?) throws(CaptureError) {
        self.output = output
        self.redactor = redactor
        timeShift = firstTime.map { $0 >= Self.firstDate } ?? false ? redactor.timeShift : .zero
        self.mapPath = mapPath ?? ""
        guard let mapPath else {
            map = nil
            return
        }
        do throws(SystemError) {
            map = try FileDescriptor.writingPrivately(mapPath)
        } catch {
            throw CaptureError(.cannotWrite, file: mapPath, error.text, advice: error.advice)
        }
        lines += RedactionMap.header(timeShift: timeShift).utf8
    }

    /// Writes the frames of a batch; `captured` has the packets as they were before decryption, to be mapped.
    mutating func write(_ batch: borrowing TrackedBatch, captured: PacketBatch?) throws(CaptureError) {
        let packets = redactor.redact(batch)
        for (index, metadata) in batch.metadata.enumerated() {
            let original = Array(batch.packets.bytes[metadata.packet.range])
            let bytes = packets[index] ?? original
            var packet = metadata.packet
            let content = packet.contentOffset(in: batch.packets.bytes.span.rawBytes)
            packet.start = 0
            packet.time = packet.time - timeShift
            // The links of merged captures state frames and delays only.
            let comments = batch.packets.comments(of: metadata.packet)
            let kept = comments.filter { ViewLink(comment: $0) != nil }
            redactor.counts[.comment] += comments.count - kept.count
            let isWritten = try output.write(packet, of: PacketBatch(bytes: bytes, packets: [packet]), comments: kept)
            guard map != nil, isWritten else { continue }
            var entry = RedactionMap.Entry(comments: kept.count < comments.count ? comments : [])
            entry.packet = captured.flatMap { Self.packet(before: metadata.packet, at: index, in: $0) }
            if entry.packet == nil, content <= original.count {
                entry.patches = RedactionMap.patches(original[content...], bytes[content...])
            }
            if !entry.isEmpty { lines += RedactionMap.lines(output.packetCount, entry).utf8 }
        }
        if lines.count >= Self.bufferSize { try flush() }
    }

    mutating func finish() throws(CaptureError) {
        try output.finish()
        try flush()
    }

    /// The packet on the air before its decryption, with the pseudo-header of link type 256; nil if it is unchanged.
    private static func packet(before packet: CapturedPacket, at index: Int, in captured: PacketBatch) -> [UInt8]? {
        guard captured.packets.indices.contains(index) else { return nil }
        let before = captured.packets[index]
        guard before.count != packet.count || before.start != packet.start,
            let view = before.linkLayerView(in: captured.bytes.span.rawBytes)
        else { return nil }
        let reception = (view.reception ?? .unknown).bytes
        return reception + captured.bytes[view.start..<(view.start + view.count)]
    }

    private mutating func flush() throws(CaptureError) {
        guard let map, !lines.isEmpty else { return }
        do throws(SystemError) {
            try map.write(lines)
        } catch {
            throw CaptureError(.cannotWrite, file: mapPath, error.text, advice: error.advice)
        }
        lines.removeAll(keepingCapacity: true)
    }
}

extension CapturedPacket {
    /// Where the HCI packet begins after its indicator, or the packet on the air with its access address: what every
    /// format has. From the packet's first byte on; the whole packet for one that is too short.
    func contentOffset(in bytes: RawSpan) -> Int {
        let start = encapsulation.isLinkLayer ? linkLayerView(in: bytes)?.start : hciView(in: bytes)?.start
        return start.map { $0 - self.start } ?? count
    }
}
