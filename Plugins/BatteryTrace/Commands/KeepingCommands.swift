import Bytes
import PluginKit
import Profile

extension PluginCommand {
    private static let table = CommandParameter.argument(
        "file", .input(values: []), help: "A table with the columns date, and cycles, health or both.")

    /// `battery import`.
    static let importing = PluginCommand(
        name: "import",
        abstract: "Keep the snapshots of a table that another program has written, to fill in the past.",
        discussion: """
            FILE is CSV with a header row, separated by commas, or by semicolons with decimal commas. The columns date, \
            cycles, health, first_use and mfg_date are found by their names; date is 2024-09-21 or 2024-09-21T10:00:00Z, \
            values are written as in the URL of `ingest`. A table with an error is refused whole; snapshots that are kept \
            already are passed over. Numbers of snapshots follow the order in which they came; plots and rules follow \
            their dates.
            """,
        examples: ["import history.csv"], parameters: [table], tables: [BatteryTables.snapshots]
    ) { input throws(CommandError) in
        guard let content = input.content(table), case .bytes(let bytes) = content.content else {
            throw .unreadable("\(input.content(table)?.name ?? "file"): a capture; expected a table (CSV)")
        }
        let read: SnapshotTable
        do throws(CSV.Fault) {
            read = try SnapshotTable(csv: bytes, now: input.now)
        } catch {
            throw .unreadable("\(content.name): \(error)")
        }
        var snapshots = input.snapshots
        var known = Set(snapshots.map { SnapshotKey($0) })
        var next = (snapshots.map(\.id).max() ?? 0) + 1
        var new: [BatterySnapshot] = []
        for var snapshot in read.snapshots where known.insert(SnapshotKey(snapshot)).inserted {
            snapshot.id = next
            next += 1
            new.append(snapshot)
        }
        snapshots += new
        var notes = warnings(snapshots, of: Set(new.map(\.id)))
        if !read.ignored.isEmpty { notes.append("columns passed over: \(read.ignored.joined(separator: ", "))") }
        let passed = read.snapshots.count - new.count
        return CommandOutput(
            "\(new.count.counted("snapshot")) kept" + (passed > 0 ? ", \(passed) kept already" : "") + "\n",
            notes: notes,
            storeChanges: new.isEmpty ? [] : [.add(new.map(\.row), to: BatteryTables.snapshots)])
    }

    /// Identity of a snapshot: its time and its values.
    private struct SnapshotKey: Hashable {
        let snapshot: BatterySnapshot

        init(_ snapshot: BatterySnapshot) {
            self.snapshot = BatterySnapshot(id: 0, date: snapshot.date, battery: snapshot.battery)
        }
    }

    // MARK: - Labels

    private static let session = CommandParameter.argument(
        "session", .number(1...1e15), help: "Its number, as 'gattbench battery export --sessions' shows it.")

    /// `battery label`.
    static let label = PluginCommand(
        name: "label",
        abstract: "Name the charger of a session that is kept, or change its notes.",
        examples: ["label 3 --charger 'MagSafe 15W' --notes 'in its case'"],
        parameters: [session, .charger, .notes], tables: [BatteryTables.sessions]
    ) { input throws(CommandError) in
        let id = Int(input.number(session) ?? 0)
        guard input.sessions.contains(where: { $0.id == id }) else { throw .usage("there is no session \(id)") }
        var row: Record = [:]
        if let charger = input.text(.charger) { row.fields.append((name: "charger", value: .text(charger))) }
        if let notes = input.text(.notes) { row.fields.append((name: "notes", value: .text(notes))) }
        guard !row.fields.isEmpty else { throw .usage("say --charger or --notes") }
        return CommandOutput(
            "Session \(id) is changed.\n", storeChanges: [.update(Int64(id), row, in: BatteryTables.sessions)])
    }

    // MARK: - Export and deletion

    private static let snapshots = CommandParameter.flag("snapshots", help: "Snapshots of a battery's health.")
    private static let sessions = CommandParameter.flag("sessions", help: "Charging sessions.")
    private static let samples = CommandParameter.flag("samples", help: "Samples of levels with their estimates.")

    private static let apostrophe = CommandParameter.flag(
        "apostrophe", help: "Write an apostrophe before texts that a spreadsheet would calculate.")

    /// `battery export`.
    static let export = PluginCommand(
        name: "export",
        abstract: "Write the snapshots, sessions or samples that are kept as CSV.",
        discussion: """
            UTF-8 with a header row, quoted as RFC 4180 says. Times are dates to spreadsheets: local times to the \
            millisecond, with their offset from UTC in the column zone.
            """,
        examples: ["export --snapshots", "export --sessions --time-zone Europe/Paris -o sessions.csv"],
        parameters: [snapshots, sessions, samples, apostrophe, .zone, .output], tables: BatteryTables.all
    ) { input throws(CommandError) in
        switch (input.isSet(snapshots), input.isSet(sessions), input.isSet(samples)) {
        case (true, false, false): return output(input.snapshots, "snapshot", input)
        case (false, true, false): return output(input.sessions, "session", input)
        case (false, false, true): return output(input.samples, "sample", input)
        default: throw .usage("say one of --snapshots, --sessions and --samples")
        }
    }

    private static func output<Row: TableRow>(_ rows: [Row], _ word: String, _ input: CommandInput) -> CommandOutput {
        CommandOutput(
            String(
                decoding: Row.table(rows, in: input.zone(.zone), asText: input.isSet(apostrophe)), as: UTF8.self),
            notes: rows.isEmpty ? ["no \(word) is kept yet"] : [])
    }

    /// `battery delete`.
    static let delete = PluginCommand(
        name: "delete",
        abstract: "Delete all snapshots, sessions and samples of batteries that are kept.",
        examples: ["delete", "delete --yes"],
        parameters: [.yes], tables: BatteryTables.all
    ) { input throws(CommandError) in
        let counts = zip(BatteryTables.all, ["snapshot", "session", "sample"]).compactMap { table, word in
            let count = input.rows[table]?.count ?? 0
            return count > 0 ? count.counted(word) : nil
        }
        guard !counts.isEmpty else { return CommandOutput("Nothing is kept, so nothing is deleted.\n") }
        let list = counts.joined(separator: ", ")
        return CommandOutput(
            "Deleted \(list).\n", storeChanges: BatteryTables.all.map { .clear($0) },
            question: input.isSet(.yes) ? nil : "Delete \(list)?")
    }
}
