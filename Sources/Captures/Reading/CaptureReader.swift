import Bytes

/// Reads a capture of any format in constant memory, one batch of packets at a time. The content determines the format.
public final class CaptureReader {
    /// Path of the file, or "standard input".
    public var file: String { source.name }
    /// Whether the file is compressed with gzip.
    package var isCompressed: Bool { source.isCompressed }
    /// The format recognised from the content.
    public var format: CaptureFormat { framer.format }
    /// Whether `rewind` can start a second pass over the same packets.
    public var isSeekable: Bool { source.isSeekable }
    /// Number of bytes to read at a time, which is the approximate size of a batch.
    public var chunkSize: Int {
        get { source.chunkSize }
        set { source.chunkSize = max(4096, newValue) }
    }
    /// Whether times may be finer than a microsecond, based on the headers read so far.
    public var hasNanoseconds: Bool { framer.hasNanoseconds }
    /// The interfaces read so far from a pcapng file.
    public var interfaces: [CaptureInterface] { framer.interfaces }
    /// The problems found so far, up to `CaptureLimit.warnings`; the other packets were read.
    public private(set) var warnings: [CaptureWarning] = []
    /// Number of warnings beyond the kept ones.
    public private(set) var furtherWarnings = 0
    /// The reason why the end of the capture was not read: it or its compressed data are corrupt. Nil if everything was
    /// read, except for a truncated last record, as in a log copied while it was being written.
    package private(set) var incompleteness: CaptureWarning?
    /// Skipped records that are not packets, by kind, e.g. "Name Resolution Block".
    public private(set) var skippedRecords: [String: Int] = [:]
    /// Number of the last frame, counting the skipped packets of interfaces with other link types.
    public private(set) var frameCount = 0

    /// Number of bytes read: stored bytes of a file, framed bytes of a pipe.
    package var bytesRead: Int { source.position?.read ?? progress.offset }
    /// Size of the file in bytes; nil if unknown, as for a pipe.
    package var size: Int? { source.position?.of }

    private let source: ByteSource
    private let stated: StatedContent?
    private var framer: any RecordFramer
    private var progress: Progress
    private var directions = RecorderDirections()
    /// Empty batches whose memory can be reused.
    private var spare: [PacketBatch] = []
    /// Maximum number of spare batches.
    private static let spareLimit = 8

    /// The state of reading.
    fileprivate struct Progress: Sendable {
        /// Bytes read but not yet framed.
        var tail: [UInt8]
        /// Whether `tail` has not been examined yet.
        var isTailFresh = true
        /// Offset of `tail` in the content.
        var offset = 0
        /// Bytes to skip before the next record.
        var skip = 0
        /// Number of bytes needed for the next record, and its description.
        var awaited: (count: Int, what: StaticString) = (1, "record")
        var hasDelivered = false
        /// Whether the framer of a dump knows that the content has ended.
        var isAtEnd = false
        var isFinished = false
    }

    /// Opens the file at `path`; `-` is standard input.
    public convenience init(path: String) throws(CaptureError) {
        try self.init(source: ByteSource(path: path))
    }

    /// Like `init(path:)`. When a pipe has delivered nothing for 200 ms, the reader calls `goesOn`; false ends the
    /// capture.
    package convenience init(path: String, goesOn: @escaping () -> Bool) throws(CaptureError) {
        try self.init(source: ByteSource(path: path, goesOn: goesOn))
    }

    /// Recognises the format from the first bytes of `source`.
    public convenience init(source: ByteSource) throws(CaptureError) {
        try self.init(source: source, as: nil)
    }

    /// Like `init(source:)`. What is stated counts for content without a known format, and for link types for private
    /// use.
    package init(source: ByteSource, as stated: StatedContent?) throws(CaptureError) {
        self.source = source
        self.stated = stated
        (framer, progress) = try Self.recognize(source, stated)
    }

