import Bluetooth
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

    private static let day = CommandParameter.flag("day", help: "The day of --now, with its drinks; the usual one.")
    private static let week = CommandParameter.flag("week", help: "The seven days up to that of --now.")
    private static let capture = CommandParameter.option(
        "capture",
        .input(
            values: Set(CapturedDrinks.characteristics), writes: Set(CapturedDrinks.writtenCharacteristics)),
        placeholder: "file",
        help: "Take the drinks and goals of a capture instead of those of the store.")
    private static let goal = CommandParameter.option(
        "goal", .number(1...20_000), placeholder: "ml",
        help: "The goal of all days; by default the bottle's, each from when it was learned, else 2500 ml.")
    private static let device = CommandParameter.option(
        "device", placeholder: "name", help: "Only the bottle of this address or name.")
    private static let zone = CommandParameter.option(
        "time-zone", .timeZone, placeholder: "zone",
        help: "The zone of the days, like Europe/Paris; this machine's by default.")
    static let now = CommandParameter.option(
        "now", placeholder: "time", help: "The present, like 2026-03-02T18:00:00Z; the clock's by default.")
    private static let csv = CommandParameter.flag("csv", help: "Print a row for each day.")
    static let json = CommandParameter.flag("json", help: "Print JSON.")
    private static let html = CommandParameter.option(
        "html", .output, placeholder: "file", help: "Write a page of HTML to a file.")

    private static let report = PluginCommand(
        name: "report",
        abstract: "Show what was drunk by day, the pace, and the reminders that the app gives.",
        discussion: """
            A day begins at midnight of the zone. The pace is that of the goal from 7 am to 10 pm; reminders come while the \
            urgency rises, at most 12 a day, for 150 ml and more.
            """,
        examples: [
            "report", "report --week --time-zone Europe/Paris",
            "report --capture session.btsnoop --now 2026-03-02T18:00:00Z",
            "report --week --html week.html",
        ],
        parameters: [day, week, capture, goal, device, zone, now, json, csv, html],
        tables: [PuckTables.drinks, PuckTables.bottles, PuckTables.goals, "sessions"]
    ) { input throws(CommandError) in
        guard !(input.isSet(day) && input.isSet(week)) else { throw .usage("say either --day or --week") }
        guard [json, csv, html].count(where: { input.isSet($0) }) <= 1 else {
            throw .usage("say one of --json, --csv and --html")
        }
        let report = try makeReport(input)
        let text =
            input.isSet(html)
            ? report.html : input.isSet(json) ? report.json : input.isSet(csv) ? report.csv : report.text
        var output = CommandOutput(text, outcome: report.days.contains { $0.drinks > 0 } ? .done : .inconclusive)
        if let content = input.content(capture), case .values(let values) = content.content,
            values.allSatisfy({ CapturedDrinks.configurations.contains($0.type) })
        {
            output.notes = [
                "\(content.name): no drinks are sent in it, or it lacks the discovery of the attributes that carry them"
            ]
        }
        return output
    }

    private static func makeReport(_ input: CommandInput) throws(CommandError) -> HydrationReport {
        let zone = input.zone(zone)
        let bottles = rows(PuckTables.bottles, input)
        let captured = try capturedDrinks(input)
        let drinks = captured?.drinks ?? rows(PuckTables.drinks, input).compactMap { Drink($0) }
        // In a capture, the last drink counts as the present: anything later is not known.
        let latest = input.isSet(capture) ? drinks.map(\.time).filter { $0 > 0 }.max() : nil
        let now = try present(input, else: latest)
        let learned = captured?.goals ?? rows(PuckTables.goals, input).compactMap { GoalHistory.Change($0) }
        let goals = input.number(goal).map { GoalHistory(given: Int64($0)) } ?? GoalHistory(learned)
        // A session without a device has found no bottle.
        let connections = rows("sessions", input).compactMap { row in
            row.text("plugin") == "aquavate" && row.text("device") != nil
                ? (row.integer("ended_at") ?? row.integer("started_at")) : nil
        }.map { $0 / 1_000_000_000 }
        let battery = bottles.filter { $0.integer("is_battery_low") == 1 }.compactMap { bottle in
            bottle.integer("last_sync").map { time in
                Reminder(
                    time: time, kind: .lowBattery,
                    text: "Low battery: \(bottle.integer("battery_percent") ?? 0) %. Charge the bottle.")
            }
        }
        var report = HydrationReport(
            drinks, days: input.isSet(week) ? 7 : 1, goals: goals,
            connections: input.isSet(capture) ? [] : connections, battery: input.isSet(capture) ? [] : battery,
            now: now,
            zone: zone)
        if !input.isSet(capture) { report.levels = bottles.compactMap { BottleLevel($0, until: now) } }
        return report
    }

    /// The drinks and goals of the given capture, filtered by the given device; nil without a capture.
    private static func capturedDrinks(_ input: CommandInput) throws(CommandError) -> CapturedDrinks? {
        guard let content = input.content(capture) else { return nil }
        guard case .values(var values) = content.content else {
            throw .unreadable("\(content.name): not a capture")
        }
        if let device = input.text(device) {
            values.removeAll { $0.peer.address != device.lowercased() && $0.peer.title != device }
        }
        do throws(TwinFault) {
            return try CapturedDrinks(values)
        } catch {
            throw .unreadable("\(error)")
        }
    }

    private static let to = CommandParameter.option("to", placeholder: "format", help: "The format: healthkit.")
    private static let output = CommandParameter.option(
        "output", short: "o", .output, placeholder: "file", help: "The file to write; standard output by default.")

    private static let export = PluginCommand(
        name: "export",
        abstract: "Write the drinks that HealthKit does not have yet, one sample each, as JSON lines.",
        discussion: """
            A sample has the same UUID at every export. What was written once is not written again; a drink that was deleted \
            since is written as a deletion, once. Refills are no samples.
            """,
        examples: ["export --to healthkit -o new.ndjson"], parameters: [to, output, device],
        tables: [PuckTables.drinks]
    ) { input throws(CommandError) in
        guard input.text(to) == "healthkit" else { throw .usage("--to: expected healthkit") }
        let export = HealthExport(rows(PuckTables.drinks, input).compactMap { Drink($0) })
        var output = CommandOutput(
            export.text, notes: ["\(export.added) to save, \(export.removed) to delete"])
        output.storeChanges = export.changes
        return output
    }

    private static let activity = PluginCommand(
        name: "activity",
        abstract: "Show when Aquavate pucks were awake and carried about, as they told it last.",
        examples: ["", "--energy", "--json"], parameters: [device, energy, zone, now, json],
        tables: [PuckTables.bottles, PuckTables.wakeEvents, PuckTables.backpackSessions, "connections"]
    ) { input throws(CommandError) in
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
    private static func rows(_ table: String, _ input: CommandInput) -> [Record] {
        let all = input.rows[table] ?? []
        guard let device = input.text(device) else { return all }
        return all.filter { $0.text("device") == device.lowercased() || $0.text("device_name") == device }
    }

    private static func present(_ input: CommandInput, else usual: Int64?) throws(CommandError) -> Int64 {
        guard let text = input.text(now) else { return usual ?? Int64(input.now.wholeSeconds) }
        guard let time = Timestamp(rfc3339: text) else {
            throw .usage("--now \(text): expected a time like 2026-03-02T18:00:00Z")
        }
        return Int64(time.wholeSeconds)
    }
}
