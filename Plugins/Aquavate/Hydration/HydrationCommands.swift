import Bytes
import PluginKit
import Profile

/// Commands that show the app's screens from the store: `hydration report`, `hydration export` and `activity`.
enum HydrationCommands {
    static let groups = [
        PluginCommandGroup(
            name: "hydration", abstract: "Report and export the drinks that were synced from Aquavate pucks.",
            commands: [report, export]),
        PluginCommandGroup(activity),
    ]

    static let device = CommandParameter.option(
        "device", placeholder: "name", help: "Only the bottle of this address or name.")
    static let zone = CommandParameter.option(
        "time-zone", .timeZone, placeholder: "zone",
        help: "The zone of all times, like Europe/Paris; by default each drink's, else this machine's.")
    static let now = CommandParameter.option(
        "now", placeholder: "time", help: "The present, like 2026-03-02T18:00:00Z; the clock's by default.")
    static let json = CommandParameter.flag("json", help: "Print JSON.")
    private static let to = CommandParameter.option("to", placeholder: "format", help: "The format: healthkit.")
    private static let output = CommandParameter.option(
        "output", short: "o", .output, placeholder: "file", help: "The file to write; standard output by default.")

    private static let export = PluginCommand(
        name: "export",
        abstract: "Write the drinks that HealthKit does not have yet, one sample each, as JSON lines.",
        discussion: """
            A sample has the same UUID at every export. What was written once is not written again; a drink that was \
            deleted since is written as a deletion, once. Refills are no samples. A sample at the time of arrival has \
            TimeOfArrival in its metadata.
            """,
        examples: ["export --to healthkit -o new.ndjson"], parameters: [to, output, device],
        tables: [PuckTables.drinks]
    ) { input throws(CommandError) in
        guard input.text(to) == "healthkit" else { throw .usage("--to: expected healthkit") }
        let export = HealthExport(rows(PuckTables.drinks, input).compactMap { Drink($0) })
        var output = CommandOutput(
            export.text,
            notes: [
                "\(export.added) to save, \(export.removed) to delete"
                    + (export.arrived > 0 ? "; \(export.arrived) at the time of arrival" : "")
            ])
        output.storeChanges = export.changes
        return output
    }

    private static let activity = PluginCommand(
        name: "activity",
        abstract: "Show when Aquavate pucks were awake and carried about, as they told it last.",
        discussion: """
            With --energy --trace, no store is needed: the measured current is shown beside that of the model, and whether \
            each phase of deep sleep is below the limit of 0.2 mA. The trace is a CSV with a header that names times and \
            currents with their units, like Timestamp(ms),Current(uA).
            """,
        examples: ["", "--energy", "--json", "--energy --trace ppk2.csv"],
        parameters: [device, energy, trace, zone, now, json],
        tables: [PuckTables.bottles, PuckTables.wakeEvents, PuckTables.backpackSessions, "connections"]
    ) { input throws(CommandError) in
        if input.isSet(trace) { return try measuredEnergy(input) }
        let view = ActivityView(
            bottles: rows(PuckTables.bottles, input), wakeEvents: rows(PuckTables.wakeEvents, input),
            sessions: rows(PuckTables.backpackSessions, input),
            connections: input.isSet(energy) ? connections(input) : nil, now: try present(input, else: nil),
            zone: input.zone(zone))
        return CommandOutput(
            input.isSet(json) ? view.json : view.text, outcome: view.bottles.isEmpty ? .inconclusive : .done)
    }

    private static let energy = CommandParameter.flag(
        "energy", help: "Also estimate the energy that was used, and the life of the battery.")

    private static let trace = CommandParameter.option(
        "trace", .file, placeholder: "file",
        help: "With --energy: the trace of an ammeter as CSV, instead of the store; - is standard input.")

    /// Summarizes the trace of an ammeter.
    private static func measuredEnergy(_ input: CommandInput) throws(CommandError) -> CommandOutput {
        guard input.isSet(energy), let file = input.files[trace.name] else {
            throw .usage("--trace goes with --energy")
        }
        var reader = PowerTraceReader(name: input.text(trace) ?? "?")
        try file { chunk throws(CommandError) in try reader.add(chunk) }
        try reader.finish()
        let isBelowLimit = reader.trace.isBelowLimit
        return CommandOutput(
            input.isSet(json) ? reader.trace.json : reader.trace.text, notes: reader.notes,
            outcome: isBelowLimit == nil ? .inconclusive : isBelowLimit == true ? .done : .findings)
    }

    /// Start and end of the store's connections, by device.
    private static func connections(_ input: CommandInput) -> [String: [(start: Double, end: Double)]] {
        var connections: [String: [(start: Double, end: Double)]] = [:]
        for row in rows("connections", input) {
            guard let device = row.text("device"), let start = row.integer("started_at"),
                let end = row.integer("ended_at")
            else { continue }
            connections[device, default: []].append((Double(start) / 1e9, Double(end) / 1e9))
        }
        return connections
    }

    /// The rows of a table, filtered by the given device.
    static func rows(_ table: String, _ input: CommandInput) -> [Record] {
        let all = input.rows[table] ?? []
        guard let device = input.text(device) else { return all }
        return all.filter { $0.text("device") == device.lowercased() || $0.text("device_name") == device }
    }

    static func present(_ input: CommandInput, else usual: Int64?) throws(CommandError) -> Int64 {
        guard let text = input.text(now) else { return usual ?? Int64(input.now.wholeSeconds) }
        guard let time = Timestamp(rfc3339: text) else {
            throw .usage("--now \(text): expected a time like 2026-03-02T18:00:00Z")
        }
        return Int64(time.wholeSeconds)
    }
}
