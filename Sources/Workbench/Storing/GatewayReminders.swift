import Bytes
package import PluginKit

/// Gives a plugin's reminders while its gateway runs: looks for due ones once a minute, keeps each in the store, and runs
/// the user's command for it.
package final class GatewayReminders {
    private var source: any ReminderSource
    private let store: any RecordStore
    private let zone: TimeZoneTable
    private let command: ReminderCommand
    /// When to look for reminders; nil before the first `expire`.
    private var nextCheck: Timestamp?
    private var lastCall = Timestamp(nanoseconds: 0)

    private static let period = Duration.seconds(60)
    /// Interval of looking after a running command.
    private static let pollInterval = Duration.seconds(1)

    package init(
        _ source: any ReminderSource, _ store: any RecordStore, zone: TimeZoneTable, command: ReminderCommand
    ) {
        self.source = source
        self.store = store
        self.zone = zone
        self.command = command
    }

    /// The time at which `expire` is to be called.
    var deadline: Timestamp? {
        guard let nextCheck, command.isRunning else { return nextCheck }
        return min(nextCheck, lastCall + Self.pollInterval)
    }

    /// Gives the reminders that are due; returns messages for people. A failure does not end the gateway.
    func expire(at now: Timestamp) -> [String] {
        lastCall = now
        var notes = command.proceed()
        guard let time = nextCheck else {
            nextCheck = now + Self.period
            return notes
        }
        guard now >= time else { return notes }
        nextCheck = now + Self.period
        do {
            var input = CommandInput(now: now)
            input.localZone = zone
            for table in source.tables { input.rows[table] = try store.rows(of: table) }
            for reminder in try source.due(input) {
                if try keep(reminder) { command.enqueue(reminder, zone) }
            }
        } catch {
            notes.append("reminders: \(error)")
        }
        return notes + command.proceed()
    }

    /// Keeps that a reminder was given; false if another program has given it.
    private func keep(_ reminder: DueReminder) throws(StoreFault) -> Bool {
        do throws(StoreFault) {
            try store.commit([reminder.change])
        } catch {
            if error.isConflict { return false }
            throw error
        }
        return true
    }
}
