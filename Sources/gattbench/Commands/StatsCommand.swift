import ArgumentParser
import Captures
import GATT
import Workbench

/// `gattbench stats`.
struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Tell what is in a capture: quality, devices, connections, attribute tables, operations.",
        discussion: """
            EXAMPLES
              gattbench stats session.btsnoop
              gattbench stats --gatt-out tables.json session.pcapng
            """)

    @Argument(help: "A capture file; - is standard input.")
    var file: String

    @Option(help: "Attribute tables from a file, to name attributes whose discovery was not captured.")
    var gatt: String?

    @Option(help: "Write the attribute tables that were learned to a file, for decode --gatt.")
    var gattOut: String?

    func run() async throws {
        Interruption.watch()
        let reader = try CaptureReader(path: file)
        var job = StatisticsJob()
        if let gatt { job.importedTables = try GATTFiles.read(gatt) }
        var progress = Progress()
        let outcome = try await job.run(reader) { frames in
            progress.show(frames)
            return !Interruption.isAsked
        }
        Console.note(reader)
        var report = StatisticsReport(outcome, of: reader, paint: Console.wantsColor ? .ansi : .none)
        try Console.write(report.text())
        if let gattOut { try GATTFiles.write(GATT.TableFile(outcome.tracker), to: gattOut) }
    }
}
