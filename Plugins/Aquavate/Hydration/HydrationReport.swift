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
    var zone: TimeZoneTable
    var now: Int64
    var goals: GoalHistory
    var days: [DaySummary]
    var reminders: [Reminder]
    /// Drinks of the last day, oldest first.
    var drinks: [Drink]
    /// Last reported levels of the bottles.
    var levels: [BottleLevel] = []
    /// Number of drinks without a time, which belong to no day.
    var timeless: Int
    /// Number of drinks of the days that count at the time of their transfer, because the bottle's clock was fast.
    var atTransfer: Int
    /// ml behind the pace now; negative if ahead of it.
    var deficit: Double
    var urgency: PaceModel.Urgency

    init(
        _ all: [Drink], days count: Int, goals: GoalHistory, connections: [Int64], battery: [Reminder], now: Int64,
        zone: TimeZoneTable
    ) {
        self.zone = zone
        self.now = now
        self.goals = goals
        days = DaySummary.days(count, of: all, goals: goals, until: now, in: zone)
        timeless = all.count { !$0.isDeleted && $0.time <= 0 }
        let start = days.first?.start ?? now
        atTransfer = all.count { !$0.isDeleted && $0.isClockAhead && (start...max(start, now)).contains($0.time) }
        // Before the first drink or connection, there was no user to remind.
        let known = (all.map(\.time).filter { $0 > 0 } + connections).min() ?? .max
        reminders = days.filter { $0.end > known }
            .flatMap { PaceModel.reminders(of: $0, drinks: all, goals: goals, until: now, in: zone) }
        reminders += PaceModel.silences(connections, from: start, until: now)
        reminders += battery.filter { (start...max(start, now)).contains($0.time) }
        reminders.sort { ($0.time, $0.kind.rawValue) < ($1.time, $1.kind.rawValue) }
        let today = days.last
        drinks = all.filter { drink in
            !drink.isDeleted && drink.time > 0 && drink.time <= now
                && today.map { ($0.start..<$0.end).contains(drink.time) } ?? false
        }.sorted { $0.time < $1.time }
        let second = zone.local(now) - (today?.date.daysSince1970 ?? 0) * 86_400
        let model = PaceModel(goal: goals.goal(at: now))
        deficit = model.deficit(atSecond: second, drunk: today?.total ?? 0)
        urgency = model.urgency(of: deficit)
    }

    /// ml; the goal in force now.
    var goal: Int64 { goals.goal(at: now) }

    /// Human-readable text.
    var text: String {
        var lines = ["Hydration until \(zone.text(now)) (\(zone.name)), goal \(goal) ml (\(goals.source))", ""]
        for day in days {
            let bar = String(repeating: "#", count: Int(min(day.percent, 150) / 5))
            lines.append(
                "\(day.date)  \(Self.column(day.total, 5)) ml  \(Self.column(day.percent, 4)) %  "
                    + "\(Self.column(Int64(day.drinks), 3)) \(day.drinks == 1 ? "drink " : "drinks") "
                    + "\(Self.column(Int64(day.refills), 2)) \(day.refills == 1 ? "refill " : "refills")  \(bar)")
        }
        if days.count == 1, !drinks.isEmpty {
            lines.append("")
            for drink in drinks {
                let what = drink.isRefill ? "refill \(-drink.amount) ml" : "\(drink.amount) ml"
                lines.append("  \(zone.clock(drink.time))  \(what), \(drink.level) ml left")
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
        if let transferRemark { lines += ["", transferRemark] }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The remark about drinks that count at the time of their transfer; nil without any.
    var transferRemark: String? {
        guard atTransfer > 0 else { return nil }
        let drinks = atTransfer == 1 ? "1 drink counts" : "\(atTransfer) drinks count"
        return "\(drinks) at the transfer: the bottle's clock was fast"
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
            "now": .string(zone.text(now)), "time_zone": .string(zone.name), "goal_ml": .integer(Int(goal)),
            "goal_source": .string(goals.source),
            "pace": .members([
                "urgency": .string(urgency.rawValue),
                "deficit_ml": .integer(Int(deficit.rounded(.toNearestOrAwayFromZero))),
            ]), "levels": .array(levels.map { json($0) }),
            "days": .array(days.map { json($0) }), "drinks": .array(drinks.map { json($0) }),
            "reminders": .array(reminders.map { json($0) }),
            "drinks_without_time": .integer(timeless),
            "drinks_at_transfer": atTransfer > 0 ? .integer(atTransfer) : nil,
        ]).text
    }

    private func json(_ day: DaySummary) -> JSONValue {
        .members([
            "date": .string("\(day.date)"), "start": .string(zone.text(day.start)), "end": .string(zone.text(day.end)),
            "total_ml": .integer(Int(day.total)), "goal_ml": .integer(Int(day.goal)), "drinks": .integer(day.drinks),
            "refills": .integer(day.refills), "goal_reached": .boolean(day.isGoalReached),
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
            "level_ml": .integer(Int(drink.level)),
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
        let header = ["date", "start", "end", "total_ml", "goal_ml", "drinks", "refills", "goal_reached"]
        let rows = days.map { day in
            [
                "\(day.date)", zone.text(day.start), zone.text(day.end), "\(day.total)", "\(day.goal)", "\(day.drinks)",
                "\(day.refills)", "\(day.isGoalReached)",
            ]
        }
        return String(decoding: ([header] + rows).flatMap { CSV.line($0) }, as: UTF8.self)
    }
}
