import Bytes
package import Captures
import Conversation

/// Writes some frames of a capture to another file, as `convert` writes all of them.
package struct CaptureSubset {
    private let frames: FrameSet
    /// Whether the capture has links of `merge`, or packets of a host and of the air: interfaces are kept then.
    private let isMerged: Bool

    package init(_ frames: FrameSet, isMerged: Bool) {
        self.frames = frames
        self.isMerged = isMerged
    }

    /// Writes the frames of `reader` to `path`. `progress` gets the number of packets read, and returns whether to
    /// continue.
    package func write(
        _ reader: CaptureReader, to path: String, format: CaptureFormat, progress: (Int) -> Bool = { _ in true }
    ) throws(CaptureError) -> Converter.Report {
        try reader.rewind()
        guard isMerged, format == .pcapng, reader.format == .pcapng else {
            let first = try reader.next()?.packets.first
            try reader.rewind()
            let linkType = Self.linkType(of: first?.encapsulation, in: reader.format, for: format)
            return try Converter.convert(
                reader, to: path, format: format, linkType: linkType, keeping: { frames.contains($0.number) },
                progress: progress)
        }
        return try writeInterfaces(reader, to: path, progress)
    }

    /// The link type to write; nil for the one that preserves the most information. Packets without directions are
    /// written without them, too.
    static func linkType(
        of source: Encapsulation?, in from: CaptureFormat, for format: CaptureFormat
    ) -> LinkType? {
        let formats: Set<CaptureFormat> = [.pcap, .pcapng]
        return source == .h4 && formats.contains(from) && formats.contains(format) ? .h4 : nil
    }

    /// Writes pcapng with the interfaces of the capture, and links to the new numbers of frames.
    private func writeInterfaces(
        _ reader: CaptureReader, to path: String, _ progress: (Int) -> Bool
    ) throws(CaptureError) -> Converter.Report {
        guard !reader.reads(fileAt: path) else {
            throw CaptureError(.cannotWrite, file: path, "is the file that is read", advice: "write to another file")
        }
        let interfaces = try interfaces(of: reader)
        let writer = try CaptureWriter(path: path, interfaces: interfaces)
        var numbers: [Int: Int] = [:]
        for number in frames.numbers { numbers[number] = numbers.count + 1 }
        var report = Converter.Report(target: writer.target)
        while let batch = try reader.next() {
            report.packetsRead += batch.packets.count
            for packet in batch.packets where frames.contains(packet.number) {
                let interface = Int(packet.adapter)
                guard interfaces.indices.contains(interface) else { continue }
                let comments = batch.comments(of: packet).compactMap { Self.renumbered($0, numbers) }
                try writer.write(packet, of: batch, on: interface, comments: comments)
            }
            reader.reuse(batch)
            guard progress(report.packetsRead) else { break }
        }
        try writer.flush()
        report.packetsWritten = writer.packetCount
        report.losses = writer.losses
        report.warnings = reader.warnings
        return report
    }

    /// The interfaces of a whole capture; the reader is at its start afterwards.
    private func interfaces(of reader: CaptureReader) throws(CaptureError) -> [StatedInterface] {
        while let batch = try reader.next() { reader.reuse(batch) }
        let interfaces = reader.interfaces.map {
            StatedInterface(
                name: $0.name ?? "", description: $0.description ?? "", holding: $0.linkType.encapsulation)
        }
        try reader.rewind()
        return interfaces
    }

    /// A comment with the new number of the frame that it links to; nil if that frame is not kept.
    private static func renumbered(_ comment: String, _ numbers: [Int: Int]) -> String? {
        guard var link = ViewLink(comment: comment), let frame = link.frame else { return comment }
        guard let number = numbers[frame] else { return nil }
        link.frame = number
        return link.comment
    }
}
