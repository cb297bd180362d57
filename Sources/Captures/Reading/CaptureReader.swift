import Bytes

/// Reads a capture of any format, told by its content, in constant memory: a batch of packets at a time.
public final class CaptureReader {
    /// Path of the file, or "standard input".
    public var file: String { source.name }
    /// Whether the file is packed with gzip.
    package var isCompressed: Bool { source.isCompressed }
    /// The format that the content was recognised as.
    public var format: CaptureFormat { framer.format }
    /// Whether `rewind` is possible: a second pass over the same packets.
    public var isSeekable: Bool { source.isSeekable }
    /// Bytes that are read at a time, and so about the bytes of a batch.
    public var chunkSize: Int {
        get { source.chunkSize }
        set { source.chunkSize = max(4096, newValue) }
    }
    /// Whether times may be finer than a microsecond, as far as the file has told.
    public var hasNanoseconds: Bool { framer.hasNanoseconds }
    /// The interfaces that a pcapng file has told of so far.
    public var interfaces: [CaptureInterface] { framer.interfaces }
    /// What was wrong so far, with the part that could be read; the first `CaptureLimit.warnings`.
    public private(set) var warnings: [CaptureWarning] = []
    /// Warnings beyond those that are kept.
    public private(set) var furtherWarnings = 0
    /// Why the end of the capture was not read: it is corrupt, or its compressed data are; nil where all was read but for
    /// a last record that is truncated, as in a log that was copied while it was written.
    package private(set) var incompleteness: CaptureWarning?
    /// Records by kind that are no packets and were passed over, e.g. "Name Resolution Block".
    public private(set) var skippedRecords: [String: Int] = [:]
    /// Number of the last frame; passed-over packets of foreign interfaces are counted.
    public private(set) var frameCount = 0

    /// Bytes that were read: of a file as they are stored, of a pipe those of its records.
    package var bytesRead: Int { source.position?.read ?? progress.offset }
    /// Bytes of the file; nil where there is no end, as of a pipe.
    package var size: Int? { source.position?.of }

    private let source: ByteSource
    private var framer: any RecordFramer
    private var progress: Progress
    private var directions = RecorderDirections()
    /// Empty batches with the memory of earlier ones.
    private var spare: [PacketBatch] = []
    /// Batches that are kept for their memory.
    private static let spareLimit = 8

    /// How far reading has come.
    fileprivate struct Progress: Sendable {
        /// Bytes that were read and not framed.
        var tail: [UInt8]
        /// Whether `tail` has not been looked at.
        var isTailFresh = true
        /// Offset of `tail` in the content.
        var offset = 0
        /// Bytes to pass over before the next record.
        var skip = 0
        /// Bytes that the next record needs, and what they are.
        var awaited: (count: Int, what: StaticString) = (1, "record")
        var hasDelivered = false
        var isFinished = false
    }

    /// Opens the file at `path`; `-` is standard input.
    public convenience init(path: String) throws(CaptureError) {
        try self.init(source: ByteSource(path: path))
    }

    /// The same; `goesOn` is asked whenever a pipe has given nothing for a fifth of a second, and ends the capture.
    package convenience init(path: String, goesOn: @escaping () -> Bool) throws(CaptureError) {
        try self.init(source: ByteSource(path: path, goesOn: goesOn))
    }

    /// Recognises the format of what `source` gives.
    public init(source: ByteSource) throws(CaptureError) {
        self.source = source
        (framer, progress) = try Self.recognize(source)
    }

    private static func recognize(_ source: ByteSource) throws(CaptureError) -> (any RecordFramer, Progress) {
        var start: [UInt8] = []
        try source.append(to: &start, atLeast: FormatRecognition.needed)
        while let wanted = FormatRecognition.wanted(after: start), wanted > start.count {
            let count = start.count
            try source.append(to: &start, atLeast: wanted - count)
            if start.count == count { break }
        }
        return (try FormatRecognition.framer(for: start, of: source), Progress(tail: start))
    }

