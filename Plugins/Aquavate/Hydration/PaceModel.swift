import Bytes
import PluginKit

/// The pace-based model of reminders ("Hydration Reminders"): the goal is due evenly from 7 am to 10 pm.
///
/// The document does not define when to check the pace, or what to round first. Here: every minute of the active hours
/// and at every drink; the deficit is rounded to 50 ml, and suppressed when the rounded value is below 150 ml.
struct PaceModel: Hashable, Sendable {
    /// ml a day.
    var goal: Int64
    /// Seconds of the local day.
    static let activeHours: Range<Int64> = 7 * 3600..<22 * 3600
    /// ml.
    static let step: Int64 = 50
    static let leastDeficit: Int64 = 150
    static let mostReminders = 12

    enum Urgency: String, Comparable, Sendable {
        case onTrack = "on track"
        case attention
        case overdue

        private var order: Int { self == .onTrack ? 0 : self == .attention ? 1 : 2 }
        static func < (one: Urgency, other: Urgency) -> Bool { one.order < other.order }
    }

    /// Amount due at a second of the local day, in ml.
    func due(atSecond second: Int64) -> Double {
        let hours = Self.activeHours
        let elapsed = min(max(second, hours.lowerBound), hours.upperBound) - hours.lowerBound
        return Double(goal) * Double(elapsed) / Double(hours.upperBound - hours.lowerBound)
    }

    /// The deficit in ml; negative if ahead of the pace.
    func deficit(atSecond second: Int64, drunk: Int64) -> Double { due(atSecond: second) - Double(drunk) }

    func urgency(of deficit: Double) -> Urgency {
        if deficit <= 0 { return .onTrack }
        return deficit < Double(goal) * 0.2 ? .attention : .overdue
    }

    /// A deficit as shown in reminders, in ml; nil where it is suppressed.
    static func reported(_ deficit: Double) -> Int64? {
        let rounded = Int64((deficit / Double(step)).rounded(.toNearestOrAwayFromZero)) * step
        return rounded >= leastDeficit ? rounded : nil
    }
}

/// A message that the app shows its user.
struct Reminder: Hashable, Sendable {
    enum Kind: String, Sendable {
        case attention, overdue
        case backOnTrack = "back_on_track"
        case goalReached = "goal_reached"
        case lowBattery = "low_battery"
        case notConnected = "not_connected"
    }

    /// Seconds since 1970.
    var time: Int64
    var kind: Kind
    /// ml; nil for reminders without a deficit.
    var deficit: Int64?
    var text: String
}

extension PaceModel {
    /// The app's reminders in a day, up to `now`: while the urgency rises, when the goal is reached, and when the pace
    /// is met again after a reminder. Each is that of the goal in force at its time.
    static func reminders(
        of day: DaySummary, drinks: [Drink], goals: GoalHistory, until now: Int64, in zone: TimeZoneTable
    ) -> [Reminder] {
        let midnight = day.date.daysSince1970 * 86_400
        let drinks = drinks.filter { !$0.isDeleted && !$0.isRefill && $0.time > 0 && zone.day(of: $0.time) == day.date }
            .sorted { $0.time < $1.time }
        // A minute that the local clock repeats is checked once; a minute that it skips, at the first time after it.
        let minutes = stride(from: Self.activeHours.lowerBound, to: Self.activeHours.upperBound, by: 60)
            .map { zone.time(ofLocal: midnight + $0) }
        let times = Set(minutes + drinks.map(\.time)).filter { $0 <= now }.sorted()
        var replay = Replay(goals: goals)
        var rest = drinks[...]
        for time in times {
            while let drink = rest.first, drink.time <= time {
                replay.drunk += drink.amount
                rest.removeFirst()
            }
            replay.look(at: time, second: zone.local(time) - midnight)
        }
        return replay.reminders
    }

    /// Replays a day minute by minute.
    struct Replay: Sendable {
        private var goals: GoalHistory
        var drunk: Int64 = 0
        var reminders: [Reminder] = []
        /// The urgency of the last reminder, or a lower one since.
        private var reported = Urgency.onTrack
        private var count = 0
        private var hasReached = false

        init(goals: GoalHistory) {
            self.goals = goals
        }

        /// Continues after the reminders that were given earlier in the day, oldest first.
        mutating func resume(after given: [Reminder.Kind]) {
            for kind in given {
                switch kind {
                case .attention: (reported, count) = (.attention, count + 1)
                case .overdue: (reported, count) = (.overdue, count + 1)
                case .backOnTrack: reported = .onTrack
                case .goalReached: hasReached = true
                case .lowBattery, .notConnected: break
                }
            }
        }

        mutating func update(goals: GoalHistory) { self.goals = goals }

        mutating func look(at time: Int64, second: Int64) {
            let model = PaceModel(goal: goals.goal(at: time))
            if !hasReached, drunk >= model.goal {
                hasReached = true
                reminders.append(Reminder(time: time, kind: .goalReached, text: "Goal Reached! 💧"))
            }
            guard PaceModel.activeHours.contains(second) else { return }
            let deficit = model.deficit(atSecond: second, drunk: drunk)
            let urgency = model.urgency(of: deficit)
            if urgency == .onTrack, reported > .onTrack {
                if !hasReached { reminders.append(Reminder(time: time, kind: .backOnTrack, text: "Back on track!")) }
                reported = .onTrack
            }
            reported = min(reported, urgency)
            guard urgency > reported, let missing = PaceModel.reported(deficit), count < PaceModel.mostReminders else {
                return
            }
            reported = urgency
            count += 1
            let text =
                urgency == .attention
                ? "Time to hydrate! You're \(missing)ml behind pace."
                : "You're falling behind! Drink \(missing)ml to catch up."
            reminders.append(
                Reminder(
                    time: time, kind: urgency == .attention ? .attention : .overdue, deficit: missing, text: text))
        }
    }

    /// Reminders that no bottle was connected for 24 h: one for each such gap whose 24 h end at `start` or later.
    static func silences(_ connections: [Int64], from start: Int64, until now: Int64) -> [Reminder] {
        let times = connections.filter { $0 <= now }.sorted()
        return times.enumerated().compactMap { index, time in
            let due = time + 86_400
            let next = index + 1 < times.count ? times[index + 1] : .max
            guard due < next, due <= now, due >= start else { return nil }
            return Reminder(
                time: due, kind: .notConnected, text: "Your bottle was not connected for 24 h: open the app to sync.")
        }
    }
}
