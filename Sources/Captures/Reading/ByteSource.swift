/// Where the bytes of a capture come from: a file, standard input, a pipe or an array, unpacked if they are gzip.
///
/// It reads no further ahead than the operating system gives at once, so that a live capture is seen as it comes.
public final class ByteSource {
    /// Path of the file, or "standard input".
    public let name: String
    /// Whether the content can be read again from the start.
    public let isSeekable: Bool
    /// How many bytes to ask for at once.
    public internal(set) var chunkSize: Int

    private let raw: any RawByteSource
    /// Where the content starts in `raw`.
    private let start: Int
    private var inflater: Inflater?
    /// Bytes that were read to see whether they are gzip, and that nobody has asked for yet.
    private var pending: [UInt8] = []

    private init(
        raw: any RawByteSource, name: String, isSeekable: Bool, start: Int, chunkSize: Int
    ) throws(SystemError) {
        self.raw = raw
        self.name = name
        self.isSeekable = isSeekable
        self.start = start
        self.chunkSize = chunkSize
        try raw.append(to: &pending, atLeast: 2, atMost: chunkSize)
        if Inflater.recognizes(pending) { inflater = Inflater() }
    }

    /// Opens the file at `path`; `-` is standard input.
    public convenience init(path: String) throws(CaptureError) {
        try self.init(path: path, goesOn: nil)
    }

    /// The same; `goesOn` is asked whenever a pipe has given nothing for a fifth of a second, and ends it.
    package convenience init(path: String, goesOn: (() -> Bool)?) throws(CaptureError) {
        let name = path == "-" ? "standard input" : path
        do throws(SystemError) {
            let descriptor = try path == "-" ? FileDescriptor.standardInput : FileDescriptor.reading(path)
            let isFile = try descriptor.status().kind == .regular
            let followed = isFile ? nil : goesOn.map { FollowedDescriptor(descriptor, $0) }
            try self.init(
                raw: followed ?? descriptor, name: name, isSeekable: isFile,
                start: isFile ? descriptor.position ?? 0 : 0, chunkSize: isFile ? 256 * 1024 : 64 * 1024)
        } catch {
            throw CaptureError(
                .cannotOpen, file: name, error.text,
                advice: error.isAboutDirectory ? "name a capture file in it" : error.advice)
        }
    }

    /// What comes in at standard input while it is written there; `goesOn` is asked whenever nothing has come in for a
    /// fifth of a second, and ends it.
    package convenience init(followingStandardInput goesOn: @escaping () -> Bool) throws(CaptureError) {
        do throws(SystemError) {
            try self.init(
                raw: FollowedDescriptor(.standardInput, goesOn), name: "standard input", isSeekable: false, start: 0,
                chunkSize: 64 * 1024)
        } catch {
            throw CaptureError(.cannotRead, file: "standard input", error.text, advice: error.advice)
        }
    }

    /// The bytes of `bytes`, `chunkSize` at once.
    public convenience init(bytes: [UInt8], name: String, chunkSize: Int = 256 * 1024) throws(CaptureError) {
        do throws(SystemError) {
            try self.init(
                raw: BytesInMemory(bytes), name: name, isSeekable: true, start: 0, chunkSize: max(1, chunkSize))
        } catch {
            throw CaptureError(.cannotRead, file: name, error.text)
        }
    }

    /// Whether the content is gzip; offsets then count unpacked bytes.
    public var isCompressed: Bool { inflater != nil }

    /// Bytes of a file that were read, as they are stored, and all of them; nil where that is not known, as of a pipe.
    var position: (read: Int, of: Int)? {
        guard let descriptor = raw as? FileDescriptor, let size = descriptor.size, let position = descriptor.position
        else { return nil }
        return (position - start, size - start)
    }

    /// Whether `other` reads the same file.
    func isSameFile(as other: FileDescriptor.Identity) -> Bool {
        guard let descriptor = raw as? FileDescriptor, let status = try? descriptor.status() else { return false }
        return status.kind == .regular && status.identity == other
    }

    /// Appends `minimum` bytes or more to `bytes`, fewer only at the end, and not so many that `bytes` outgrows a chunk.
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

    /// What is wrong with the compression, once the end is reached.
    package var compressionWarning: CaptureWarning? {
        switch inflater?.end {
        case nil, .complete: nil
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

    /// Whether compressed content was not read to its end: it is truncated or corrupt.
    var isCompressionIncomplete: Bool {
        switch inflater?.end {
        case .cutShort, .broken: true
        case nil, .complete, .trailingBytes: false
        }
    }

    /// The next bytes, unpacked, about a chunk of them; none at the end.
    package func next() throws(CaptureError) -> [UInt8] {
        var bytes: [UInt8] = []
        try append(to: &bytes, atLeast: 1)
        return bytes
    }

    /// All that is left; throws when it is more than `limit` bytes.
    package func readAll(upTo limit: Int) throws(CaptureError) -> [UInt8] {
        var content: [UInt8] = []
        try append(to: &content, atLeast: limit + 1)
        guard content.count <= limit else {
            throw CaptureError(
                .unsupported, file: name, "longer than \(limit >> 20) MB", advice: "name a smaller file")
        }
        return content
    }

    /// Goes to an offset in the content; only for a source that `isSeekable` and not `isCompressed`.
    func move(to offset: Int) throws(CaptureError) {
        do throws(SystemError) {
            try raw.seek(to: start + offset)
        } catch {
            throw CaptureError(.cannotRead, file: name, error.text, advice: error.advice)
        }
        pending = []
    }

    /// Goes back to the first byte; only for a source that `isSeekable`.
    package func rewind() throws(CaptureError) {
        do throws(SystemError) {
            try raw.seek(to: start)
        } catch {
            throw CaptureError(.cannotRead, file: name, error.text, advice: error.advice)
        }
        pending = []
        inflater?.restart()
    }
}

/// Bytes as they are stored, before any unpacking.
protocol RawByteSource: AnyObject {
    /// Appends what comes next to `bytes`: `minimum` bytes or more, fewer only at the end, at most `maximum`.
    func append(to bytes: inout [UInt8], atLeast minimum: Int, atMost maximum: Int) throws(SystemError)
    func seek(to position: Int) throws(SystemError)
}

extension FileDescriptor: RawByteSource {}

/// A descriptor at which somebody waits who must look at other things now and then.
private final class FollowedDescriptor: RawByteSource {
    private let descriptor: FileDescriptor
    private let goesOn: () -> Bool

    /// Longest time in which nothing else is looked at, in milliseconds.
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
