import Bytes

/// Reads a capture of any format, told by its content, in constant memory: a batch of packets at a time.
public final class CaptureReader {
    /// Path of the file, or "standard input".
    public var file: String { source.name }
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
    /// Records by kind that are no packets and were passed over, e.g. "Name Resolution Block".
    public private(set) var skippedRecords: [String: Int] = [:]
    /// Number of the last frame; passed-over packets of foreign interfaces are counted.
    public private(set) var frameCount = 0

    private let source: ByteSource
    private var framer: any RecordFramer
    private var progress: Progress

    /// How far reading has come.
    private struct Progress {
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

    /// Recognises the format of what `source` gives.
    public init(source: ByteSource) throws(CaptureError) {
        self.source = source
        (framer, progress) = try Self.recognize(source)
    }

    private static func recognize(_ source: ByteSource) throws(CaptureError) -> (any RecordFramer, Progress) {
        let start = try source.bytes(after: [], atLeast: FormatRecognition.needed)
        return (try FormatRecognition.framer(for: start, of: source), Progress(tail: start))
    }

    /// The next packets; nil at the end. As soon as something of a live capture is there, it is handed on.
    ///
    /// It throws only while nothing has been read: what is wrong later ends the capture, with a warning.
    public func next() throws(CaptureError) -> PacketBatch? {
        while !progress.isFinished {
            let buffer = try nextBuffer()
            guard !progress.isFinished else { break }
            if let batch = try frame(buffer) { return batch }
        }
        return nil
    }

    /// Goes back to the first packet; only for a reader that `isSeekable`.
    public func rewind() throws(CaptureError) {
        try source.rewind()
        (framer, progress) = try Self.recognize(source)
        (frameCount, furtherWarnings, warnings, skippedRecords) = (0, 0, [], [:])
    }

    /// Whether the capture is the file `identity`.
    func reads(_ identity: FileDescriptor.Identity) -> Bool { source.isSameFile(as: identity) }

    /// The bytes that are not framed and more; ends the capture where there are no more.
    private func nextBuffer() throws(CaptureError) -> [UInt8] {
        if progress.isTailFresh {
            progress.isTailFresh = false
            return progress.tail
        }
        let missing = max(1, progress.awaited.count - progress.tail.count)
        let buffer: [UInt8]
        do {
            buffer = try source.bytes(after: progress.tail, atLeast: missing)
        } catch {
            try finish(with: error)
            return []
        }
        if buffer.count == progress.tail.count { try finishAtEnd() }
        return buffer
    }

    private func frame(_ buffer: [UInt8]) throws(CaptureError) -> PacketBatch? {
        let passedOver = min(progress.skip, buffer.count)
        progress.skip -= passedOver
        var pass = FramingPass(position: passedOver, number: frameCount, offset: progress.offset, file: file)
        framer.frame(buffer.span.rawBytes, &pass)

        let end = min(pass.position, buffer.count)
        progress.skip += pass.position - end
        progress.offset += end
        progress.tail = Array(buffer[end...])
        progress.awaited = (pass.needed, pass.awaited)
        frameCount = pass.number
        for warning in pass.warnings { add(warning) }
        skippedRecords.merge(pass.skipped, uniquingKeysWith: +)
        progress.hasDelivered = progress.hasDelivered || !pass.packets.isEmpty
        if let fault = pass.fault { try finish(with: fault) }
        guard !pass.packets.isEmpty else { return nil }
        return PacketBatch(bytes: buffer, packets: pass.packets, comments: pass.comments)
    }

    /// Ends the capture at a fault, which is an error if there is nothing before it.
    private func finish(with fault: CaptureError) throws(CaptureError) {
        progress.isFinished = true
        progress.tail = []
        guard progress.hasDelivered else { throw fault }
        add(fault.finding)
    }

    /// Ends the capture where its bytes end.
    private func finishAtEnd() throws(CaptureError) {
        let compressionWarning = source.compressionWarning
        if let compressionWarning { add(compressionWarning) }
        if !progress.tail.isEmpty || progress.skip > 0 {
            let (needed, what) = progress.skip > 0 ? (progress.skip, "rest of a block") : progress.awaited
            try finish(
                with: CaptureError(
                    .damaged, file: file, offset: progress.offset,
                    "the \(what) needs \(needed) bytes, \(progress.tail.count) are left",
                    advice: compressionWarning == nil
                        ? "the file was cut short or is still being written; what comes before it was read" : ""))
        }
        progress.isFinished = true
        guard !progress.hasDelivered else { return }
        let foreign = interfaces.filter { $0.skippedPackets > 0 }
        if let interface = foreign.first {
            throw CaptureError(.unsupported, file: file, interface.linkType.refusal, advice: LinkType.advice)
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
