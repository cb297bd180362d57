import Bluetooth
import Bytes
import PluginKit
import Profile

/// The command `hydration report`.
extension HydrationCommands {
    private static let day = CommandParameter.flag("day", help: "The day of --now, with its drinks; the usual one.")
    private static let week = CommandParameter.flag("week", help: "The seven days up to that of --now.")
    private static let dateOption = CommandParameter.option(
        "date", placeholder: "date", help: "A day of the past, like 2026-03-02, as it was at its end.")
    private static let firstDay = CommandParameter.option(
        "from", placeholder: "date", help: "The first day of a period, which ends with --to, else with --now.")
    private static let lastDay = CommandParameter.option(
        "to", placeholder: "date", help: "The last day of the period of --from, as it was at its end.")
    private static let capture = CommandParameter.option(
        "capture",
        .input(
            values: Set(CapturedDrinks.characteristics), writes: Set(CapturedDrinks.writtenCharacteristics)),
        placeholder: "file",
        help: "Take the drinks and goals of a capture instead of those of the store.")
    private static let dump = CommandParameter.option(
        "dump", .file, placeholder: "file",
        help: "Take the drinks of /drinks.bin from a puck's flash memory, which its /meta.bin may follow.")
    private static let nvs = CommandParameter.option(
        "nvs", .file, placeholder: "file",
        help: "With --dump: show the settings of the puck's NVS partition, and use its goal and its time zone.")
    private static let goal = CommandParameter.option(
        "goal", .number(1...20_000), placeholder: "ml",
        help: "The goal of all days; by default the bottle's, each from when it was learned, else 2500 ml.")
    private static let csv = CommandParameter.flag("csv", help: "Print a row for each day.")
    private static let html = CommandParameter.option(
        "html", .output, placeholder: "file", help: "Write a page of HTML to a file.")

    static let report = PluginCommand(
        name: "report",
        abstract: "Show what was drunk by day, the pace, and the reminders that the app gives.",
        discussion: """
            A day begins at midnight of the zone in which it was drunk. The pace is that of the goal from 7 am to \
            10 pm; reminders come while the urgency rises, at most 12 a day, for 150 ml and more.
            """,
        examples: [
            "report", "report --week --time-zone Europe/Paris", "report --from 2026-02-01 --to 2026-02-28 --csv",
            "report --capture session.btsnoop --now 2026-03-02T18:00:00Z",
            "report --week --html week.html", "report --dump drinks.bin --nvs nvs.bin",
        ],
        parameters: [
            day, week, dateOption, firstDay, lastDay, capture, dump, nvs, goal, device, zone, now, json, csv, html,
        ],
        tables: [PuckTables.drinks, PuckTables.bottles, PuckTables.goals, "sessions", "connections"]
    ) { input throws(CommandError) in
        guard [json, csv, html].count(where: { input.isSet($0) }) <= 1 else {
            throw .usage("say one of --json, --csv and --html")
        }
        let settings = try dumpedSettings(input)
        let dumped = try dumpedDrinks(input, settings)
        var report = try makeReport(input, dumped, settings)
        report.storage = dumped
        report.settings = settings?.entries ?? []
        let text =
            input.isSet(html)
            ? report.html : input.isSet(json) ? report.json : input.isSet(csv) ? report.csv : report.text
        var output = CommandOutput(text, outcome: report.days.contains { $0.drinks > 0 } ? .done : .inconclusive)
        if let content = input.content(capture), case .values(let values) = content.content,
            !values.contains(where: { CapturedDrinks.histories.contains($0.type) })
        {
            output.notes = [
                "\(content.name): no drinks are sent in it, or it lacks the discovery of the attributes that carry them"
            ]
        }
        output.notes += (dumped?.notes ?? []) + (settings?.notes ?? [])
        return output
    }

    /// The given dump of non-volatile storage; nil without one.
    private static func dumpedSettings(_ input: CommandInput) throws(CommandError) -> NVSDump? {
        guard let bytes = try input.bytes(nvs, below: dumpLimit) else { return nil }
        guard input.isSet(dump) else { throw .usage("--nvs goes with --dump") }
        return try NVSDump(bytes, name: input.text(nvs) ?? "?")
    }

