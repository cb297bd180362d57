import Bytes
import PluginKit
import Profile

/// The last measured level of a bottle.
struct BottleLevel: Hashable, Sendable {
    var name: String
    /// ml.
    var amount: Int64
    /// Seconds since 1970.
    var time: Int64

    /// Reads a row of the store; nil for a bottle without a level up to `now`.
    init?(_ bottle: Record, until now: Int64) {
        guard let amount = bottle.integer("level_ml"), let time = bottle.integer("level_time"), time <= now
        else { return nil }
        (self.amount, self.time) = (amount, time)
        name = bottle.text("device_name") ?? bottle.text("device") ?? "?"
    }
}

/// Drinks by day, the pace, and the app's reminders: `hydration report`.
struct HydrationReport {
    /// The zones of the days.
    var zones: ZoneHistory
    /// The present, or the end of a period of the past.
    var now: Int64
    var goals: GoalHistory
    var days: [DaySummary]
    var reminders: [Reminder]
    /// Drinks of the last day, oldest first.
    var drinks: [Drink]
    /// Last reported levels of the bottles.
    var levels: [BottleLevel] = []
    /// The dump that the drinks are from; nil without one.
    var storage: DrinkDump?
    /// Values of non-volatile storage.
    var settings: [NVSDump.Entry] = []
    /// Number of drinks without a time, which belong to no day.
    var timeless: Int
    /// Number of drinks of the days that count at their arrival, by reason.
    var arrived: [(reason: RecordTime.Arrival, drinks: Int)]
    /// ml behind the pace now; negative if ahead of it.
    var deficit: Double
    var urgency: PaceModel.Urgency

    /// The days up to that of `now`, in one zone.
    init(
        _ all: [Drink], days count: Int, goals: GoalHistory, connections: [Int64], battery: [Reminder], now: Int64,
        zone: TimeZoneTable
    ) {
        let today = zone.day(of: now)
        self.init(
            all, from: today.advanced(days: 1 - Int64(count)), through: today, goals: goals,
            connections: connections, battery: battery, now: now, zones: ZoneHistory(zone))
    }

    /// Consecutive days up to that of `now`, or of the past.
    init(
        _ all: [Drink], from first: CivilDate, through last: CivilDate, goals: GoalHistory, connections: [Int64],
        battery: [Reminder], now present: Int64, zones: ZoneHistory
    ) {
        let zone = zones.table
        let now = min(present, zones.end(of: last) - 1)
        self.zones = zones
        self.now = now
        self.goals = goals
        // The bottle's day of the last date may end after the report's: a day of the past has it whole.
        days = DaySummary.days(from: first, through: last, of: all, goals: goals, until: present, in: zones)
        timeless = all.count { !$0.isDeleted && $0.time <= 0 }
        let start = days.first?.start ?? now
        let period = first...max(first, last)
        let counted = all.filter {
            !$0.isDeleted && $0.time > 0 && $0.time <= now && period.contains(zone.day(of: $0.time))
        }
        arrived = [RecordTime.Arrival.unsetClock, .fastClock].map { reason in
            (reason, counted.count { $0.arrival == reason })
        }
        // Before the first drink or connection, there was no user to remind.
        let known = (all.map(\.time).filter { $0 > 0 } + connections).min() ?? .max
        reminders = days.filter { $0.end > known }
            .flatMap { PaceModel.reminders(of: $0, drinks: counted, goals: goals, until: now, in: zone) }
        reminders += PaceModel.silences(connections, from: start, until: now)
        reminders += battery.filter { (start...max(start, now)).contains($0.time) }
        reminders.sort { ($0.time, $0.kind.rawValue) < ($1.time, $1.kind.rawValue) }
        drinks = counted.filter { zone.day(of: $0.time) == last }.sorted { $0.time < $1.time }
        let second = zone.local(now) - last.daysSince1970 * 86_400
        let model = PaceModel(goal: goals.goal(at: now))
        deficit = model.deficit(atSecond: second, drunk: days.last?.total ?? 0)
        urgency = model.urgency(of: deficit)
    }

    /// The local time of the days.
    var zone: TimeZoneTable { zones.table }
    /// Name of the zone in force now.
    var zoneName: String { zones.name(at: now) }

    /// ml; the goal in force now.
    var goal: Int64 { goals.goal(at: now) }

