import Bytes
import PluginKit
import Profile
import Testing

@testable import Aquavate

/// Reminders as they become due while a gateway runs.
struct HydrationRemindersTests {
    /// 2026-03-02T00:00:00Z.
    private static let midnight: Int64 = 1_772_409_600

    /// A store and the reminders given from it.
    private struct Given {
        var source = HydrationReminders()
        var rows: [String: [Record]] = [:]
        var lines: [String] = []

        init() {
            rows["sessions"] = [
                [
                    "id": .integer(1), "plugin": .text("aquavate"), "device": .text("a"),
                    "started_at": .integer(HydrationRemindersTests.midnight * 1_000_000_000),
                ]
            ]
            rows[PuckTables.goals] = [
                ["timestamp": .integer(HydrationRemindersTests.midnight), "goal_ml": .integer(1500)]
            ]
        }

        mutating func drink(_ amount: Int64, at hours: Double) {
            let time = HydrationRemindersTests.midnight + Int64(hours * 3600)
            let id = Int64(rows[PuckTables.drinks]?.count ?? 0) + 1
            rows[PuckTables.drinks, default: []].append([
                "id": .integer(id), "device": .text("a"), "record_id": .integer(id), "timestamp": .integer(time),
                "amount_ml": .integer(amount), "level_ml": .integer(500), "type": .integer(0),
                "is_deleted": .integer(0), "is_removed_from_health": .integer(0), "received_at": .integer(time),
            ])
        }

        /// A connection that ended after some hours.
        mutating func connect(until hours: Double) {
            let end = HydrationRemindersTests.midnight + Int64(hours * 3600)
            rows["connections", default: []].append([
                "session_id": .integer(1), "ended_at": .integer(end * 1_000_000_000),
            ])
        }

        /// Looks for reminders each minute of a span of hours, and keeps them.
        mutating func pass(_ hours: ClosedRange<Double>) throws {
            var time = HydrationRemindersTests.midnight + Int64(hours.lowerBound * 3600)
            while time <= HydrationRemindersTests.midnight + Int64(hours.upperBound * 3600) {
                try look(at: time)
                time += 60
            }
        }

        mutating func look(at time: Int64) throws {
            var input = CommandInput(now: Timestamp(seconds: time, nanoseconds: 0))
            input.rows = rows
            for reminder in try source.due(input) {
                lines.append("\(TimeZoneTable.utc.clock(time)) \(reminder.kind)")
                guard case .addNew(let rows, to: PuckTables.reminders) = reminder.change else {
                    Issue.record("\(reminder.change)")
                    return
                }
                self.rows[PuckTables.reminders, default: []] += rows
            }
        }
    }

    /// The goal of 1500 ml is due with 100 ml an hour from 7 am.
    @Test func thePaceOfADayIsFollowed() throws {
        var given = Given()
        try given.pass(6...9)
        // 150 ml are missing at 8:15, as rounded from 125 ml.
        #expect(given.lines == ["08:15 attention"])
        try given.pass(9.25...10.5)
        #expect(given.lines.dropFirst() == ["10:00 overdue"])
        given.drink(600, at: 10.5)
        try given.pass(10.75...12)
        #expect(given.lines.dropFirst(2) == ["10:45 back_on_track"])
        given.drink(900, at: 12)
        try given.pass(12.25...23)
        #expect(given.lines.dropFirst(3) == ["12:15 goal_reached"])
        // Another day begins anew.
        given.connect(until: 23)
        try given.pass(31...33)
        #expect(given.lines.dropFirst(4) == ["08:15 attention"])
    }

    /// A gateway that was started again gives no reminder twice.
    @Test func aRestartRepeatsNothing() throws {
        var given = Given()
        try given.pass(6...10.5)
        given.source = HydrationReminders()
        try given.pass(10.75...12)
        #expect(given.lines == ["08:15 attention", "10:00 overdue"])
        given.drink(1500, at: 12)
        try given.pass(12.25...12.5)
        given.source = HydrationReminders()
        try given.pass(12.75...20)
        #expect(given.lines.dropFirst(2) == ["12:15 goal_reached"])
        let subjects = given.rows[PuckTables.reminders]?.compactMap { $0.text("subject") } ?? []
        #expect(Set(subjects).count == subjects.count)
    }

    @Test func aLowBatteryIsReportedOnceADay() throws {
        var given = Given()
        given.rows[PuckTables.bottles] = [
            [
                "device": .text("a"), "device_name": .text("Aquavate-A3F2"), "is_battery_low": .integer(1),
                "battery_percent": .integer(12), "last_sync": .integer(midnightPlus(5)),
            ]
        ]
        given.connect(until: 20)
        for hours in [5.5, 6, 6.5, 29.5, 30] { try given.look(at: midnightPlus(hours)) }
        #expect(given.lines == ["05:30 low_battery", "05:30 low_battery"])
    }

    /// Each time without a connection for 24 h is reported once.
    @Test func silenceIsReportedOnce() throws {
        var given = Given()
        given.connect(until: 1)
        for hours in [24.5, 25, 26, 29] { try given.look(at: midnightPlus(hours)) }
        #expect(given.lines == ["01:00 not_connected"])
        given.connect(until: 30)
        for hours in [30.0, 53.5, 54, 54.5] { try given.look(at: midnightPlus(hours)) }
        #expect(given.lines == ["01:00 not_connected", "06:00 not_connected"])
    }

    /// A gateway's session may last for weeks: its connections count, and its end only if there is none.
    @Test func connectionsCountInsteadOfTheirSession() {
        func session(_ id: Int64, _ plugin: String, device: Value = .text("a")) -> Record {
            [
                "id": .integer(id), "plugin": .text(plugin), "device": device, "started_at": .integer(1_000_000_000),
                "ended_at": .integer(id * 1_000_000_000_000),
            ]
        }
        let connections = ([(1, 7), (1, 9), (3, 11)] as [(Int64, Int64)]).map { connection -> Record in
            ["session_id": .integer(connection.0), "ended_at": .integer(connection.1 * 1_000_000_000)]
        }
        let sessions = [
            session(1, "aquavate"), session(2, "aquavate"), session(3, "lifecount"),
            session(4, "aquavate", device: .absent),
        ]
        #expect(HydrationReminders.contacts(sessions, connections) == [7, 9, 2000])
    }

    @Test func withoutAnyConnectionThereIsNobodyToRemind() throws {
        var given = Given()
        given.rows["sessions"] = []
        try given.pass(6...12)
        #expect(given.lines.isEmpty)
    }

    private func midnightPlus(_ hours: Double) -> Int64 { Self.midnight + Int64(hours * 3600) }
}
