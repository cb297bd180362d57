public import Bytes

/// Writes packets to a capture file, buffered. Information that the format cannot hold is counted in `losses`.
public final class CaptureWriter {
    /// Path of the file, or "standard output".
    public let file: String
    public let target: CaptureTarget
    /// Number of packets written.
    public private(set) var packetCount = 0
    /// Number of bytes written, including buffered bytes.
    public var byteCount: Int { flushedBytes + output.bytes.count }

    private let descriptor: FileDescriptor
    private var writer: any RecordWriter
    /// One for each stated interface, else one for all packets.
    private var repackagers: [Repackager]
    private var output = OutputBuffer()
    private var lossCounter = LossCounter()
    private var flushedBytes = 0
    /// Seconds added to all times.
    var timeShift: Int64 = 0
    /// Packets that the capture tool dropped since the last written packet.
    private var drops = 0

    private static let bufferSize = 256 * 1024

    /// Creates the file at `path`, or truncates it; `-` is standard output.
    public convenience init(path: String, target: CaptureTarget) throws(CaptureError) {
        try self.init(path: path, target: target, isPrivate: false)
    }

    /// - Parameter isPrivate: whether only the file's owner can access it.
    package init(path: String, target: CaptureTarget, isPrivate: Bool) throws(CaptureError) {
        guard CaptureFormat.writable.contains(target.format) else {
            throw CaptureError(
                .wrongTarget, file: path, "\(target.format.name) is not written",
                advice: "the formats are \(CaptureFormat.names.joined(separator: ", "))")
        }
        file = path == "-" ? "standard output" : path
        self.target = target
        do throws(SystemError) {
            descriptor =
                try path == "-"
                ? FileDescriptor.standardOutput
                : isPrivate ? FileDescriptor.writingPrivately(path) : FileDescriptor.writing(path)
        } catch {
            throw CaptureError(.cannotWrite, file: path, error.text, advice: error.advice)
        }
        writer =
            switch target.format {
            case .btsnoop: BtsnoopWriter(isMonitor: target.encapsulation == .monitor)
            case .packetLogger: PacketLoggerWriter()
            case .pcap: PcapWriter(linkType: target.linkType, hasNanoseconds: target.hasNanoseconds)
            case .pcapng, .smartRF, .h4Dump, .threeWireDump: PcapngWriter(linkType: target.linkType)
            }
        repackagers = [Repackager(to: target)]
        writer.begin(&output)
    }

    /// Creates a pcapng file at `path`, or truncates it; its interfaces, one at least, are stated.
    package init(path: String, interfaces: [StatedInterface]) throws(CaptureError) {
        file = path == "-" ? "standard output" : path
        target = interfaces.first?.target ?? CaptureTarget(.pcapng, holding: nil)
        do throws(SystemError) {
            descriptor = try path == "-" ? FileDescriptor.standardOutput : FileDescriptor.writing(path)
        } catch {
            throw CaptureError(.cannotWrite, file: path, error.text, advice: error.advice)
        }
        writer = PcapngWriter(interfaces)
        repackagers = interfaces.map { Repackager(to: $0.target) }
        writer.begin(&output)
    }

    /// The information that the file could not hold so far.
    public var losses: [ConversionLoss] { lossCounter.all }

    /// Writes a packet of `batch` in the target's encapsulation.
    public func write(_ packet: CapturedPacket, of batch: PacketBatch) throws(CaptureError) {
        let bytes = batch.bytes
        if packet.followsDrop {
            drops += Int(packet.drops)
            if !target.format.countsDrops { lossCounter.add(.drops, frame: packet.number) }
        }
        guard var outgoing = repackagers[0].repack(packet, bytes.span.rawBytes, &lossCounter) else { return }
        if timeShift != 0 {
            outgoing.time = outgoing.time + .seconds(timeShift)
            lossCounter.add(.timesShifted(seconds: timeShift), frame: packet.number)
        }
        outgoing.comments = batch.comments(of: packet)
        if !outgoing.comments.isEmpty, target.format != .pcapng { lossCounter.add(.comment, frame: packet.number) }
        swap(&outgoing.drops, &drops)
        writer.write(outgoing, header: repackagers[0].header, body: bytes, &output, &lossCounter)
        packetCount += 1
        if output.bytes.count >= Self.bufferSize { try flush() }
    }

