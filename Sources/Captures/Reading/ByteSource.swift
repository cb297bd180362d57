/// The bytes of a capture from a file, standard input, a pipe or an array; gzip is decompressed.
///
/// It reads only the bytes that the operating system returns at once, so that a live capture arrives without delay.
public final class ByteSource {
    /// Path of the file, or "standard input".
    public let name: String
    /// Whether the content can be read again from the start.
    public let isSeekable: Bool
    /// Number of bytes to request at once.
    public internal(set) var chunkSize: Int

    private let raw: any RawByteSource
    /// Offset in `raw` of the content's start.
    private let origin: Int
    private var inflater: Inflater?
    /// What is missing at the end of the content, although the bytes end as they should.
    private let missing: CaptureWarning?
    /// Bytes read for gzip detection and not yet requested.
    private var pending: [UInt8] = []
    /// The first stored bytes, as they arrived: at least 2, fewer only if the content is shorter.
    package let start: [UInt8]

    private init(
        raw: any RawByteSource, name: String, isSeekable: Bool, origin: Int, chunkSize: Int,
        missing: CaptureWarning? = nil
    ) throws(SystemError) {
        self.raw = raw
        self.missing = missing
        self.name = name
        self.isSeekable = isSeekable
        self.origin = origin
        self.chunkSize = chunkSize
        try raw.append(to: &pending, atLeast: 2, atMost: chunkSize)
        start = Array(pending.prefix(64 * 1024))
        if Inflater.recognizes(pending) { inflater = Inflater() }
    }

    /// Opens the file at `path`; `-` is standard input.
    public convenience init(path: String) throws(CaptureError) {
        try self.init(path: path, goesOn: nil)
    }

    /// Like `init(path:)`. When a pipe has delivered nothing for 200 ms, the source calls `goesOn`; false ends the
    /// input.
    package convenience init(path: String, goesOn: (() -> Bool)?) throws(CaptureError) {
        let name = path == "-" ? "standard input" : path
        do throws(SystemError) {
            let descriptor = try path == "-" ? FileDescriptor.standardInput : FileDescriptor.reading(path)
            let isFile = try descriptor.status().kind == .regular
            let followed = isFile ? nil : goesOn.map { FollowedDescriptor(descriptor, $0) }
            try self.init(
                raw: followed ?? descriptor, name: name, isSeekable: isFile,
                origin: isFile ? descriptor.position ?? 0 : 0, chunkSize: isFile ? 256 * 1024 : 64 * 1024)
        } catch {
            throw CaptureError(
                .cannotOpen, file: name, error.text,
                advice: error.isAboutDirectory ? "name a capture file in it" : error.advice)
        }
    }

    /// Reads standard input while it is being written. When nothing has arrived for 200 ms, the source calls `goesOn`;
    /// false ends the input.
    package convenience init(followingStandardInput goesOn: @escaping () -> Bool) throws(CaptureError) {
        do throws(SystemError) {
            try self.init(
                raw: FollowedDescriptor(.standardInput, goesOn), name: "standard input", isSeekable: false, origin: 0,
                chunkSize: 64 * 1024)
        } catch {
            throw CaptureError(.cannotRead, file: "standard input", error.text, advice: error.advice)
        }
    }

    /// Reads the chunks that `next` returns as they arrive; nil ends the input.
    package convenience init(name: String, next: @escaping () -> [UInt8]?) throws(CaptureError) {
        do throws(SystemError) {
            try self.init(
                raw: ArrivingChunks(next), name: name, isSeekable: false, origin: 0, chunkSize: 64 * 1024)
        } catch {
            throw CaptureError(.cannotRead, file: name, error.text, advice: error.advice)
        }
    }

    /// Reads an open file from its start, with a read offset of its own; the file need not stay open.
    ///
    /// - Parameter missing: what is known to be missing at its end.
    package convenience init(
        _ file: FileDescriptor, name: String, missing: CaptureWarning? = nil
    ) throws(CaptureError) {
        do throws(SystemError) {
            try self.init(
                raw: FileDescriptor.reading(file.pathInProcess), name: name, isSeekable: true, origin: 0,
                chunkSize: 256 * 1024,
                missing: missing)
        } catch {
            throw CaptureError(.cannotRead, file: name, error.text, advice: error.advice)
        }
    }

    /// Reads from `bytes`, `chunkSize` bytes at once.
    public convenience init(bytes: [UInt8], name: String, chunkSize: Int = 256 * 1024) throws(CaptureError) {
        do throws(SystemError) {
            try self.init(
                raw: BytesInMemory(bytes), name: name, isSeekable: true, origin: 0, chunkSize: max(1, chunkSize))
        } catch {
            throw CaptureError(.cannotRead, file: name, error.text)
        }
    }

    /// Whether the content is gzip; offsets then count decompressed bytes.
    public var isCompressed: Bool { inflater != nil }

    /// The first bytes of the content, decompressed, as far as they follow from `start`.
    package var contentStart: [UInt8] {
        isCompressed ? (try? ByteSource(bytes: start, name: name).next()) ?? [] : start
    }

    /// Number of stored bytes read so far and the file size; nil where the size is unknown, as for a pipe.
    var position: (read: Int, of: Int)? {
        guard let descriptor = raw as? FileDescriptor, let size = descriptor.size, let position = descriptor.position
        else { return nil }
        return (position - origin, size - origin)
    }

    func isSameFile(as other: FileDescriptor.Identity) -> Bool {
        guard let descriptor = raw as? FileDescriptor, let status = try? descriptor.status() else { return false }
        return status.kind == .regular && status.identity == other
    }

