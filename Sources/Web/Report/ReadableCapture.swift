import Archives
import Captures
import Workbench

/// A capture with random access: the user's file, or a file without a name that exists as long as this object: a member
/// of an archive, or a copy of compressed or piped input.
final class ReadableCapture: Sendable {
    let path: String
    /// The user's path, or `standard input`; in an archive, followed by the names of its members.
    let name: String
    /// Warnings from unpacking or copying the bytes.
    let warnings: [CaptureWarning]
    /// The file at `path`, if it has no name.
    let unnamed: FileDescriptor?

    /// Opens the file at `path`; `-` is standard input.
    ///
    /// - Parameters:
    ///   - member: the capture to open of an archive; nil for the best one.
    ///   - stated: what packets of a link type for private use, or bytes of a UART, are.
    ///   - limit: most bytes of an unpacked copy.
    ///   - acceptsPipes: whether a pipe is copied to its end.
    init(
        _ path: String, member: String? = nil, as stated: StatedContent? = nil, limit: Int = .max,
        acceptsPipes: Bool = true
    ) throws {
        var options = CaptureFile.Options(member: member, as: stated)
        options.limits.disk = min(options.limits.disk, limit)
        let file = try CaptureFile(path, options)
        let (source, unpacked) = (file.source, file.search?.content)
        guard acceptsPipes || source.isSeekable else {
            throw CaptureError(
                .unsupported, file: source.name, "is no file that can be read at any place",
                advice: "write it to a file, or read it with --live")
        }
        let warnings = file.search?.warnings ?? []
        name = source.name
        if stated != nil {
            // The copy is read without the statement.
            let copy = try WebSession.temporaryFile()
            (unnamed, self.path) = (copy, copy.pathInProcess)
            let report = try Converter.convert(file.reader(), to: copy.pathInProcess, format: .pcapng)
            self.warnings = warnings + report.warnings
            return
        }
        if unpacked != nil || path != "-" && source.isSeekable, !source.isCompressed {
            (unnamed, self.path, self.warnings) = (unpacked, unpacked?.pathInProcess ?? path, warnings)
        } else {
            let copy = try WebSession.temporaryFile()
            (unnamed, self.path) = (copy, copy.pathInProcess)
            self.warnings = warnings + (try Self.copy(source, to: copy, limit: limit))
        }
    }

    /// A copy in which what identifies people, devices and places is replaced.
    func redacted(_ options: ReportOptions, _ goesOn: (Int) -> Bool) async throws -> ReadableCapture {
        var job = RedactJob()
        job.plugins = options.plugins
        job.importedTables = options.tables
        job.keys = options.keys
        let copy = try WebSession.temporaryFile()
        do {
            let report = try await job.run(
                CaptureReader(path: path), to: copy.pathInProcess, as: .pcapng, progress: goesOn)
            if report.isInterrupted { throw CancellationError() }
            return ReadableCapture(copy, name: name, warnings: warnings + report.warnings.map { named($0) })
        } catch let error as CaptureError {
            throw CaptureError(error.kind, named(error.finding))
        }
    }

    private init(_ copy: FileDescriptor, name: String, warnings: [CaptureWarning]) {
        (unnamed, path, self.name, self.warnings) = (copy, copy.pathInProcess, name, warnings)
    }

    /// Copies the bytes of a source to a file, up to a limit; returns the faults of its compression.
    private static func copy(_ source: ByteSource, to target: FileDescriptor, limit: Int) throws -> [CaptureWarning] {
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
        if unnamed != nil { warning.file = name }
        return warning
    }
}