    /// Writes a packet of `batch` on a stated interface, with these comments instead of its own; returns whether the
    /// interface can hold it.
    @discardableResult
    package func write(
        _ packet: CapturedPacket, of batch: PacketBatch, on interface: Int, comments: [String]
    ) throws(CaptureError) -> Bool {
        let bytes = batch.bytes
        guard var outgoing = repackagers[interface].repack(packet, bytes.span.rawBytes, &lossCounter) else {
            return false
        }
        outgoing.adapter = UInt16(truncatingIfNeeded: interface)
        outgoing.comments = comments
        outgoing.drops = Int(packet.drops)
        var header = repackagers[interface].header
        // A monitor record begins with its adapter: that of its interface, as two inputs may have the same.
        if repackagers[interface].isMonitor, header.count >= 2 {
            (header[0], header[1]) = (UInt8(truncatingIfNeeded: interface >> 8), UInt8(truncatingIfNeeded: interface))
        }
        writer.write(outgoing, header: header, body: bytes, &output, &lossCounter)
        packetCount += 1
        if output.bytes.count >= Self.bufferSize { try flush() }
        return true
    }

    /// Writes an HCI packet in H4 framing, as a transport carries it, with a comment if the format supports comments.
    public func write(
        h4 packet: [UInt8], direction: Direction, adapter: UInt16 = 0, time: Timestamp, comment: String? = nil
    ) throws(CaptureError) {
        let captured = CapturedPacket(
            number: packetCount + 1, time: time, encapsulation: .h4, direction: direction, adapter: adapter,
            originalLength: packet.count, start: 0, count: packet.count, comment: comment == nil ? -1 : 0)
        var batch = PacketBatch(bytes: packet, packets: [captured])
        if let comment { batch.comments = [[comment]] }
        try write(captured, of: batch)
    }

    /// Writes a Link Layer packet with the pseudo-header of link type 256.
    public func write(linkLayer packet: [UInt8], time: Timestamp) throws(CaptureError) {
        let captured = CapturedPacket(
            number: packetCount + 1, time: time, encapsulation: .linkLayerWithHeader, originalLength: packet.count,
            start: 0, count: packet.count)
        try write(captured, of: PacketBatch(bytes: packet, packets: [captured]))
    }

    /// Passes the buffered bytes to the operating system. Call it after each packet of a live recording, and at the
    /// end.
    public func flush() throws(CaptureError) {
        do throws(SystemError) {
            try descriptor.write(output.bytes)
        } catch {
            throw CaptureError(.cannotWrite, file: file, error.text, advice: error.advice)
        }
        flushedBytes += output.bytes.count
        output.removeAll()
    }

    /// Removes the output if it is a regular file.
    func removeFile() {
        guard (try? descriptor.status().kind) == .regular, Folder.linkTarget(of: file) == nil else { return }
        try? Folder.remove(file)
    }

    /// Counts a loss that belongs to no packet.
    func add(_ kind: ConversionLoss.Kind, count: Int) {
        lossCounter.add(kind, frame: nil, count: count)
    }

    /// Names the interfaces of a pcapng target after the source's interfaces of all sections so far.
    func nameInterfaces(_ interfaces: [CaptureInterface]) {
        guard var pcapng = writer as? PcapngWriter, pcapng.interfaceNames.count < interfaces.count else { return }
        pcapng.interfaceNames = interfaces.map(\.name)
        writer = pcapng
    }
}
