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
        guard let gattOut else { return }
        let leftOut = try GATTFiles.write(outcome.tracker, to: gattOut)
        guard leftOut > 0 else { return }
        Console.note(
            "\(gattOut): \(leftOut) devices are left out: all tables together have more than "
                + "\(GATT.TableFile.entryLimit) entries")
    }
}
