import Archives
import ArgumentParser
import Captures
import Workbench

/// Options of every command that reads capture files.
struct CaptureArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The capture to open of an archive: its name, or the end of its path; by default the best one.",
            valueName: "name"))
    var member: String?

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "What packets of a link type for private use, or bytes of a UART, are: \(StatedContent.values).",
            valueName: "linktype"))
    var stated: StatedContent?

    /// Opens a capture at the user's path, and reports what else an archive has.
    func open(_ path: String) throws -> CaptureReader {
        let file = try find(path)
        if let search = file.search { Console.note(search) }
        return try file.reader()
    }

    /// Opens a capture, or several as one; `joining` opens the rotated logs of an archive, too.
    func open(_ paths: [String], _ joining: JoinArguments) throws -> OpenedCaptures {
        let readers = try paths.flatMap { path in
            let file = try find(path, opensRotation: joining.join)
            if let search = file.search { Console.note(search) }
            return try file.readers()
        }
        if let reader = readers.first, readers.count == 1 { return OpenedCaptures(source: reader, readers: readers) }
        let joined = try JoinedCaptures(readers)
        return OpenedCaptures(source: joined, readers: joined.readers)
    }

    func find(_ path: String, opensRotation: Bool = false) throws -> CaptureFile {
        var options = CaptureFile.Options(member: member, as: stated)
        options.opensRotation = opensRotation
        return try CaptureFile(path, options) { !Interruption.isAsked }
    }
}

/// `--join`, of commands that can read several captures as one.
struct JoinArguments: ParsableArguments {
    @Flag(
        help:
            "Read several captures, and the rotated logs of an archive, as one, in order of their first packet's time; formats may differ."
    )
    var join = false
}

/// An opened capture, or several that are read as one.
struct OpenedCaptures {
    let source: any PacketSource
    let readers: [CaptureReader]

    /// The reader whose progress is shown; nil if there are several.
    var reader: CaptureReader? { readers.count == 1 ? readers[0] : nil }

    /// The names of the formats.
    var format: String {
        var names: [String] = []
        for reader in readers where !names.contains(reader.format.name) { names.append(reader.format.name) }
        return names.joined(separator: ", ")
    }
}

extension StatedContent: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}

extension Console {
    /// Prints the warnings about captures, and with --verbose the amount read.
    static func note(_ captures: OpenedCaptures) {
        for reader in captures.readers { note(reader) }
        guard let joined = captures.source as? JoinedCaptures else { return }
        for warning in joined.warnings { note("warning: \(warning)") }
    }

    /// Lists the captures of an archive, with those that are opened, and what could not be read.
    static func note(_ search: CaptureSearch) {
        for (index, capture) in search.found.enumerated() {
            note("\(search.file): \(search.isOpened(index) ? "opened " : "also has ")\(capture.summary)")
        }
        for warning in search.warnings { note("warning: \(warning)") }
    }
}