    /// The given dump of the puck's drinks; nil without one.
    private static func dumpedDrinks(
        _ input: CommandInput, _ settings: NVSDump?
    ) throws(CommandError) -> DrinkDump? {
        guard let bytes = try input.bytes(dump, below: dumpLimit) else { return nil }
        guard !input.isSet(capture), !input.isSet(device) else {
            throw .usage("--dump is of one bottle: say neither --capture nor --device")
        }
        return try DrinkDump(
            bytes, name: input.text(dump) ?? "?", offset: (settings?.offsetHours ?? 0) * 3600)
    }

    /// Larger than any flash memory of a puck, in bytes.
    private static let dumpLimit = 64 << 20

    private static func makeReport(
        _ input: CommandInput, _ dumped: DrinkDump?, _ settings: NVSDump?
    ) throws(CommandError) -> HydrationReport {
        let captured = try capturedDrinks(input)
        let isOfFile = captured != nil || dumped != nil
        let drinks = captured?.drinks ?? dumped?.drinks ?? rows(PuckTables.drinks, input).compactMap { Drink($0) }
        // In a file, the last drink counts as the present: anything later is not known.
        let latest = !isOfFile ? nil : drinks.map(\.time).filter { $0 > 0 }.max()
        let now = try present(input, else: latest)
        let zones =
            input.isSet(zone)
            ? ZoneHistory(input.zone(zone))
            : ZoneHistory(drinks, local: input.localZone, now: now) { input.findZone?($0) }
        let (first, last) = try period(input, today: zones.table.day(of: now))
        let stored = dumped == nil ? nil : settings?.goal.map { [GoalHistory.Change(time: 0, goal: $0)] } ?? []
        let learned = captured?.goals ?? stored ?? rows(PuckTables.goals, input).compactMap { GoalHistory.Change($0) }
        let goals = input.number(goal).map { GoalHistory(given: Int64($0)) } ?? GoalHistory(learned)
        let bottles = isOfFile ? [] : rows(PuckTables.bottles, input)
        var report = HydrationReport(
            drinks, from: first, through: last, goals: goals,
            connections: isOfFile
                ? [] : HydrationReminders.contacts(rows("sessions", input), rows("connections", input)),
            battery: bottles.compactMap { Reminder(lowBatteryOf: $0) }, now: now, zones: zones)
        report.levels = bottles.compactMap { BottleLevel($0, until: report.now) }
        return report
    }

    /// Maximum number of days of a report: ten years.
    private static let dayLimit: Int64 = 3653

    /// The first and the last day of the report.
    private static func period(
        _ input: CommandInput, today: CivilDate
    ) throws(CommandError) -> (first: CivilDate, last: CivilDate) {
        guard [day, week, dateOption, firstDay].count(where: { input.isSet($0) }) <= 1 else {
            throw .usage("say one of --day, --week, --date and --from")
        }
        if let date = try pastDay(dateOption, input, today) { return (date, date) }
        guard let first = try pastDay(firstDay, input, today) else {
            guard !input.isSet(lastDay) else { throw .usage("--to ends a period: say its first day with --from") }
            return (today.advanced(days: input.isSet(week) ? -6 : 0), today)
        }
        let last = try pastDay(lastDay, input, today) ?? today
        guard first <= last else { throw .usage("--from \(first): after the last day, \(last)") }
        guard last.daysSince1970 - first.daysSince1970 < dayLimit else {
            throw .usage("--from \(first): a report has at most \(dayLimit) days; name a later day, or an earlier --to")
        }
        return (first, last)
    }

    /// The day that an option names; nil if it is not given.
    private static func pastDay(
        _ parameter: CommandParameter, _ input: CommandInput, _ today: CivilDate
    ) throws(CommandError) -> CivilDate? {
        guard let day = try input.date(parameter) else { return nil }
        guard day <= today else { throw .usage("--\(parameter.name) \(day): after the day of --now, \(today)") }
        return day
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
}
