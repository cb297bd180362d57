import Bytes
import PluginKit

/// A local day, from midnight to midnight ("DailySummary Entity", "Day Boundary Alignment").
struct DaySummary: Hashable, Sendable {
    var date: CivilDate
    /// Seconds since 1970: the start of the day, and of the next one.
    var start: Int64
    var end: Int64
    /// ml.
    var total: Int64
    var goal: Int64
    var drinks: Int
    var refills: Int
    /// ml of the bottle's day with this date, which begins at midnight of the bottle's epoch.
    var bottleTotal: Int64 = 0
    /// Start of the bottle's day in seconds since 1970; nil if bottles have different ones.
    var bottleStart: Int64?
    /// Number of drinks that count at their arrival.
    var arrived = 0

    var isGoalReached: Bool { total >= goal }
    /// Percentage of the goal, truncated.
    var percent: Int64 { goal > 0 ? total * 100 / goal : 0 }
}

extension DaySummary {
    /// Rise of the level from which a bottle counts as refilled, in ml; the shipped firmware records drinks only
    /// (section 10.5).
    static let refillThreshold: Int64 = 100

    /// The days up to that of `now`, oldest first.
    static func days(
        _ count: Int, of drinks: [Drink], goals: GoalHistory, until now: Int64, in zone: TimeZoneTable
    ) -> [Self] {
        let today = zone.day(of: now)
        let first = today.advanced(days: 1 - Int64(count))
        return days(from: first, through: today, of: drinks, goals: goals, until: now, in: ZoneHistory(zone))
    }

    /// Consecutive days, oldest first. Deleted drinks, drinks without a time and those after `now` do not count. A
    /// drink belongs to the date of its time in the zone in which it was drunk. The goal of a day is the one in force
    /// at its end, or at `now`.
    static func days(
        from first: CivilDate, through last: CivilDate, of drinks: [Drink], goals: GoalHistory, until now: Int64,
        in zones: ZoneHistory
    ) -> [Self] {
        let counted = drinks.filter { !$0.isDeleted && $0.time > 0 && $0.time <= now }.sorted {
            ($0.time, $0.recordID) < ($1.time, $1.recordID)
        }
        let zone = zones.table
        let byDay = Dictionary(grouping: counted) { zone.day(of: $0.time) }
        let byBottleDay = Dictionary(grouping: counted) { $0.bottleDay ?? zone.day(of: $0.time) }
        let refills = Dictionary(grouping: inferredRefills(counted)) { zone.day(of: $0) }
        guard first <= last else { return [] }
        return (first.daysSince1970...last.daysSince1970).map { number in
            let date = CivilDate(daysSince1970: number)
            let (drinks, bottleDrinks) = (byDay[date] ?? [], byBottleDay[date] ?? [])
            let end = zones.end(of: date)
            let offsets = Set((drinks + bottleDrinks).filter { $0.bottleDay != nil }.map(\.offset))
            return DaySummary(
                date: date, start: zone.start(of: date), end: end, total: sum(drinks),
                goal: goals.goal(at: min(end - 1, now)), drinks: drinks.count { !$0.isRefill },
                refills: drinks.count(where: \.isRefill) + (refills[date]?.count ?? 0), bottleTotal: sum(bottleDrinks),
                bottleStart: offsets.count == 1 ? offsets.first.map { number * 86_400 - $0 } : nil,
                arrived: drinks.count { $0.arrival != nil })
        }
    }

    private static func sum(_ drinks: [Drink]) -> Int64 { drinks.reduce(0) { $0 + max(0, $1.amount) } }

    /// Times at which a bottle was fuller than the drink before had left it, without a record of a refill in between.
    private static func inferredRefills(_ drinks: [Drink]) -> [Int64] {
        var levels: [String: Int64] = [:]
        var times: [Int64] = []
        for drink in drinks {
            if !drink.isRefill, let level = levels[drink.device], drink.level + drink.amount - level >= refillThreshold
            {
                times.append(drink.time)
            }
            levels[drink.device] = drink.level
        }
        return times
    }
}
