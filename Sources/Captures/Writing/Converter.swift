import Bytes

/// Copies a capture into another format.
public enum Converter {
    /// The result of a conversion.
    public struct Report: Sendable {
        public var target: CaptureTarget
        /// Number of packets read.
        public var packetsRead = 0
        /// Number of packets written to the target.
        public var packetsWritten = 0
        /// The information that the target could not hold, by kind.
        public var losses: [ConversionLoss] = []
        /// The problems found in the source.
        public var warnings: [CaptureWarning] = []

        package init(target: CaptureTarget) {
            self.target = target
        }
    }

    /// Begins to decrypt the packets of a capture: the result replaces the packets of its batches, in order, by plain
    /// text. It is called again where the capture is written a second time.
    package typealias Decryption = () -> (inout PacketBatch) -> Void

    /// Writes all remaining packets of `reader` to `path` (`-` is standard output) in `format`.
    ///
    /// Without a link type, it selects the one that preserves the most information of the source. If the source cannot
    /// be read, it writes nothing. `progress` gets the number of packets so far, and returns whether to continue.
    public static func convert(
        _ reader: CaptureReader, to path: String, format: CaptureFormat, linkType: LinkType? = nil,
        progress: (Int) -> Bool = { _ in true }
    ) throws(CaptureError) -> Report {
        try convert(reader, to: path, format: format, linkType: linkType, decryption: nil, progress: progress)
    }

    /// Does the same with the packets that `keeping` selects.
    package static func convert(
        _ reader: CaptureReader, to path: String, format: CaptureFormat, linkType: LinkType?,
        keeping: @escaping (CapturedPacket) -> Bool, progress: (Int) -> Bool = { _ in true }
    ) throws(CaptureError) -> Report {
        try convert(
            reader, to: path, format: format, linkType: linkType, decryption: nil, keeping: keeping, progress: progress)
    }

    /// Does the same, and decrypts packets: the file is accessible for its owner only, and packets on the air have the
    /// link type that can mark them.
    package static func convert(
        _ reader: CaptureReader, to path: String, format: CaptureFormat, linkType: LinkType? = nil,
        decryption: Decryption?, keeping: ((CapturedPacket) -> Bool)? = nil, progress: (Int) -> Bool = { _ in true }
    ) throws(CaptureError) -> Report {
        var batch = try reader.next()
        let source = batch?.packets.first?.encapsulation
        var linkType = linkType
        if decryption != nil, source?.isLinkLayer == true {
            guard linkType ?? .linkLayerWithHeader == .linkLayerWithHeader else {
                throw CaptureError(
                    .wrongTarget, file: path, "only link type 256 can mark packets as decrypted",
                    advice: "leave out the link type, or the keys")
            }
            linkType = .linkLayerWithHeader
        }
        var target = try target(format, linkType, source: source, path: path)
        target.hasNanoseconds = reader.hasNanoseconds
        if path != "-", let identity = FileDescriptor.identity(of: path), reader.reads(identity) {
            throw CaptureError(
                .cannotWrite, file: path, "is the file that is read", advice: "write to another file")
        }
        // The format has no file header: an empty file would not be recognized.
        if batch == nil, target.format == .packetLogger { throw emptyFile(path) }
        var shift = TimeShift(target.format)
        if let first = batch?.packets.first { shift.include(first.time) }
        var report = try write(reader, from: &batch, to: path, target, decryption, keeping, &shift, progress)
        // If the source is a pipe, only the first packet's time is known before writing.
        if shift.isOutdated, reader.isSeekable, path != "-" {
            try reader.rewind()
            batch = try reader.next()
            report = try write(reader, from: &batch, to: path, target, decryption, keeping, &shift, progress)
        }
        report.warnings = reader.warnings
        return report
    }

    /// The error for a PacketLogger file without records.
    private static func emptyFile(_ path: String, _ losses: [ConversionLoss] = []) -> CaptureError {
        let reasons = losses.filter(\.kind.isLeftOut).map { "\($0.count) × \($0.kind.text)" }.joined(separator: ", ")
        return CaptureError(
            .wrongTarget, file: path,
            "no packet to write" + (reasons.isEmpty ? "" : " (\(reasons))")
                + ", and a PacketLogger file without packets cannot be read",
            advice: "write btsnoop, pcap or pcapng")
    }

    /// Writes the packets of a batch and of all later batches.
    private static func write(
        _ reader: CaptureReader, from batch: inout PacketBatch?, to path: String, _ target: CaptureTarget,
        _ decryption: Decryption?, _ keeping: ((CapturedPacket) -> Bool)?, _ shift: inout TimeShift,
        _ progress: (Int) -> Bool
    ) throws(CaptureError) -> Report {
        let writer = try CaptureWriter(path: path, target: target, isPrivate: decryption != nil)
        let decrypt = decryption?()
        writer.timeShift = shift.begin()
        var report = Report(target: target)
        while var current = batch {
            batch = nil
            decrypt?(&current)
            writer.nameInterfaces(reader.interfaces)
            report.packetsRead += current.packets.count
            for packet in current.packets where keeping?(packet) ?? true {
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

    /// Counts the source's content other than packets.
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

/// The seconds by which all times of a capture are shifted for formats without times before 1970 or after 2106.
private struct TimeShift {
    private let isNeeded: Bool
    private var earliest = Int64.max
    private var latest = Int64.min
    /// The shift in use.
    private var used: Int64 = 0

    /// Largest number of seconds in 32 bits.
    private static let limit = Int64(UInt32.max)

    init(_ format: CaptureFormat) {
        switch format {
        case .pcap, .packetLogger: isNeeded = true
        case .btsnoop, .pcapng, .smartRF, .h4Dump, .threeWireDump: isNeeded = false
        }
    }

    /// Includes the time of a packet.
    mutating func include(_ time: Timestamp) {
        earliest = min(earliest, time.nanoseconds)
        latest = max(latest, time.nanoseconds)
    }

    /// The shift for the times seen so far.
    private var seconds: Int64 {
        guard isNeeded, earliest <= latest else { return 0 }
        let (first, last) = (Self.seconds(earliest), Self.seconds(latest))
        if first < 0 { return -first }
        return last > Self.limit ? -min(first, last - Self.limit) : 0
    }

    /// Returns the shift for the times seen so far, and records that it is in use.
    mutating func begin() -> Int64 {
        used = seconds
        return used
    }

    /// Whether later times require another shift.
    var isOutdated: Bool { used != seconds }

    /// Whole seconds since 1970, rounded down, also before 1970.
    private static func seconds(_ nanoseconds: Int64) -> Int64 {
        let (quotient, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return rest < 0 ? quotient - 1 : quotient
    }
}
