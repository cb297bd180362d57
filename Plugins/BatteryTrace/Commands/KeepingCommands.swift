import PluginKit
import Profile

extension PluginCommand {
    private static let snapshots = CommandParameter.flag("snapshots", help: "Snapshots of a battery's health.")
    private static let sessions = CommandParameter.flag("sessions", help: "Charging sessions.")
    private static let yes = CommandParameter.flag("yes", help: "Do not ask.")

    /// `battery export`.
    static let export = PluginCommand(
        name: "export",
        abstract: "Write the snapshots or the sessions that are kept as CSV.",
        discussion: "UTF-8 with a header row, quoted as RFC 4180 says; times in UTC (RFC 3339).",
        examples: ["export --snapshots", "export --sessions -o sessions.csv"],
        parameters: [snapshots, sessions, .output], storedFiles: [KeptFiles.snapshots, KeptFiles.sessions]
    ) { input throws(CommandError) in
        switch (input.isSet(snapshots), input.isSet(sessions)) {
        case (true, false): return table(try input.rows(BatterySnapshot.self, in: KeptFiles.snapshots), "snapshot")
        case (false, true): return table(try input.rows(ChargeSession.self, in: KeptFiles.sessions), "session")
        default: throw .usage("say --snapshots or --sessions")
        }
    }

    private static func table<Row: TableRow>(_ rows: [Row], _ word: String) -> CommandOutput {
        CommandOutput(
            String(decoding: Row.table(rows), as: UTF8.self), notes: rows.isEmpty ? ["no \(word) is kept yet"] : [])
    }

    /// `battery delete`.
    static let delete = PluginCommand(
        name: "delete",
        abstract: "Delete all snapshots and sessions that are kept.",
        examples: ["delete", "delete --yes"],
        parameters: [yes], storedFiles: [KeptFiles.snapshots, KeptFiles.sessions]
    ) { input throws(CommandError) in
        let files = input.stored.filter { $0.value.bytes != nil }.sorted { $0.key < $1.key }
        guard !files.isEmpty else { return CommandOutput("Nothing is kept, so nothing is deleted.\n") }
        let list = files.map { name, file in "\(file.path) (\(rows(of: file)))" }.joined(separator: " and ")
        return CommandOutput(
            "Deleted \(list).\n", changes: Dictionary(uniqueKeysWithValues: files.map { ($0.key, .remove) }),
            question: input.isSet(yes) ? nil : "Delete \(list)?")
    }

    /// How many rows a table has; also one that is damaged can be deleted.
    private static func rows(of file: KeptFile) -> String {
        var reader = CSV.Reader(file.bytes ?? [])
        var count = -1
        do throws(CSV.Fault) {
            while try reader.next() != nil { count += 1 }
        } catch {
            return "damaged: \(error)"
        }
        return "\(max(0, count)) row\(count == 1 ? "" : "s")"
    }
}
