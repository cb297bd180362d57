import Bytes
import PluginKit
import Profile

/// `gattbench lifecount`.
enum CountCommands {
    static let group = PluginCommandGroup(
        name: "lifecount", abstract: "Report what people counters have counted, and count by hand.",
        commands: [
            report, CountStatus.command, CountLocations.command, CountLocations.endDay, add, CountSimulation.command,
            CloudRules.command,
        ])

    private static let range = CommandParameter.option(
        "range", placeholder: "range", help: "today, 7d, 30d or year; today by default.")
    private static let date = CommandParameter.option(
        "date", placeholder: "date", help: "The operational day that began on this date, like 2026-03-02.")
    private static let from = CommandParameter.option(
        "from", placeholder: "date", help: "The first operational day of a period.")
    private static let to = CommandParameter.option(
        "to", placeholder: "date", help: "The last operational day of a period; the present one by default.")
    private static let compare = CommandParameter.flag("compare", help: "Show the period before too.")
    static let location = CommandParameter.option(
        "location", .number(0...65_535), placeholder: "id", help: "Only this location; by default all together.")
    /// For commands about one location.
    static let place = CommandParameter.option(
        "location", .number(0...65_535), placeholder: "id", help: "The location.")
    /// For commands that add entries.
    static let target = CommandParameter.option(
        "location", .number(0...65_535), placeholder: "id", help: "The location; 0 by default.")
    static let capacity = CommandParameter.option(
        "capacity", .number(1...1_000_000), placeholder: "people",
        help: "People that there is room for; as set for the location by default.")
    static let hour = CommandParameter.option(
        "boundary-hour", .number(0...23), placeholder: "hour",
        help: "The hour at which a day begins; as set for the location by default, else 12.")
    static let zone = CommandParameter.option(
        "time-zone", .timeZone, placeholder: "zone",
        help: "The zone, like Europe/Paris; as set for the location by default, else this machine's.")
    static let now = CommandParameter.option(
        "now", placeholder: "time", help: "The present, like 2026-03-02T18:00:00Z; the clock's by default.")
    private static let csv = CommandParameter.flag("csv", help: "Print a row for each hour, day or month.")
    static let json = CommandParameter.flag("json", help: "Print JSON.")
    private static let html = CommandParameter.option(
        "html", .output, placeholder: "file", help: "Write a page of HTML with charts to a file.")

    private static let report = PluginCommand(
        name: "report",
        abstract: "Show how many people came and went, the largest count, and what is missing.",
        discussion: """
            A day begins at noon, or at --boundary-hour, by the clock of the location; the count begins with zero then and never \
            falls below it. The average weighs each moment the same. Occupancy is ok below 80 % of the capacity, warning from \
            80 %, full from 100 %. The counts of several locations are added; a store with one location is reported as that \
            location. A day is shown by the hour, other periods by the day, or by the month beyond 92 days.
            """,
        examples: [
            "report", "report --range 7d --compare --time-zone Europe/Paris", "report --date 2026-03-02",
            "report --from 2026-03-01 --to 2026-03-31", "report --capacity 80 --html today.html",
        ],
        parameters: [range, date, from, to, compare, location, capacity, hour, zone, now, json, csv, html],
        tables: [CountLocations.locations, CounterTables.counters, CounterTables.states, "sessions"]
    ) { input throws(CommandError) in
        guard [json, csv, html].count(where: { input.isSet($0) }) <= 1 else {
            throw .usage("say one of --json, --csv and --html")
        }
        let location = try CountLocations.known(input) ?? CountLocations.only(in: input)
        let rules = try CountLocations.rules(of: location, input)
        let report = try report(period(rules, input), rules, of: location, compares: input.isSet(compare), input)
        let isText = ![json, csv, html].contains { input.isSet($0) }
        let output =
            isText ? report.text : input.isSet(html) ? report.html : input.isSet(json) ? report.json : report.csv
        return CommandOutput(
            output, isPainted: isText && report.isColored, outcome: report.entries == 0 ? .inconclusive : .done)
    }

    /// The period that the user asks for.
    private static func period(_ rules: CountingRules, _ input: CommandInput) throws(CommandError) -> CountRange {
        guard [input.isSet(range), input.isSet(date), input.isSet(from) || input.isSet(to)].count(where: { $0 }) <= 1
        else { throw .usage("say one of --range, --date, and --from with --to") }
        if let day = try civilDate(date, rules, input) { return .days(day, day) }
        if let first = try civilDate(from, rules, input) {
            let today = rules.date(of: try present(input))
            let last = try civilDate(to, rules, input) ?? today
            guard first <= last else {
                throw .usage("--from \(first) --to \(last): expected a first day, then a last one")
            }
            guard last.daysSince1970 - first.daysSince1970 < dayLimit else {
                throw .usage("--from \(first) --to \(last): expected at most \(dayLimit) days")
            }
            return .days(first, last)
        }
        if input.isSet(to) { throw .usage("--to goes with --from") }
        let text = input.text(range) ?? "today"
        guard let found = CountRange.named.first(where: { $0.key == text })?.value else {
            let names = CountRange.named.map(\.key).joined(separator: ", ")
            throw .usage("--range \(text): expected one of \(names); or use --date, or --from and --to")
        }
        return found
    }

    /// Maximum length of a period in days.
    private static let dayLimit: Int64 = 3660

