import ArgumentParser
import Output
import Synchronization
import Workbench

/// `gattbench report`.
struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Write a capture's verdicts, ladders, tables and plots as one HTML page.",
        discussion: """
            The page loads nothing and needs no program: attach it to a ticket or keep it as an artefact of a CI job. It says
            what the capture has, which rules failed and what was expected and observed, with the packets around each finding;
            attribute tables with last values; plots of numeric fields; the commands that repeat it. What a page has no room
            for is counted. A damaged capture is reported as far as it can be read.

            With --against, the page has the differences from another capture as well, as gattbench diff lists them.

            With --redact, the page has replaced what identifies people, devices and places, as redact does, to share it.

            With --oracle, devices are compared with the twins of their plugins, too.

            Exit codes: 0 written, whatever the verdicts · 2 usage error · 3 unreadable input.

            EXAMPLES
              gattbench report session.btsnoop -o report.html
              gattbench report --waivers waivers.yaml session.btsnoop -o report.html
              gattbench report --oracle --role peripheral session.btsnoop -o report.html
              gattbench report --plugin sensor/profile.yaml sensor.pcapng > sensor.html
              gattbench report --redact session.btsnoop -o share.html
              gattbench report --keys bonds.keys sniffed.pcapng -o report.html
              gattbench report --against good-phone.btsnoop bad-phone.btsnoop -o report.html
            """)

    @Argument(help: "A capture file; - is standard input.")
    var file: String

    @Option(
        name: .shortAndLong, help: ArgumentHelp("File of the page; standard output by default.", valueName: "path"))
    var output = "-"

    @Option(help: ArgumentHelp("Compare with another capture, A of gattbench diff.", valueName: "path"))
    var against: String?

    @OptionGroup var comparing: ComparisonArguments

    @Flag(help: "Replace what identifies people, devices and places before the page is written.")
    var redact = false

    @OptionGroup var captures: CaptureArguments

    @OptionGroup var devices: DeviceArguments

    @OptionGroup var keys: KeyArguments

    @OptionGroup var rules: RuleArguments

    @OptionGroup var verdicts: VerdictArguments

    @OptionGroup var terminal: TerminalArguments

    func validate() throws {
        try Console.refuse(output, overwriting: devices.files + keys.files + [file, against, verdicts.waivers])
        try keys.refuse(sharing: [file, against])
        if against == nil, comparing.isGiven { throw ValidationError("--tolerance goes with --against") }
        if redact, against != nil {
            throw ValidationError("--redact goes without --against: only one capture is redacted")
        }
        if file == "-", against == "-" { throw ValidationError("only one of the captures can be standard input") }
    }

    func run() async throws {
        guard let service = ProgramServices.own.web else { throw FullProgram.takeOver() }
        Interruption.watch()
        let options = try readOptions()
        let progress = Mutex(Progress())
        let work = Task {
            try await service.report(options) { packets in progress.withLock { $0.show(packets) } }
        }
        do {
            let page = try await Interruption.value(of: work)
            for warning in page.warnings { Console.note("warning: \(warning)") }
            try Console.write(page.html, to: output)
        } catch is CancellationError {
            Console.note("interrupted: no report was written")
            throw ExitCode(Exit.unreadable)
        }
    }

    /// The parsed options, with the files read.
    private func readOptions() throws -> ReportOptions {
        var options = ReportOptions(file: file, checking: try verdicts.readOptions())
        options.member = captures.member
        options.stated = captures.stated
        options.checking.role = rules.role
        (options.asksOracle, options.waivers) = (rules.oracle, verdicts.waivers)
        options.against = against
        options.comparison.tolerance = try comparing.readTolerance()
        options.isRedacted = redact
        options.plugins = try devices.loadPlugins().plugins
        options.tables = try devices.readTables()
        options.keys = try keys.read()
        options.deviceArguments = devices.words + keys.words
        options.ruleArguments = rules.words + (verdicts.strict ? ["--strict"] : [])
        return options
    }
}
