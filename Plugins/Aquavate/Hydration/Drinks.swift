import Bytes
import PluginKit
import Profile

/// A record of a bottle: a drink or, in the dialect `prd`, a refill.
struct Drink: Hashable, Sendable {
    /// Row ID in the store; 0 for a drink of a capture.
    var row: Int64 = 0
    /// Address of the bottle; empty where a capture does not contain it.
    var device: String
    var recordID: Int64
    /// Seconds since 1970, at the latest that of the transfer; 0 if the bottle did not know the time.
    var time: Int64
    /// ml; negative for a refill.
    var amount: Int64
    /// ml in the bottle afterwards.
    var level: Int64
    var isDeleted = false
    /// UUID of the HealthKit sample; nil if the drink was not exported.
    var healthID: String?
    var isRemovedFromHealth = false
    /// The timestamp that identifies the record, in seconds of the bottle's epoch; nil if it is `time`.
    var timestamp: Int64?
    /// Whether the bottle's clock was fast: the timestamp was later than the transfer.
    var isClockAhead = false

    /// Seconds that a clock may be ahead without a remark (AQ-308).
    private static let clockAccuracy: Int64 = 120

    var isRefill: Bool { amount < 0 }
}

extension Drink {
    /// Reads a row of the store.
    init?(_ row: Record) {
        guard let id = row.integer("id"), let record = row.integer("record_id"), let sent = row.integer("timestamp"),
            let amount = row.integer("amount_ml"), let level = row.integer("level_ml")
        else { return nil }
        let time = sent > 0 ? sent - (row.integer("utc_offset_s") ?? 0) : sent
        let received = row.integer("received_at") ?? time
        self.init(
            row: id, device: row.text("device") ?? "", recordID: record, time: min(time, received), amount: amount,
            level: level, isDeleted: row.integer("is_deleted") == 1, healthID: row.text("health_uuid"),
            isRemovedFromHealth: row.integer("is_removed_from_health") == 1, timestamp: sent,
            isClockAhead: time - received > Self.clockAccuracy)
    }
}

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

    var isGoalReached: Bool { total >= goal }
    /// Percentage of the goal, truncated.
    var percent: Int64 { goal > 0 ? total * 100 / goal : 0 }
}

extension DaySummary {
    /// Rise of the level from which a bottle counts as refilled, in ml; the shipped firmware records drinks only
    /// (section 10.5).
    static let refillThreshold: Int64 = 100

    /// The days up to that of `now`, oldest first. Deleted drinks and drinks without a time do not count. The goal of a
    /// day is the one in force at its end, or at `now`.
    static func days(
        _ count: Int, of drinks: [Drink], goals: GoalHistory, until now: Int64, in zone: TimeZoneTable
    ) -> [Self] {
        let counted = drinks.filter { !$0.isDeleted && $0.time > 0 }.sorted {
            ($0.time, $0.recordID) < ($1.time, $1.recordID)
        }
        let refills = inferredRefills(counted)
        let today = zone.day(of: now).daysSince1970
        return (0..<count).reversed().map { age in
            let date = CivilDate(daysSince1970: today - Int64(age))
            let start = zone.start(of: date)
            let end = zone.start(of: CivilDate(daysSince1970: today - Int64(age) + 1))
            let ofDay = counted.filter { (start..<end).contains($0.time) && $0.time <= now }
            return DaySummary(
                date: date, start: start, end: end, total: ofDay.reduce(0) { $0 + max(0, $1.amount) },
                goal: goals.goal(at: min(end - 1, now)), drinks: ofDay.count { !$0.isRefill },
                refills: ofDay.count(where: \.isRefill) + refills.count { (start..<end).contains($0) && $0 <= now })
        }
    }

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