    private static func recognize(
        _ source: ByteSource, _ stated: StatedContent?
    ) throws(CaptureError) -> (any RecordFramer, Progress) {
        var start: [UInt8] = []
        try source.append(to: &start, atLeast: FormatRecognition.needed)
        while let wanted = FormatRecognition.wanted(after: start), wanted > start.count {
            let count = start.count
            try source.append(to: &start, atLeast: wanted - count)
            if start.count == count { break }
        }
        return (try FormatRecognition.framer(for: start, of: source, as: stated), Progress(tail: start))
    }

    /// The next packets; nil at the end. Packets of a live capture are returned as soon as they arrive.
    ///
    /// It throws only if no packet has been read yet. A later problem ends the capture with a warning.
    public func next() throws(CaptureError) -> PacketBatch? {
        while !progress.isFinished {
            var batch = spare.popLast() ?? PacketBatch()
            try fill(&batch.bytes)
            guard !progress.isFinished else { break }
            try frame(&batch)
            if !batch.packets.isEmpty { return batch }
            reuse(batch)
        }
        return nil
    }

    /// Recycles a batch that is no longer used. Its memory is reused, so that the operating system need not allocate
    /// and clear new memory.
    public func reuse(_ batch: consuming PacketBatch) {
        guard spare.count < Self.spareLimit else { return }
        batch.removeAll()
        spare.append(batch)
    }

    /// Restarts at the first packet; only if `isSeekable`.
    public func rewind() throws(CaptureError) {
        try source.rewind()
        (framer, progress) = try Self.recognize(source, stated)
        (frameCount, furtherWarnings, warnings, skippedRecords) = (0, 0, [], [:])
        incompleteness = nil
        directions = RecorderDirections()
    }

    /// A position in a capture, with the state needed to resume there.
    package struct Position: Sendable {
        fileprivate let framer: any RecordFramer
        fileprivate let progress: Progress
        fileprivate let directions: RecorderDirections
        fileprivate let frameCount: Int

        /// Offset in the content of the next record.
        package var offset: Int { progress.offset + progress.skip }
    }

    /// The current position. `move(to:)` resumes there, in this reader or in another reader of the same file.
    package var position: Position {
        var progress = progress
        // These bytes are read again.
        progress.tail = []
        progress.isTailFresh = false
        progress.isAtEnd = false
        progress.isFinished = false
        return Position(framer: framer, progress: progress, directions: directions, frameCount: frameCount)
    }

    /// Resumes at a position; only if the file `isSeekable` and is not compressed. If the file has grown, the new bytes
    /// are read too.
    package func move(to position: Position) throws(CaptureError) {
        try source.move(to: position.progress.offset)
        (framer, progress) = (position.framer, position.progress)
        (directions, frameCount) = (position.directions, position.frameCount)
    }

    /// Whether it reads the regular file at a path, whatever its name.
    package func reads(fileAt path: String) -> Bool {
        path != "-" && FileDescriptor.identity(of: path).map { reads($0) } ?? false
    }

    func reads(_ identity: FileDescriptor.Identity) -> Bool { source.isSameFile(as: identity) }

    /// Fills `bytes` with the unframed bytes and new ones; ends the capture at the end of the source.
    private func fill(_ bytes: inout [UInt8]) throws(CaptureError) {
        bytes += progress.tail
        if progress.isTailFresh {
            progress.isTailFresh = false
            return
        }
        let missing = max(1, progress.awaited.count - progress.tail.count)
        do {
            try source.append(to: &bytes, atLeast: missing)
        } catch {
            return try finish(with: error)
        }
        guard bytes.count == progress.tail.count else { return }
        if framer.isDump, !progress.isAtEnd {
            progress.isAtEnd = true
        } else {
            try finishAtEnd()
        }
    }

