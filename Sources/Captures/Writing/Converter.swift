/// Copies a capture into another format.
public enum Converter {
    /// What a conversion did.
    public struct Report: Sendable {
        public var target: CaptureTarget
        /// Packets that were read.
        public var packetsRead = 0
        /// Packets that are in the target.
        public var packetsWritten = 0
        /// What the target could not hold, by kind.
        public var losses: [ConversionLoss] = []
        /// What was wrong with the source.
        public var warnings: [CaptureWarning] = []
    }

    /// Writes all that `reader` still gives to `path` (`-` is standard output), in `format`.
    ///
    /// Without a link type the one is taken that holds most of what the source tells. Nothing is written where the
    /// source cannot be read. `progress` gets the number of packets so far, and returns whether to go on.
    public static func convert(
        _ reader: CaptureReader, to path: String, format: CaptureFormat, linkType: LinkType? = nil,
        progress: (Int) -> Bool = { _ in true }
    ) throws(CaptureError) -> Report {
        var batch = try reader.next()
        var target = try target(format, linkType, source: batch?.packets.first?.encapsulation, path: path)
        target.hasNanoseconds = reader.hasNanoseconds
        if path != "-", let identity = FileDescriptor.identity(of: path), reader.reads(identity) {
            throw CaptureError(
                .cannotWrite, file: path, "is the file that is read", advice: "write to another file")
        }
        let writer = try CaptureWriter(path: path, target: target)
        var report = Report(target: target)
        while let current = batch {
            writer.nameInterfaces(reader.interfaces)
            report.packetsRead += current.packets.count
            for packet in current.packets { try writer.write(packet, of: current) }
            batch = progress(report.packetsRead) ? try reader.next() : nil
        }
        try writer.flush()
        addRemainingLosses(of: reader, to: writer)
        report.packetsWritten = writer.packetCount
        report.losses = writer.losses
        report.warnings = reader.warnings
        return report
    }

    private static func target(
        _ format: CaptureFormat, _ linkType: LinkType?, source: Encapsulation?, path: String
    ) throws(CaptureError) -> CaptureTarget {
        let wanted = linkType.map { CaptureTarget(format, linkType: $0) } ?? CaptureTarget(format, holding: source)
        if let target = wanted {
            guard let source, source.isLinkLayer != target.encapsulation.isLinkLayer else { return target }
            let fitting = CaptureTarget.linkTypes(of: format).filter { type in
                CaptureTarget(format, linkType: type)?.encapsulation.isLinkLayer == source.isLinkLayer
            }
            let kind = source.isLinkLayer ? "link layer packets" : "HCI packets"
            let advice =
                fitting.isEmpty
                ? "\(format.name) holds no \(kind); write pcap or pcapng"
                : "link types that can: \(fitting.map(\.label).joined(separator: ", "))"
            throw CaptureError(
                .wrongTarget, file: path,
                "\(format.name) with link type \(target.linkType.label) cannot hold the \(kind) of the source",
                advice: advice)
        }
        let possible = CaptureTarget.linkTypes(of: format).map(\.label).joined(separator: ", ")
        throw CaptureError(
            .wrongTarget, file: path,
            "\(format.name) is not written with \(linkType.map(Self.title) ?? "the link type of the source")",
            advice: "link types that are: \(possible)")
    }

    private static func title(_ linkType: LinkType) -> String {
        linkType.name == nil ? linkType.label : "link type \(linkType.label)"
    }

    /// What the source holds beside packets.
    private static func addRemainingLosses(of reader: CaptureReader, to writer: CaptureWriter) {
        for (name, count) in reader.skippedRecords { writer.add(.block(name), count: count) }
        for interface in reader.interfaces where interface.skippedPackets > 0 {
            writer.add(.foreignPacket(interface.linkType), count: interface.skippedPackets)
        }
        let named = reader.interfaces.count {
            $0.description != nil || $0.name != nil && writer.target.format != .pcapng
        }
        if named > 0 { writer.add(.interfaceName, count: named) }
    }
}