    /// The next packets; nil at the end. As soon as something of a live capture is there, it is handed on.
    ///
    /// It throws only while nothing has been read: what is wrong later ends the capture, with a warning.
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

    /// Takes back a batch that nobody looks at any more: a later one comes in its memory, which the operating system
    /// need not hand out and clear anew.
    public func reuse(_ batch: consuming PacketBatch) {
        guard spare.count < Self.spareLimit else { return }
        batch.removeAll()
        spare.append(batch)
    }

    /// Goes back to the first packet; only for a reader that `isSeekable`.
    public func rewind() throws(CaptureError) {
        try source.rewind()
        (framer, progress) = try Self.recognize(source)
        (frameCount, furtherWarnings, warnings, skippedRecords) = (0, 0, [], [:])
        incompleteness = nil
        directions = RecorderDirections()
    }

    /// How far a reader has come, with what it needs to go on from there.
    package struct Position: Sendable {
        fileprivate let framer: any RecordFramer
        fileprivate let progress: Progress
        fileprivate let directions: RecorderDirections
        fileprivate let frameCount: Int

        /// Offset in the content of the next record.
        package var offset: Int { progress.offset + progress.skip }
    }

    /// How far it has come: `move(to:)` goes on there, in this reader or in another one of the same file.
    package var position: Position {
        var progress = progress
        // They are read again.
        progress.tail = []
        progress.isTailFresh = false
        progress.isFinished = false
        return Position(framer: framer, progress: progress, directions: directions, frameCount: frameCount)
    }

    /// Goes to a position; only for a reader of a file that `isSeekable` and is not compressed. What comes after the end of
    /// a file that has grown is read then.
    package func move(to position: Position) throws(CaptureError) {
        try source.move(to: position.progress.offset)
        (framer, progress) = (position.framer, position.progress)
        (directions, frameCount) = (position.directions, position.frameCount)
    }

    /// Whether the capture is the file `identity`.
    func reads(_ identity: FileDescriptor.Identity) -> Bool { source.isSameFile(as: identity) }

    /// Fills `bytes` with those that are not framed and more; ends the capture where there are no more.
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
        if bytes.count == progress.tail.count { try finishAtEnd() }
    }

    /// Finds the packets in a batch's bytes.
    private func frame(_ batch: inout PacketBatch) throws(CaptureError) {
        let count = batch.bytes.count
        let passedOver = min(progress.skip, count)
        progress.skip -= passedOver
        var pass = FramingPass(position: passedOver, number: frameCount, offset: progress.offset, file: file)
        swap(&pass.packets, &batch.packets)
        framer.frame(batch.bytes.span.rawBytes, &pass)
        correctDirections(of: &pass.packets, in: batch.bytes.span.rawBytes)
        swap(&pass.packets, &batch.packets)
        batch.comments = pass.comments

        let end = min(pass.position, count)
        progress.skip += pass.position - end
        progress.offset += end
        progress.tail.removeAll(keepingCapacity: true)
        progress.tail += batch.bytes[end...]
        progress.awaited = (pass.needed, pass.awaited)
        frameCount = pass.number
        for warning in pass.warnings { add(warning) }
        skippedRecords.merge(pass.skipped, uniquingKeysWith: +)
        progress.hasDelivered = progress.hasDelivered || !batch.packets.isEmpty
        if let fault = pass.fault { try finish(with: fault) }
    }

    /// Reverses directions that the recorder wrote as the controller sees them, with a warning.
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

    /// Ends the capture at a fault, which is an error if there is nothing before it.
    private func finish(with fault: CaptureError, isAtEnd: Bool = false) throws(CaptureError) {
        progress.isFinished = true
        progress.tail = []
        guard progress.hasDelivered else { throw fault }
        add(fault.finding)
        if !isAtEnd { incompleteness = fault.finding }
    }

    /// Ends the capture where its bytes end.
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
    }

    private func add(_ warning: CaptureWarning) {
        if warnings.count < CaptureLimit.warnings {
            warnings.append(warning)
        } else {
            furtherWarnings += 1
        }
    }
}
