import Bytes
import PluginKit
import Profile
import Testing

@testable import Aquavate

/// Drinks grouped by day, from local midnight.
struct DaySummaryTests {
    private static let newYork = TimeZoneTable(
        name: "America/New_York", initialOffset: -18_000,
        transitions: [.init(time: 1_772_953_200, offset: -14_400), .init(time: 1_793_512_800, offset: -18_000)])

    private func time(_ text: String) throws -> Int64 {
        try #require(Timestamp(rfc3339: text)).nanoseconds / 1_000_000_000
    }

    private func drink(_ text: String, _ amount: Int64, level: Int64 = 0, id: Int64 = 1) throws -> Drink {
        Drink(device: "a", recordID: id, time: try time(text), amount: amount, level: level)
    }

    @Test func midnightDividesTheDays() throws {
        let drinks = [
            try drink("2026-03-01T23:59:59Z", 100), try drink("2026-03-02T00:00:00Z", 200),
            try drink("2026-03-02T23:59:59Z", 50), try drink("2026-03-03T00:00:00Z", 400),
        ]
        let now = try time("2026-03-02T23:59:59Z")
        let days = DaySummary.days(2, of: drinks, goals: .init(given: 250), until: now, in: .utc)
        #expect(days.map(\.total) == [100, 250])
        #expect(days.map { "\($0.date)" } == ["2026-03-01", "2026-03-02"])
        #expect(days.map(\.isGoalReached) == [false, true])
    }

    /// The goal changes at noon of 2 March, and at the midnight after it.
    @Test(
        arguments: [
            ("2026-03-02T11:59:59Z", [1000, 1000]), ("2026-03-02T12:00:00Z", [1000, 2000]),
            ("2026-03-02T23:59:59Z", [1000, 2000]), ("2026-03-03T00:00:00Z", [2000, 3000]),
            ("2026-03-05T12:00:00Z", [3000, 3000]),
        ] as [(String, [Int64])])
    func aDayHasTheGoalOfItsEnd(now: String, expected: [Int64]) throws {
        let goals = GoalHistory([
            .init(time: try time("2026-03-01T12:00:00Z"), goal: 1000),
            .init(time: try time("2026-03-02T12:00:00Z"), goal: 2000),
            .init(time: try time("2026-03-03T00:00:00Z"), goal: 3000),
        ])
        let days = DaySummary.days(2, of: [], goals: goals, until: try time(now), in: .utc)
        #expect(days.map(\.goal) == expected)
    }

    /// The first known goal is also that of the days before; without any, it is the usual one.
    @Test func aGoalNeedsNoDate() throws {
        let learned = try time("2026-03-02T12:00:00Z")
        #expect(GoalHistory([.init(time: learned, goal: 1000)]).goal(at: learned - 1) == 1000)
        #expect(GoalHistory([.init(time: 0, goal: 1000), .init(time: learned, goal: 3000)]).goal(at: 1) == 1000)
        // A clock was set back before 3000 ml were learned.
        #expect(GoalHistory([.init(time: learned, goal: 1000), .init(time: 9, goal: 3000)]).goal(at: learned) == 3000)
        #expect(GoalHistory([]).goal(at: learned) == 2500 && GoalHistory([]).source == "the usual one")
    }

