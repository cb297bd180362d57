import Archives
import ArgumentParser
import Bluetooth
import Bytes
import Captures
import Dissection
import Output
import Workbench

/// `gattbench stats`.
struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", _superCommandName: Program.name,
        abstract: "Summarize a capture: missing packets, devices, connections, attribute tables, operations.",
        discussion: """
            EXAMPLES
              gattbench stats session.btsnoop
              gattbench stats --json session.btsnoop | jq '.devices[] | select(.plugin == "aquavate")'
              gattbench stats --gatt-out tables.json session.pcapng
              gattbench stats --keys bonds.keys sniffed.pcapng
              gattbench stats --list bugreport.zip
              gattbench stats monday.pcapng tuesday.pcapng
              gattbench stats --join btsnoop_hci.log.last btsnoop_hci.log
              gattbench stats --join bugreport.zip
            """)

    @Argument(help: "A capture file; - is standard input.")
    var file: String

    @Argument(help: "More captures: one after the other, with --join as one.")
    var more: [String] = []

    @OptionGroup var joining: JoinArguments

    @OptionGroup var devices: DeviceArguments

    @OptionGroup var keys: KeyArguments

    @Option(help: ArgumentHelp("Export the discovered attribute tables for decode --gatt.", valueName: "path"))
    var gattOut: String?

    @Flag(help: "Only list the captures of an archive.")
    var list = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var captures: CaptureArguments

    @OptionGroup var terminal: TerminalArguments

    func validate() throws {
        if !more.isEmpty, list || gattOut != nil && !joining.join {
            throw ValidationError("\(list ? "--list" : "--gatt-out") goes with one capture")
        }
        if list, json || gattOut != nil { throw ValidationError("--list goes without --json and --gatt-out") }
        try keys.refuse(sharing: [file] + more)
        try Console.refuse(gattOut, overwriting: devices.files + keys.files + more + [file])
    }

    func run() async throws {
        Interruption.watch()
        Pager.use()
        if list { return try listCaptures() }
        var job = StatisticsJob()
        job.plugins = try devices.loadPlugins(.decoding).plugins
        job.importedTables = try devices.readTables()
        job.keys = try keys.read()
        guard more.isEmpty || joining.join else { return try await summarizeEach(job) }
        let (summary, outcome) = try await summarize([file] + more, job)
        var report = summary
        let leftOut = try gattOut.map { try GATTFiles.write(outcome.tracker, to: $0) } ?? 0
        try Console.write(painted: json ? report.json() : report.text())
        guard let gattOut, leftOut > 0 else { return }
        Console.note(
            "\(gattOut): \(leftOut) devices are left out: all tables together have more than "
                + "\(GATT.TableFile.entryLimit) entries")
    }

    /// Summarizes a capture, or several as one.
    private func summarize(
        _ paths: [String], _ job: StatisticsJob
    ) async throws -> (StatisticsReport, StatisticsOutcome) {
        let opened = try captures.open(paths, joining)
        var progress = Progress(opened.reader)
        let outcome = try await job.run(opened.source) { frames in
            progress.show(frames)
            return !Interruption.isAsked
        }
        Console.note(opened)
        let report = StatisticsReport(
            outcome, file: opened.source.name, format: opened.format,
            interfaces: opened.readers.flatMap(\.interfaces), paint: Console.wantsColor ? .ansi : .none)
        return (report, outcome)
    }

    /// Summarizes captures one after the other: as text with a sum, as JSON in an array.
    private func summarizeEach(_ job: StatisticsJob) async throws {
        var (read, frames, bytes) = (0, 0, 0)
        var hasFailed = false
        if json { try Console.write("[") }
        for path in [file] + more where !Interruption.isAsked {
            do {
                let (summary, outcome) = try await summarize([path], job)
                var report = summary
                if read > 0 { try Console.write(json ? ",\n" : "\n") }
                let text = json ? report.json() : report.text()
                try Console.write(painted: json && text.hasSuffix("\n") ? String(text.dropLast()) : text)
                read += 1
                frames += outcome.statistics.frames
                bytes += outcome.statistics.bytes
            } catch let error as CaptureError {
                Console.note("\(error)")
                hasFailed = true
            }
        }
        let sum = "\(read.counted("capture")): \(frames.counted("frame")), \(bytes.counted("byte"))"
        try Console.write(json ? "]\n" : "\n\(sum)\n")
        if hasFailed { throw ExitCode(Exit.unreadable) }
    }

    /// Prints the captures of an archive.
    private func listCaptures() throws {
        let captureFile = try captures.find(file)
        guard let search = captureFile.search else {
            throw UsageError("--list: \(file) is no archive")
        }
        for warning in search.warnings { Console.note("warning: \(warning)") }
        for capture in search.found { try Console.write(capture.summary + "\n") }
    }
}