    /// The date of an operational day that has begun; nil if the parameter is not given.
    private static func civilDate(
        _ parameter: CommandParameter, _ rules: CountingRules, _ input: CommandInput
    ) throws(CommandError) -> CivilDate? {
        guard let date = try input.date(parameter) else { return nil }
        let now = try present(input)
        guard rules.start(of: date) <= now else {
            throw .usage(
                "--\(parameter.name) \(date): the day begins at \(rules.zone.text(rules.start(of: date))), and it is "
                    + rules.zone.text(now))
        }
        return date
    }

    /// The report of a location; nil for all.
    static func report(
        _ range: CountRange, _ rules: CountingRules, of location: Int64?, compares: Bool, _ input: CommandInput
    ) throws(CommandError) -> CountReport {
        let lastSeen = try number(of: CounterTables.lastSeen(location: location), input)
        let milliseconds = try presentMilliseconds(input)
        var report = CountReport(
            range, now: try present(input), rules, location: location, compares: compares,
            silence: lastSeen == 0 ? nil : age(ofMilliseconds: lastSeen, at: milliseconds))
        let end = (report.end + 1) * 1000
        let first = min(report.firstTime, report.start - CountQuality.margin) * 1000
        let entries = CounterTables.entries(from: first, to: end + CountQuality.margin * 1000)
        try input.forEachRow?(entries) { report.take(CountEntry($0)) }
        for device in report.quality.devices {
            let last = CounterTables.lastEntry(of: device, before: report.start * 1000)
            try input.forEachRow?(last) { report.recordNeighbor(CountEntry($0)) }
            let next = CounterTables.firstEntry(of: device, after: end - 1)
            try input.forEachRow?(next) { report.recordNeighbor(CountEntry($0)) }
        }
        report.finish()
        if !report.isPast { report.connection = CountConnection(of: location, at: milliseconds, input) }
        report.isColored = input.wantsColor
        return report
    }

    /// The totals of the present operational day at each of the locations: who is inside now.
    static func today(at locations: [Int64], _ input: CommandInput) throws(CommandError) -> [Int64: CountTotals] {
        let now = try present(input)
        var totals: [Int64: CountTotals] = [:]
        for location in locations {
            let rules = try CountLocations.rules(of: location, input)
            totals[location] = CountTotals(CountRange.today.buckets(at: now, rules), now: now, rules)
        }
        let start = totals.values.compactMap { $0.buckets.first?.range.start }.min() ?? now
        let entries = CounterTables.entries(from: start * 1000, to: (now + 1) * 1000)
        try input.forEachRow?(entries) { columns in
            let entry = CountEntry(columns)
            totals[entry.location]?.take(entry)
        }
        return totals
    }

    /// The single number that a query returns; 0 for none.
    static func number(of query: StoredQuery, _ input: CommandInput) throws(CommandError) -> Int64 {
        var number: Int64 = 0
        try input.forEachRow?(query) { number = $0[0] }
        return number
    }

    private static let delta = CommandParameter.argument(
        "delta", help: "How many came in, like +3, or went out, like -1.")
    private static let reason = CommandParameter.option("reason", placeholder: "text", help: "Who enters it and why.")
    private static let simulated = CommandParameter.flag("simulated", help: "Mark the entries as the simulator's.")

    /// Maximum length of a reason in bytes: the limit of an index in a cloud database.
    private static let reasonLimit = 1000
    /// Maximum number of entries per command.
    private static let addLimit = 1000

    private static let add = PluginCommand(
        name: "add",
        abstract: "Count by hand: add entries of the source manual to a location.",
        examples: ["add +3 --location 7 --reason \"door counter off\"", "add -1", "add +1 --simulated"],
        parameters: [delta, target, reason, simulated, now], usesStore: true
    ) { input throws(CommandError) in
        let text = input.text(delta) ?? ""
        guard let number = Int64(text), number != 0, number.magnitude <= addLimit else {
            throw .usage("\(text): expected a number like +3 or -1, up to \(addLimit)")
        }
        let source = input.isSet(simulated) ? EventSource.simulator : .manual
        if let reason = input.text(reason), reason.utf8.count > reasonLimit {
            throw .usage("--reason: expected a text of up to \(reasonLimit) bytes")
        }
        let last = try Self.number(of: CounterTables.lastNumber(of: source, device: 0), input)
        let time = try present(input) * 1000
        let rows = (1...abs(number)).map { index in
            CountEntry(
                location: input.number(target).map { Int64($0) } ?? 0, device: 0, user: input.text(reason),
                time: time,
                isDeviceTime: true, received: time, delta: number.signum(), source: source,
                sequenceNumber: last + index, boot: 0, gatewaySession: 0
            ).row
        }
        var output = CommandOutput("\(rows.count) \(rows.count == 1 ? "entry" : "entries") added\n")
        output.storeChanges = [.addNew(rows, to: CounterTables.entries)]
        return output
    }

    /// The present in seconds since 1970.
    static func present(_ input: CommandInput) throws(CommandError) -> Int64 {
        seconds(ofMilliseconds: try presentMilliseconds(input))
    }

    /// The present in milliseconds since 1970, for ages: one of whole seconds could be a second off.
    static func presentMilliseconds(_ input: CommandInput) throws(CommandError) -> Int64 {
        guard let text = input.text(now) else { return input.now.nanoseconds / 1_000_000 }
        guard let time = Timestamp(rfc3339: text) else {
            throw .usage("--now \(text): expected a time like 2026-03-02T18:00:00Z")
        }
        return time.nanoseconds / 1_000_000
    }
}
