import Bytes
package import Captures

/// Undoes a redaction with its map: packets, times and comments are again those of the capture that was redacted.
package struct RestoreJob {
    package init() {}

    /// Writes the packets of `reader` to `path`, each as the map has it; returns their number.
    package func run(
        _ reader: CaptureReader, map path: String, to output: String, as format: CaptureFormat,
        progress: (Int) -> Bool = { _ in true }
    ) throws -> Int {
        for file in [output] where reader.reads(fileAt: file) || FileDescriptor.isSameFile(path, file) {
            throw CaptureError(
                .cannotWrite, file: file, "is a file that is read", advice: "write to another file")
        }
        let map = try RedactionMap.read(Self.bytes(of: path), file: path)
        var sources = RedactedOutput.Sources()
        while let batch = try reader.next() { sources.add(batch.packets) }
        try reader.rewind()
        let writer = try RedactedOutput(
            output, format, sources, hasDecrypted: map.entries.values.contains { $0.packet != nil },
            hasNanoseconds: reader.hasNanoseconds)
        var count = 0
        while let batch = try reader.next() {
            for packet in batch.packets { try write(packet, of: batch, map, to: writer, file: reader.file) }
            count += batch.packets.count
            guard progress(count) else { break }
        }
        try writer.finish()
        return writer.packetCount
    }

    private func write(
        _ packet: CapturedPacket, of batch: PacketBatch, _ map: RedactionMap.Contents, to writer: RedactedOutput,
        file: String
    ) throws(CaptureError) {
        let entry = map.entries[packet.number] ?? RedactionMap.Entry()
        var bytes = Array(batch.bytes(of: packet))
        var restored = packet
        if let original = entry.packet {
            bytes = original
            restored.encapsulation = .linkLayerWithHeader
            restored.originalLength = original.count
        }
        let content = packet.contentOffset(in: batch.bytes.span.rawBytes)
        for patch in entry.patches {
            let start = content + min(patch.offset, bytes.count)
            let range = start..<(start + patch.original.count)
            guard range.upperBound <= bytes.count, Array(bytes[range]) == patch.replacement else {
                throw CaptureError(
                    .damaged, file: file, "the bytes of frame \(packet.number) are not those that the map has",
                    advice: "name the capture that was written with this map, as it was written")
            }
            bytes.replaceSubrange(range, with: patch.original)
        }
        restored.start = 0
        restored.count = bytes.count
        restored.time = packet.time + map.timeShift
        let comments = entry.comments.isEmpty ? batch.comments(of: packet) : entry.comments
        _ = try writer.write(restored, of: PacketBatch(bytes: bytes, packets: [restored]), comments: comments)
    }

    private static func bytes(of path: String) throws(CaptureError) -> [UInt8] {
        var bytes: [UInt8] = []
        do throws(SystemError) {
            let file = try FileDescriptor.reading(path)
            while bytes.count < RedactionMap.sizeLimit {
                let before = bytes.count
                try file.append(to: &bytes, atLeast: 1, atMost: 1 << 20)
                if bytes.count == before { return bytes }
            }
        } catch {
            throw CaptureError(.cannotOpen, file: path, error.text, advice: error.advice)
        }
        throw CaptureError(
            .unsupported, file: path, "a map of more than \(RedactionMap.sizeLimit) bytes is not read",
            advice: "redact the capture in parts")
    }
}
