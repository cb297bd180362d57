import Captures

/// A capture in a file that can be read at any place: the user's, or a copy of what is packed or comes through a pipe,
/// without a name, which is gone with this.
final class ReadableCapture: Sendable {
    let path: String
    /// The user's path, or `standard input`.
    let name: String
    /// What was wrong with the bytes that were copied.
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

    /// Writes the bytes of a source, up to a limit, to a file; returns the faults of its compression.
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

    /// A warning about a copy, said of the user's file.
    func named(_ warning: CaptureWarning) -> CaptureWarning {
        var warning = warning
        if copy != nil { warning.file = name }
        return warning
    }
}