    /// Frames the packets in a batch's bytes.
    private func frame(_ batch: inout PacketBatch) throws(CaptureError) {
        let count = batch.bytes.count
        let passedOver = min(progress.skip, count)
        progress.skip -= passedOver
        var pass = FramingPass(
            position: passedOver, number: frameCount, offset: progress.offset, file: file, isAtEnd: progress.isAtEnd)
        swap(&pass.packets, &batch.packets)
        framer.frame(batch.bytes.span.rawBytes, &pass)
        batch.bytes += pass.made
        correctDirections(of: &pass.packets, in: batch.bytes.span.rawBytes)
        swap(&pass.packets, &batch.packets)
        batch.comments = pass.comments

        let end = min(pass.position, count)
        progress.skip += pass.position - end
        progress.offset += end
        progress.tail.removeAll(keepingCapacity: true)
        progress.tail += batch.bytes[end..<count]
        progress.awaited = (pass.needed, pass.awaited)
        frameCount = pass.number
        for warning in pass.warnings { add(warning) }
        skippedRecords.merge(pass.skipped, uniquingKeysWith: +)
        progress.hasDelivered = progress.hasDelivered || !batch.packets.isEmpty
        if let fault = pass.fault { try finish(with: fault) }
    }

    /// Reverses directions that were recorded from the controller's point of view, and warns about it.
    private func correctDirections(of packets: inout [CapturedPacket], in bytes: RawSpan) {
        let reversed = directions.correct(&packets, in: bytes, hasOneAdapter: framer.interfaces.count <= 1)
        for packet in reversed {
            let (type, recorded) = packet.direction == .sent ? ("event", "sent") : ("command", "received")
            add(
                CaptureWarning(
                    file: file, "the \(type) of frame \(packet.number) was recorded as \(recorded)",
                    advice: "the directions of its adapter are read reversed"))
        }
    }

    /// Ends the capture at a fault. Throws it if no packet was delivered before; otherwise adds a warning.
    private func finish(with fault: CaptureError, isAtEnd: Bool = false) throws(CaptureError) {
        progress.isFinished = true
        progress.tail = []
        guard progress.hasDelivered else { throw fault }
        add(fault.finding)
        if !isAtEnd { incompleteness = fault.finding }
    }

    /// Ends the capture at the end of its bytes.
    private func finishAtEnd() throws(CaptureError) {
        let compressionWarning = source.compressionWarning
        if let compressionWarning { add(compressionWarning) }
        if source.isCompressionIncomplete { incompleteness = compressionWarning }
        if !progress.tail.isEmpty || progress.skip > 0 {
            let (needed, what) = progress.skip > 0 ? (progress.skip, "rest of a block") : progress.awaited
            try finish(
                with: CaptureError(
                    .damaged, file: file, offset: progress.offset,
                    "the \(what) needs \(needed) bytes, \(progress.tail.count) are left",
                    advice: compressionWarning == nil
                        ? "the file is truncated or still being written; the part before was read" : ""),
                isAtEnd: true)
        }
        progress.isFinished = true
        guard !progress.hasDelivered else { return }
        let foreign = interfaces.filter { $0.skippedPackets > 0 }
        if let interface = foreign.first {
            throw CaptureError(
                .unsupported, file: file, interface.linkType.refusal,
                advice: interface.linkType.advice)
        }
        if let compressionWarning { throw CaptureError(.damaged, compressionWarning) }
        if framer.lacksAdapter {
            throw CaptureError(
                .unsupported, file: file, "no Bluetooth adapter among the USB devices",
                advice: "record from before the adapter is plugged in, so that its descriptors are in the capture")
        }
        if framer.isDump {
            throw CaptureError(
                .notACapture, file: file, "no packet of \(format.name) was found",
                advice: "a dump has what one line of the UART carried, and nothing else")
        }
    }

    private func add(_ warning: CaptureWarning) {
        if warnings.count < CaptureLimit.warnings {
            warnings.append(warning)
        } else {
            furtherWarnings += 1
        }
    }
}
