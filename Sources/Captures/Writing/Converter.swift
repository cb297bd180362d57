import Bytes

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
        // Such a file has no header: nothing would recognize one without a record.
        if batch == nil, target.format == .packetLogger { throw emptyFile(path) }
        var shift = TimeShift(target.format)
        if let first = batch?.packets.first { shift.include(first.time) }
        var report = try write(reader, from: &batch, to: path, target, &shift, progress)
        // Of a pipe, only the first packet's time is known before all are written.
        if shift.isOutdated, reader.isSeekable, path != "-" {
            try reader.rewind()
            batch = try reader.next()
            report = try write(reader, from: &batch, to: path, target, &shift, progress)
        }
        report.warnings = reader.warnings
        return report
    }

    /// The refusal of a PacketLogger file without a record.
    private static func emptyFile(_ path: String, _ losses: [ConversionLoss] = []) -> CaptureError {
        let reasons = losses.filter(\.kind.isLeftOut).map { "\($0.count) × \($0.kind.text)" }.joined(separator: ", ")
        return CaptureError(
            .wrongTarget, file: path,
            "no packet to write" + (reasons.isEmpty ? "" : " (\(reasons))")
                + ", and a PacketLogger file without packets cannot be read",
            advice: "write btsnoop, pcap or pcapng")
    }

    /// Writes the packets of a batch and of those after it.
    private static func write(
        _ reader: CaptureReader, from batch: inout PacketBatch?, to path: String, _ target: CaptureTarget,
        _ shift: inout TimeShift, _ progress: (Int) -> Bool
    ) throws(CaptureError) -> Report {
        let writer = try CaptureWriter(path: path, target: target)
        writer.timeShift = shift.begin()
        var report = Report(target: target)
        while let current = batch {
            writer.nameInterfaces(reader.interfaces)
            report.packetsRead += current.packets.count
            for packet in current.packets {
                shift.include(packet.time)
                try writer.write(packet, of: current)
            }
            batch = progress(report.packetsRead) ? try reader.next() : nil
        }
        try writer.flush()
        addRemainingLosses(of: reader, to: writer)
        if writer.packetCount == 0, target.format == .packetLogger {
            writer.removeFile()
            throw emptyFile(path, writer.losses)
        }
        report.packetsWritten = writer.packetCount
        report.losses = writer.losses
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

/// The seconds by which all times of a capture are moved for a format that has no times before 1970 or after 2106.
private struct TimeShift {
    private let isNeeded: Bool
    private var earliest = Int64.max
    private var latest = Int64.min
    /// The shift that is being written.
    private var used: Int64 = 0

    /// Seconds that 32 bits hold.
    private static let limit = Int64(UInt32.max)

    init(_ format: CaptureFormat) {
        switch format {
        case .pcap, .packetLogger: isNeeded = true
        case .btsnoop, .pcapng: isNeeded = false
        }
    }

    /// Takes the time of a packet into account.
    mutating func include(_ time: Timestamp) {
        earliest = min(earliest, time.nanoseconds)
        latest = max(latest, time.nanoseconds)
    }

    /// The shift for the times that are known so far.
    private var seconds: Int64 {
        guard isNeeded, earliest <= latest else { return 0 }
        let (first, last) = (Self.seconds(earliest), Self.seconds(latest))
        if first < 0 { return -first }
        return last > Self.limit ? -min(first, last - Self.limit) : 0
    }

    /// Begins to write with the shift that is known.
    mutating func begin() -> Int64 {
        used = seconds
        return used
    }

    /// Whether other times than those that were known ask for another shift.
    var isOutdated: Bool { used != seconds }

    /// Whole seconds since 1970, of times before that too.
    private static func seconds(_ nanoseconds: Int64) -> Int64 {
        let (quotient, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return rest < 0 ? quotient - 1 : quotient
    }
}
