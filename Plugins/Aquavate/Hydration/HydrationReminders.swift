import Bytes
import PluginKit
import Profile

/// The app's reminders as they become due, for the command of a gateway: the pace of today's drinks as far as they are
/// known, low batteries once a day, and 24 h without a connection.
struct HydrationReminders: ReminderSource {
    /// The checks of today's pace; nil before the first one.
    private var pace: (date: CivilDate, replay: PaceModel.Replay)?

    var tables: [String] {
        [PuckTables.drinks, PuckTables.bottles, PuckTables.goals, PuckTables.reminders, "sessions", "connections"]
    }

    mutating func due(_ input: CommandInput) throws(CommandError) -> [DueReminder] {
        let now = Int64(input.now.wholeSeconds)
        let contacts = Self.contacts(input.rows["sessions"] ?? [], input.rows["connections"] ?? [])
        // Before the first connection, there is no user to remind.
        guard !contacts.isEmpty else { return [] }
        let given = (input.rows[PuckTables.reminders] ?? []).compactMap { GivenReminder($0) }
        let today = input.localZone.day(of: now)
        let bottles = input.rows[PuckTables.bottles] ?? []
        let others =
            bottles.compactMap { Self.lowBattery($0, on: today, at: now) }
            + PaceModel.silences(contacts, from: 0, until: now).suffix(1).map {
                Due($0, about: "\($0.time)", at: now)
            }
        let known = Set(given)
        return (paceReminders(input, given, now) + others.filter { !known.contains($0.identity) }).map(\.reminder)
    }

    /// The reminders of the pace at `now`. After a restart, those that were given today are continued.
    private mutating func paceReminders(_ input: CommandInput, _ given: [GivenReminder], _ now: Int64) -> [Due] {
        let drinks = (input.rows[PuckTables.drinks] ?? []).compactMap { Drink($0) }
        let goals = GoalHistory((input.rows[PuckTables.goals] ?? []).compactMap { GoalHistory.Change($0) })
        guard let day = DaySummary.days(1, of: drinks, goals: goals, until: now, in: input.localZone).last else {
            return []
        }
        let earlier = given.filter { $0.subject == "\(day.date)" || $0.subject.hasPrefix("\(day.date) ") }
        var replay = PaceModel.Replay(goals: goals)
        if let pace, pace.date == day.date {
            replay = pace.replay
            replay.update(goals: goals)
        } else {
            replay.resume(after: earlier.map(\.kind))
        }
        replay.drunk = day.total
        replay.look(at: now, second: input.localZone.local(now) - day.date.daysSince1970 * 86_400)
        let new = replay.reminders
        replay.reminders = []
        pace = (day.date, replay)
        return new.enumerated().map { index, reminder in
            // The goal is reached once a day, the others are numbered.
            let number = reminder.kind == .goalReached ? "" : " \(earlier.count + index + 1)"
            var due = Due(reminder, about: "\(day.date)\(number)", at: now)
            due.details.append(("total_ml", .integer(day.total)))
            due.details.append(("goal_ml", .integer(day.goal)))
            return due
        }
    }

    /// The reminder of a bottle's low battery, once a day; nil if the battery is not low.
    private static func lowBattery(_ bottle: Record, on date: CivilDate, at now: Int64) -> Due? {
        guard let reminder = Reminder(lowBatteryOf: bottle), let device = bottle.text("device") else { return nil }
        var due = Due(reminder, about: "\(device) \(date)", at: now)
        due.details = [("device", .text(device))]
        if let name = bottle.text("device_name") { due.details.append(("device_name", .text(name))) }
        if let percent = bottle.integer("battery_percent") {
            due.details.append(("battery_percent", .integer(percent)))
        }
        return due
    }

    /// Times of connections with bottles, in seconds since 1970. A session without a connection is from an earlier
    /// version, or its program was killed: its end counts, or its start.
    static func contacts(_ sessions: [Record], _ connections: [Record]) -> [Int64] {
        // A session without a device has found no bottle.
        let own = sessions.filter { $0.text("plugin") == "aquavate" && $0.text("device") != nil }
        let numbers = Set(own.compactMap { $0.integer("id") })
        let ends = connections.compactMap { row -> (session: Int64, end: Int64)? in
            guard let session = row.integer("session_id"), numbers.contains(session), let end = row.integer("ended_at")
            else { return nil }
            return (session, end)
        }
        let connected = Set(ends.map(\.session))
        let others = own.filter { row in row.integer("id").map { !connected.contains($0) } ?? true }
            .compactMap { $0.integer("ended_at") ?? $0.integer("started_at") }
        return (ends.map(\.end) + others).map { $0 / 1_000_000_000 }
    }
}

/// Identity of a reminder in the store.
private struct GivenReminder: Hashable {
    var kind: Reminder.Kind
    /// The day, the bottle and day, or the last connection that it is about.
    var subject: String

    init(_ kind: Reminder.Kind, about subject: String) {
        self.kind = kind
        self.subject = subject
    }

    /// Reads a row of the store.
    init?(_ row: Record) {
        guard let kind = row.text("kind").flatMap({ Reminder.Kind(rawValue: $0) }), let subject = row.text("subject")
        else { return nil }
        self.init(kind, about: subject)
    }
}

/// A reminder that is due unless it was given.
private struct Due {
    private let own: Reminder
    let identity: GivenReminder
    private let time: Int64
    var details: [(name: String, value: Value)] = []

    init(_ reminder: Reminder, about subject: String, at now: Int64) {
        own = reminder
        identity = GivenReminder(reminder.kind, about: subject)
        time = now
        if let deficit = reminder.deficit { details.append(("deficit_ml", .integer(deficit))) }
    }

    var reminder: DueReminder {
        let row: Record = [
            "timestamp": .integer(time), "kind": .text(own.kind.rawValue), "subject": .text(identity.subject),
        ]
        var record = Record()
        record.fields = details
        return DueReminder(
            kind: own.kind.rawValue, text: own.text, time: Timestamp(seconds: own.time, nanoseconds: 0),
            details: record, change: .addNew([row], to: PuckTables.reminders))
    }
}

extension Reminder {
    /// That the battery of a bottle was low in its last sync; nil if it was not.
    init?(lowBatteryOf bottle: Record) {
        guard bottle.integer("is_battery_low") == 1, let time = bottle.integer("last_sync") else { return nil }
        self.init(
            time: time, kind: .lowBattery,
            text: "Low battery: \(bottle.integer("battery_percent") ?? 0) %. Charge the bottle.")
    }
}
