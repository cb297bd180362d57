import Captures
import FoundationEssentials

/// A capture in a file that can be read at any place: the user's, or a copy of what is packed or comes through a pipe,
/// which is deleted with this.
final class ReadableCapture: Sendable {
    let path: String
    /// The user's path, or `standard input`.
    let name: String
    /// What was wrong with the bytes that were copied.
    let warnings: [CaptureWarning]
    private let isCopy: Bool

    /// Opens the file at `path`; `-` is standard input.
    init(_ path: String) throws {
        let source = try ByteSource(path: path)
        name = source.name
        isCopy = path == "-" || !source.isSeekable || source.isCompressed
        self.path = isCopy ? WebSession.temporaryPath() : path
        warnings = isCopy ? try Self.copy(source, to: self.path) : []
    }

    deinit {
        if isCopy { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Writes the bytes of a source, up to a limit, to a new file; returns the faults of its compression.
    static func copy(_ source: ByteSource, to path: String, limit: Int = .max) throws -> [CaptureWarning] {
        do {
            let target = try FileDescriptor.creating(path)
            var left = limit
            while case let piece = try source.next(), !piece.isEmpty {
                guard piece.count <= left else { throw WebFault.tooLong(limit) }
                left -= piece.count
                try target.write(piece)
            }
        } catch {
            try? FileManager.default.removeItem(atPath: path)
            throw error
        }
        return source.compressionWarning.map { [$0] } ?? []
    }

    /// A warning about a copy, said of the user's file.
    func named(_ warning: CaptureWarning) -> CaptureWarning {
        var warning = warning
        if isCopy { warning.file = name }
        return warning
    }
}