    /// Appends at least `minimum` bytes to `bytes`, fewer only at the end. `bytes` does not grow beyond one chunk.
    func append(to bytes: inout [UInt8], atLeast minimum: Int) throws(CaptureError) {
        do throws(SystemError) {
            if let inflater {
                return try inflater.append(
                    to: &bytes, atLeast: minimum, atMost: max(minimum, chunkSize - bytes.count)
                ) { () throws(SystemError) in try self.nextPacked() }
            }
            let missing = minimum - pending.count
            bytes += pending
            pending = []
            guard missing > 0 else { return }
            try raw.append(to: &bytes, atLeast: missing, atMost: max(missing, chunkSize - bytes.count))
        } catch {
            throw CaptureError(.cannotRead, file: name, error.text, advice: error.advice)
        }
    }

    private func nextPacked() throws(SystemError) -> [UInt8] {
        var packed = pending
        pending = []
        if packed.isEmpty { try raw.append(to: &packed, atLeast: 1, atMost: min(chunkSize, 64 * 1024)) }
        return packed
    }

    /// The problem in the compressed data or in the archive that the content is from, once the end has been reached.
    package var compressionWarning: CaptureWarning? {
        switch inflater?.end {
        case nil, .complete: missing
        case .cutShort:
            CaptureWarning(
                file: name, "the gzip data is truncated",
                advice: "the part before was read")
        case .broken(let offset):
            CaptureWarning(
                file: name, offset: offset, "corrupt gzip data (offset in the compressed file)",
                advice: "the part before was read")
        case .trailingBytes(let offset):
            CaptureWarning(
                file: name, offset: offset,
                "trailing bytes after the gzip data (offset in the compressed file)",
                advice: "they were skipped")
        }
    }

    /// Whether compressed content was not read to its end because it is truncated or corrupt.
    var isCompressionIncomplete: Bool {
        switch inflater?.end {
        case .cutShort, .broken: true
        case nil, .complete, .trailingBytes: missing != nil
        }
    }

    /// The next bytes, decompressed, about one chunk; empty at the end.
    package func next() throws(CaptureError) -> [UInt8] {
        var bytes: [UInt8] = []
        try append(to: &bytes, atLeast: 1)
        return bytes
    }

    /// All remaining bytes; throws if there are more than `limit`.
    package func readAll(upTo limit: Int) throws(CaptureError) -> [UInt8] {
        var content: [UInt8] = []
        try append(to: &content, atLeast: limit + 1)
        guard content.count <= limit else {
            throw CaptureError(
                .unsupported, file: name, "longer than \(limit >> 20) MB", advice: "name a smaller file")
        }
        return content
    }

    /// Seeks to an offset in the content; only if `isSeekable` and not `isCompressed`.
    func move(to offset: Int) throws(CaptureError) {
        do throws(SystemError) {
            try raw.seek(to: origin + offset)
        } catch {
            throw CaptureError(.cannotRead, file: name, error.text, advice: error.advice)
        }
        pending = []
    }

    /// Seeks to the first byte; only if `isSeekable`.
    package func rewind() throws(CaptureError) {
        do throws(SystemError) {
            try raw.seek(to: origin)
        } catch {
            throw CaptureError(.cannotRead, file: name, error.text, advice: error.advice)
        }
        pending = []
        inflater?.restart()
    }
}

/// A source of stored bytes, before decompression.
protocol RawByteSource: AnyObject {
    /// Appends the next bytes to `bytes`: at least `minimum`, fewer only at the end, and at most `maximum`.
    func append(to bytes: inout [UInt8], atLeast minimum: Int, atMost maximum: Int) throws(SystemError)
    func seek(to position: Int) throws(SystemError)
}

extension FileDescriptor: RawByteSource {}

/// A descriptor whose reader checks for cancellation while it waits.
private final class FollowedDescriptor: RawByteSource {
    private let descriptor: FileDescriptor
    private let goesOn: () -> Bool

    /// Longest wait between two checks, in milliseconds.
    private static let patience: Int32 = 200

    init(_ descriptor: FileDescriptor, _ goesOn: @escaping () -> Bool) {
        self.descriptor = descriptor
        self.goesOn = goesOn
    }

    func append(to bytes: inout [UInt8], atLeast minimum: Int, atMost maximum: Int) throws(SystemError) {
        let before = bytes.count
        while bytes.count - before < minimum {
            if descriptor.isReadable(within: Self.patience) {
                let count = bytes.count
                try descriptor.append(to: &bytes, atLeast: 1, atMost: maximum - (count - before))
                if bytes.count == count { return }
            } else if !goesOn() {
                return
            }
        }
    }

    func seek(to position: Int) throws(SystemError) {
        try descriptor.seek(to: position)
    }
}

/// Chunks that a closure returns.
private final class ArrivingChunks: RawByteSource {
    private let next: () -> [UInt8]?
    /// The part of the last chunk that is still to be delivered; nil at the end.
    private var rest: ArraySlice<UInt8>? = []

    init(_ next: @escaping () -> [UInt8]?) {
        self.next = next
    }

    func append(to bytes: inout [UInt8], atLeast minimum: Int, atMost maximum: Int) {
        var count = 0
        while let rest {
            let part = rest.prefix(maximum - count)
            bytes += part
            count += part.count
            self.rest = rest.dropFirst(part.count)
            if count >= minimum { return }
            self.rest = next().map { $0[...] }
        }
    }

    func seek(to position: Int) {}
}

private final class BytesInMemory: RawByteSource {
    private let content: [UInt8]
    private var position = 0

    init(_ content: [UInt8]) {
        self.content = content
    }

    func append(to bytes: inout [UInt8], atLeast minimum: Int, atMost maximum: Int) {
        let end = min(content.count, position + maximum)
        bytes += content[position..<end]
        position = end
    }

    func seek(to position: Int) {
        self.position = position
    }
}