    /// Human-readable text.
    var text: String {
        var lines = ["Hydration until \(zone.text(now)) (\(zoneName)), goal \(goal) ml (\(goals.source))", ""]
        for day in days {
            let bar = String(repeating: "#", count: Int(min(day.percent, 150) / 5))
            lines.append(
                "\(day.date)  \(Self.column(day.total, 5)) ml  \(Self.column(day.percent, 4)) %  "
                    + "\(Self.column(Int64(day.drinks), 3)) \(day.drinks == 1 ? "drink " : "drinks") "
                    + "\(Self.column(Int64(day.refills), 2)) \(day.refills == 1 ? "refill " : "refills")  \(bar)")
            if let remark = bottleRemark(day) { lines.append("  \(remark)") }
        }
        if days.count == 1, !drinks.isEmpty {
            lines.append("")
            for drink in drinks {
                let what = drink.isRefill ? "refill \(-drink.amount) ml" : "\(drink.amount) ml"
                lines.append(
                    "  \(zone.clock(drink.time))  \(what), \(drink.level) ml left"
                        + (drink.arrival == nil ? "" : ", arrived"))
            }
        }
        lines += ["", paceLine]
        lines += levels.map { level in
            let name = levels.count == 1 ? "the bottle" : level.name.legible()
            return "In \(name): \(level.amount) ml, \(ActivityView.age(now - level.time))"
        }
        if !reminders.isEmpty {
            lines += ["", "Reminders"]
            for reminder in reminders {
                let date = days.count == 1 ? "" : "\(zone.day(of: reminder.time)) "
                lines.append("  \(date)\(zone.clock(reminder.time))  \(reminder.text)")
            }
        }
        if timeless > 0 {
            lines += ["", "\(timeless) without a time: the bottle did not know it; they belong to no day"]
        }
        if let storage { lines += ["", storage.text] }
        if !settings.isEmpty {
            lines += ["", "Settings"] + settings.map { "  \($0.key.legible()): \($0.value)" }
        }
        for remark in arrivalRemarks + [zoneRemark].compactMap(\.self) { lines += ["", remark] }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Remarks about drinks that count at their arrival.
    var arrivalRemarks: [String] {
        arrived.filter { $0.drinks > 0 }.map { reason, drinks in
            (drinks == 1 ? "1 drink counts at its arrival" : "\(drinks) drinks count at their arrival")
                + ": the bottle \(reason.reason)"
        }
    }

    /// The remark about the zones of the days; nil for a single zone.
    var zoneRemark: String? {
        let changes = zones.changes(from: days.first?.start ?? now, to: days.last?.end ?? now)
        guard changes.count > 1 else { return nil }
        let later = changes.dropFirst().map { "from \(zone.text($0.time)) \($0.zone.name)" }
        return "Days are those of the zones where it was drunk: "
            + ([changes[0].zone.name] + later).joined(separator: ", ")
    }

    /// The total of the bottle's day, where it differs from that of the report's.
    func bottleRemark(_ day: DaySummary) -> String? {
        guard day.bottleTotal != day.total else { return nil }
        let start = day.bottleStart.map { " (from \(zone.text($0)))" } ?? ""
        return "the bottle's day\(start): \(day.bottleTotal) ml"
    }

    /// Names of the zones of a day.
    private func zoneNames(_ day: DaySummary) -> [String] {
        zones.changes(from: day.start, to: day.end).map(\.zone.name)
    }

    private var paceLine: String {
        let missing = Int64(deficit.rounded(.toNearestOrAwayFromZero))
        return missing > 0
            ? "Pace: \(urgency.rawValue), \(missing) ml behind" : "Pace: \(urgency.rawValue), \(-missing) ml ahead"
    }

    private static func column(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: " ", count: max(0, width - digits.count)) + digits
    }

    /// A JSON object.
    var json: String {
        JSONValue.members([
            "now": .string(zone.text(now)), "time_zone": .string(zoneName), "goal_ml": .integer(Int(goal)),
            "goal_source": .string(goals.source),
            "pace": .members([
                "urgency": .string(urgency.rawValue),
                "deficit_ml": .integer(Int(deficit.rounded(.toNearestOrAwayFromZero))),
            ]), "levels": .array(levels.map { json($0) }),
            "days": .array(days.map { json($0) }), "drinks": .array(drinks.map { json($0) }),
            "reminders": .array(reminders.map { json($0) }),
            "drinks_without_time": .integer(timeless),
            "storage": storage?.json,
            "settings": jsonSettings,
            "drinks_arrived": .integer(arrived.reduce(0) { $0 + $1.drinks }),
        ]).text
    }

    private var jsonSettings: JSONValue? {
        guard !settings.isEmpty else { return nil }
        return .array(settings.map { .members(["key": .string($0.key), "value": .string($0.value)]) })
    }

    private func json(_ day: DaySummary) -> JSONValue {
        .members([
            "date": .string("\(day.date)"), "start": .string(zone.text(day.start)), "end": .string(zone.text(day.end)),
            "total_ml": .integer(Int(day.total)), "goal_ml": .integer(Int(day.goal)), "drinks": .integer(day.drinks),
            "refills": .integer(day.refills), "goal_reached": .boolean(day.isGoalReached),
            "drinks_arrived": .integer(day.arrived), "time_zones": .array(zoneNames(day).map { .string($0) }),
            "bottle_day": .members([
                "total_ml": .integer(Int(day.bottleTotal)),
                "start": day.bottleStart.map { .string(zone.text($0)) },
            ]),
        ])
    }

    private func json(_ level: BottleLevel) -> JSONValue {
        .members([
            "bottle": .string(level.name), "level_ml": .integer(Int(level.amount)),
            "time": .string(zone.text(level.time)),
        ])
    }

    private func json(_ drink: Drink) -> JSONValue {
        .members([
            "time": .string(zone.text(drink.time)), "amount_ml": .integer(Int(drink.amount)),
            "level_ml": .integer(Int(drink.level)), "arrived": drink.arrival.map { .string($0.rawValue) },
        ])
    }

    private func json(_ reminder: Reminder) -> JSONValue {
        .members([
            "time": .string(zone.text(reminder.time)), "kind": .string(reminder.kind.rawValue),
            "deficit_ml": reminder.deficit.map { .integer(Int($0)) }, "text": .string(reminder.text),
        ])
    }

    /// CSV with a row for each day.
    var csv: String {
        let header = [
            "date", "start", "end", "total_ml", "goal_ml", "drinks", "refills", "goal_reached", "bottle_day_ml",
            "drinks_arrived", "time_zones",
        ]
        let rows = days.map { day in
            [
                "\(day.date)", zone.text(day.start), zone.text(day.end), "\(day.total)", "\(day.goal)", "\(day.drinks)",
                "\(day.refills)", "\(day.isGoalReached)", "\(day.bottleTotal)", "\(day.arrived)",
                zoneNames(day).joined(separator: " "),
            ]
        }
        return String(decoding: ([header] + rows).flatMap { CSV.line($0) }, as: UTF8.self)
    }
}