    /// The day of the spring change has 23 hours, the day of the autumn change 25.
    @Test(arguments: [
        ("2026-03-08T12:00:00-04:00", "2026-03-08T00:00:00-05:00", "2026-03-09T00:00:00-04:00", 23),
        ("2026-11-01T12:00:00-05:00", "2026-11-01T00:00:00-04:00", "2026-11-02T00:00:00-05:00", 25),
        ("2026-03-09T00:30:00-04:00", "2026-03-09T00:00:00-04:00", "2026-03-10T00:00:00-04:00", 24),
    ])
    func changesOfTheClockMakeDaysLongerOrShorter(now: String, start: String, end: String, hours: Int64) throws {
        let day = try #require(
            DaySummary.days(1, of: [], goals: .init(given: 2500), until: try time(now), in: Self.newYork).first)
        #expect(Self.newYork.text(day.start) == start)
        #expect(Self.newYork.text(day.end) == end)
        #expect(day.end - day.start == hours * 3600)
    }

    /// If the clock skips midnight, the day begins at the change (Beirut, 2026-03-29).
    @Test func aSkippedMidnightBeginsAtTheChange() throws {
        let change = try time("2026-03-28T22:00:00Z")
        let beirut = TimeZoneTable(
            name: "Asia/Beirut", initialOffset: 7200, transitions: [.init(time: change, offset: 10_800)])
        #expect(beirut.start(of: try #require(CivilDate("2026-03-29"))) == change)
        #expect(beirut.text(change) == "2026-03-29T01:00:00+03:00")
        #expect("\(beirut.day(of: change - 1))" == "2026-03-28")
    }

    @Test func refillsAreRecordsOrFollowFromTheLevels() throws {
        let drinks = [
            try drink("2026-03-02T08:00:00Z", 100, level: 500, id: 1),
            try drink("2026-03-02T09:00:00Z", 50, level: 450, id: 2),
            // 300 ml more than the last level.
            try drink("2026-03-02T10:00:00Z", 100, level: 650, id: 3),
            // A record of the PRD dialect; the next level agrees with it.
            try drink("2026-03-02T11:00:00Z", -150, level: 800, id: 4),
            try drink("2026-03-02T12:00:00Z", 100, level: 700, id: 5),
        ]
        let now = try time("2026-03-02T20:00:00Z")
        let day = try #require(
            DaySummary.days(1, of: drinks, goals: .init(given: 2500), until: now, in: .utc).first)
        #expect((day.total, day.drinks, day.refills) == (350, 4, 2))
    }

    @Test func deletedDrinksAndThoseWithoutATimeDoNotCount() throws {
        var deleted = try drink("2026-03-02T08:00:00Z", 100)
        deleted.isDeleted = true
        let timeless = Drink(device: "a", recordID: 2, time: 0, amount: 100, level: 0)
        let now = try time("2026-03-02T20:00:00Z")
        let goals = GoalHistory(given: 1)
        #expect(DaySummary.days(1, of: [deleted, timeless], goals: goals, until: now, in: .utc).map(\.total) == [0])
        let report = HydrationReport(
            [deleted, timeless], days: 1, goals: goals, connections: [], battery: [], now: now, zone: .utc)
        #expect(report.timeless == 1)
        #expect(report.drinks == [])
    }

    /// Reminders cover only the reported period, and only the time since the first connection to a bottle.
    @Test(arguments: [
        (1, "2026-03-02T20:00:00Z", ["low_battery", "overdue"]),
        (1, "2026-03-12T10:00:00Z", ["not_connected", "overdue"]),
        (1, "2026-03-01T20:00:00Z", []),
    ])
    func remindersBelongToThePeriod(days: Int, now: String, kinds: [String]) throws {
        let now = try time(now)
        let synced = try time("2026-03-02T09:10:00Z")
        let report = HydrationReport(
            [], days: days, goals: .init(given: 2500), connections: [synced],
            battery: [Reminder(time: synced, kind: .lowBattery, text: "")], now: now, zone: .utc)
        let found = Set(report.reminders.map(\.kind.rawValue)).subtracting(["attention"])
        #expect(found.subtracting(kinds).isEmpty)
        #expect(report.reminders.allSatisfy { $0.time <= now && $0.time >= report.days[0].start })
        #expect(found.contains("low_battery") == kinds.contains("low_battery"))
        #expect(report.reminders.isEmpty == kinds.isEmpty)
    }

    // MARK: - HealthKit

    private func row(_ drink: Drink, _ id: Int64, health: String? = nil, isDeleted: Bool = false) -> Drink {
        var row = drink
        (row.row, row.healthID, row.isDeleted) = (id, health, isDeleted)
        return row
    }

    @Test func eachDrinkIsOneSampleOnce() throws {
        let one = try drink("2026-03-02T08:00:00Z", 100)
        let refill = try drink("2026-03-02T09:00:00Z", -300)
        let export = HealthExport([row(one, 1), row(refill, 2)])
        let id = HealthExport.identifier(of: one)
        #expect(id.wholeMatch(of: /[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/) != nil)
        #expect(
            export.text == """
                {"action":"save","type":"HKQuantityTypeIdentifierDietaryWater","uuid":"\(id)",\
                "start":"2026-03-02T08:00:00Z","end":"2026-03-02T08:00:00Z","value":100,"unit":"mL",\
                "metadata":{"HKMetadataKeySyncIdentifier":"\(id)","HKMetadataKeySyncVersion":1,\
                "HKMetadataKeyExternalUUID":"\(id)"}}

                """)
        #expect(export.changes == [.update(1, ["health_uuid": .text(id)], in: PuckTables.drinks)])
        #expect(HealthExport([row(one, 1, health: id)]).text == "")
        // The next drink, and the same drink of another bottle, have other identifiers.
        var other = one
        other.recordID = 2
        #expect(HealthExport.identifier(of: other) != id)
    }

    @Test func deletionsAreFollowedOnce() throws {
        let one = try drink("2026-03-02T08:00:00Z", 100)
        #expect(HealthExport([row(one, 1, isDeleted: true)]).text == "")
        let export = HealthExport([row(one, 1, health: "A", isDeleted: true)])
        #expect(
            export.text
                == #"{"action":"delete","type":"HKQuantityTypeIdentifierDietaryWater","uuid":"A"}"# + "\n")
        #expect(export.changes == [.update(1, ["is_removed_from_health": .integer(1)], in: PuckTables.drinks)])
        var gone = row(one, 1, health: "A", isDeleted: true)
        gone.isRemovedFromHealth = true
        #expect(HealthExport([gone]).text == "")
    }
}
