import PluginKit
import Profile

/// The goal of a day over time. A goal is in force from the time at which it was learned until the next one; the first
/// known goal also before.
struct GoalHistory: Hashable, Sendable {
    struct Change: Hashable, Sendable {
        /// Seconds since 1970; 0 if it is not known when the goal was learned.
        var time: Int64
        /// ml.
        var goal: Int64
    }

    /// Source of the goals, in a few words.
    let source: String
    /// Oldest first; empty if no goal is known.
    private var changes: [Change] = []

    /// Goal of a puck for which no other one was set, in ml.
    private static let usualGoal: Int64 = 2500

    /// The goals of the bottles, in the order in which they were learned.
    init(_ learned: [Change]) {
        source = learned.isEmpty ? "the usual one" : "the bottle's"
        for change in learned {
            // After the clock was set back, the last learned goal is in force from the earlier time.
            changes.removeAll { $0.time > change.time }
            changes.append(change)
        }
    }

    /// A goal that the user gives for all days, in ml.
    init(given goal: Int64) {
        changes = [Change(time: 0, goal: goal)]
        source = "as given"
    }

    /// The goal in force at a time, in ml.
    func goal(at time: Int64) -> Int64 {
        (changes.last { $0.time <= time } ?? changes.first)?.goal ?? Self.usualGoal
    }
}

extension GoalHistory.Change {
    /// Reads a row of the store.
    init?(_ row: Record) {
        guard let time = row.integer("timestamp"), let goal = row.integer("goal_ml") else { return nil }
        self.init(time: time, goal: goal)
    }
}
