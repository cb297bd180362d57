import Captures

/// A capture file with random access: the user's file, or an unnamed copy of compressed or piped input, which exists as
/// long as this object.
final class ReadableCapture: Sendable {
    let path: String
    /// The user's path, or `standard input`.
    let name: String
    /// Warnings from copying the bytes.
    let warnings: [CaptureWarning]
    private let copy: FileDescriptor?

    /// Opens the file at `path`; `-` is standard input.
    init(_ path: String) throws {
        let source = try ByteSource(path: path)
        name = source.name
        let isCopy = path == "-" || !source.isSeekable || source.isCompressed
        let copy = isCopy ? try WebSession.temporaryFile() : nil
        self.copy = copy
        self.path = copy?.pathInProcess ?? path
        warnings = try copy.map { try Self.copy(source, to: $0) } ?? []
    }

    /// Copies the bytes of a source to a file, up to a limit; returns the faults of its compression.
    static func copy(
        _ source: ByteSource, to target: FileDescriptor, limit: Int = .max
    ) throws -> [CaptureWarning] {
        var left = limit
        while case let piece = try source.next(), !piece.isEmpty {
            guard piece.count <= left else { throw WebFault.tooLong(limit) }
            left -= piece.count
            try target.write(piece)
        }
        return source.compressionWarning.map { [$0] } ?? []
    }

    /// A warning, with the user's file name in place of the copy's.
    func named(_ warning: CaptureWarning) -> CaptureWarning {
        var warning = warning
        if copy != nil { warning.file = name }
        return warning
    }
}
