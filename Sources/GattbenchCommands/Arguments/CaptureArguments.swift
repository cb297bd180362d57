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

    func find(_ path: String) throws -> CaptureFile {
        try CaptureFile(path, CaptureFile.Options(member: member, as: stated)) { !Interruption.isAsked }
    }
}

extension StatedContent: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}

extension Console {
    /// Lists the captures of an archive, with the one that is opened, and what could not be read.
    static func note(_ search: CaptureSearch) {
        for (index, capture) in search.found.enumerated() {
            note("\(search.file): \(index == search.chosen ? "opened " : "also has ")\(capture.summary)")
        }
        for warning in search.warnings { note("warning: \(warning)") }
    }
}
