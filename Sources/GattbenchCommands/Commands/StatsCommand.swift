import Archives
import ArgumentParser
import Bluetooth
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
              gattbench stats --list bugreport.zip
              gattbench stats --join btsnoop_hci.log.last btsnoop_hci.log
            """)

    @Argument(help: "A capture file; - is standard input.")
    var file: String

    @Argument(help: "With --join, more captures.")
    var more: [String] = []

    @OptionGroup var joining: JoinArguments

    @OptionGroup var devices: DeviceArguments

    @Option(help: ArgumentHelp("Export the discovered attribute tables for decode --gatt.", valueName: "path"))
    var gattOut: String?

    @Flag(help: "Only list the captures of an archive.")
    var list = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var captures: CaptureArguments

    @OptionGroup var terminal: TerminalArguments

    func validate() throws {
        try joining.check(more)
        if list, !more.isEmpty { throw ValidationError("--list goes without --join") }
        if list, json || gattOut != nil { throw ValidationError("--list goes without --json and --gatt-out") }
        try Console.refuse(gattOut, overwriting: devices.files + more + [file])
    }

    func run() async throws {
        Interruption.watch()
        Pager.use()
        if list { return try listCaptures() }
        let opened = try captures.open([file] + more)
        var job = StatisticsJob()
        job.plugins = try devices.loadPlugins(.decoding).plugins
        job.importedTables = try devices.readTables()
        var progress = Progress(opened.reader)
        let outcome = try await job.run(opened.source) { frames in
            progress.show(frames)
            return !Interruption.isAsked
        }
        Console.note(opened)
        var report = StatisticsReport(
            outcome, file: opened.source.name, format: opened.format, paint: Console.wantsColor ? .ansi : .none)
        let leftOut = try gattOut.map { try GATTFiles.write(outcome.tracker, to: $0) } ?? 0
        try Console.write(painted: json ? report.json() : report.text())
        guard let gattOut, leftOut > 0 else { return }
        Console.note(
            "\(gattOut): \(leftOut) devices are left out: all tables together have more than "
                + "\(GATT.TableFile.entryLimit) entries")
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
