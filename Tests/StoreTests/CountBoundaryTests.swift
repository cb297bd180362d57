import Bytes
import PDUTestKit
import PluginKit
import Profile
import Store
import Testing
import Workbench

/// Boundaries of operational days in each report: the boundary hour, midnight, clock changes, wrong clocks.
struct CountBoundaryTests {
    private let counts: StoredCounts

    init() throws { counts = try StoredCounts() }

    struct Boundary: Sendable, CustomTestStringConvertible {
        var zone: TimeZoneTable
        var hour: Double
        /// The time at which a day begins.
        var time: String
        /// Hours of the day that ends there.
        var hours: Int
        var testDescription: String { "\(zone.name) \(Int(hour)):00 \(time)" }

        var values: [String: CommandInput.Value] {
            ["time-zone": .zone(zone), "boundary-hour": .number(hour), "location": .number(3)]
        }

        func text(_ milliseconds: Int64) -> String {
            "\(Timestamp(nanoseconds: (StoredCounts.milliseconds(time) + milliseconds) * 1_000_000))"
        }
    }

    private func number(_ command: String, _ now: String, _ boundary: Boundary) throws -> [JSONValue?] {
        let values = boundary.values.merging(["json": .flag]) { $1 }
        let output = try counts.output(command, counts.input(now, values))
        let json = try JSONValue(reading: Array(output.text.utf8))
        return command == "status"
            ? json.at("locations")?.elements.map { $0.at("count") } ?? []
            : [json.at("totals", "in"), json.at("count"), json.at("quality", "resets")]
    }

    /// An event a millisecond before the boundary is in the day that ends, others are in the day that begins.
    @Test(arguments: [
        Boundary(zone: .utc, hour: 12, time: "2026-03-02T12:00:00Z", hours: 24),
        Boundary(zone: .utc, hour: 0, time: "2026-03-03T00:00:00Z", hours: 24),
        Boundary(zone: .utc, hour: 12, time: "2028-02-29T12:00:00Z", hours: 24),
        Boundary(zone: StoredCounts.paris, hour: 12, time: "2026-03-29T10:00:00Z", hours: 23),
        Boundary(zone: StoredCounts.paris, hour: 0, time: "2026-03-29T22:00:00Z", hours: 23),
        // 02:00 does not exist.
        Boundary(zone: StoredCounts.paris, hour: 2, time: "2026-03-29T01:00:00Z", hours: 24),
        Boundary(zone: StoredCounts.paris, hour: 12, time: "2026-10-25T11:00:00Z", hours: 25),
        // 02:00 comes twice.
        Boundary(zone: StoredCounts.paris, hour: 2, time: "2026-10-25T00:00:00Z", hours: 24),
        Boundary(zone: StoredCounts.paris, hour: 2, time: "2026-10-26T01:00:00Z", hours: 25),
        Boundary(zone: StoredCounts.newYork, hour: 12, time: "2026-03-08T16:00:00Z", hours: 23),
        Boundary(zone: StoredCounts.newYork, hour: 12, time: "2026-11-01T17:00:00Z", hours: 25),
    ])
    func aMillisecondDecides(boundary: Boundary) throws {
        try counts.add(
            StoredCounts.event(0, boundary.text(-1)), StoredCounts.event(1, boundary.text(0)),
            StoredCounts.event(2, boundary.text(1)))
        let (before, at) = (boundary.text(-1), boundary.text(0))
        #expect(try number("report", before, boundary) == [.integer(1), .integer(1), .integer(0)])
        #expect(try number("report", at, boundary) == [.integer(2), .integer(2), .integer(0)])
        #expect(try number("status", before, boundary) == [.integer(1)])
        #expect(try number("status", at, boundary) == [.integer(2)])
        let report = try counts.report(before, boundary.values)
        #expect(report.at("buckets")?.elements.count == boundary.hours)
        // The days apart, each by its date, and both in the week.
        let dates = [before, at].map { zoneDate($0, boundary) }
        for (date, count) in zip(dates, [1, 2]) {
            let day = try counts.report(
                boundary.text(86_400_000 * 2), boundary.values.merging(["date": .text(date)]) { $1 })
            #expect(day.at("totals", "in") == .integer(count), "\(date)")
            #expect(day.at("quality", "missing_over_boundary") == .integer(0))
        }
        let week = try counts.report(at, boundary.values.merging(["range": .text("7d")]) { $1 })
        #expect(week.at("buckets")?.elements.suffix(2).map { $0.at("in") } == [.integer(1), .integer(2)])
        for (now, entered) in [(before, 1), (at, 2)] as [(String, Int64)] {
            var values = boundary.values
            values["reason"] = .text("test")
            let end = try counts.output("end-day", counts.input(now, values))
            guard case .add(let rows, _)? = end.storeChanges.first else {
                Issue.record("no snapshot")
                return
            }
            #expect(rows.first?.integer("entered") == entered)
        }
    }

    /// The date on which the operational day of a time began.
    private func zoneDate(_ time: String, _ boundary: Boundary) -> String {
        let seconds = (StoredCounts.milliseconds(time) - 999 * (time == boundary.text(-1) ? 1 : 0)) / 1000
        let date = boundary.zone.day(of: seconds)
        let start = boundary.zone.time(ofLocal: date.daysSince1970 * 86_400 + Int64(boundary.hour) * 3600)
        return "\(seconds < start ? CivilDate(daysSince1970: date.daysSince1970 - 1) : date)"
    }

    /// Days are those of the clock that is set for the location now; a snapshot stays as it was.
    @Test func aZoneThatChangesMovesTheDay() throws {
        try counts.setLocation(3, ["time_zone": .text("UTC"), "boundary_hour": .integer(12)])
        try counts.add(
            StoredCounts.event(0, "2026-03-02T10:30:00Z"), StoredCounts.event(1, "2026-03-02T11:30:00Z"))
        let now = "2026-03-02T11:40:00Z"
        let location: [String: CommandInput.Value] = ["location": .number(3)]
        #expect(try counts.report(now, location).at("totals", "in") == .integer(2))
        try counts.store.commit(counts.output("end-day", counts.input(now, location)).storeChanges)
        let row = try #require(try counts.store.rows(of: "lifecount_locations").first?.integer("id"))
        try counts.store.commit([.update(row, ["time_zone": .text("Europe/Paris")], in: "lifecount_locations")])
        let moved = try counts.report(now, location)
        #expect(moved.at("totals", "in") == .integer(1) && moved.at("start") == .string("2026-03-02T12:00:00+01:00"))
        #expect(try counts.output("status", counts.input(now)).text.hasPrefix("Location 3: 1 inside\n"))
        let snapshots = try counts.store.rows(of: "lifecount_snapshots")
        #expect(snapshots.map { $0.integer("entered") } == [2])
    }

    private func quality(_ now: String, _ names: String...) throws -> [JSONValue?] {
        let report = try counts.report(now)
        return [report.at("totals", "in")] + names.map { report.at("quality", $0) }
    }

    /// A fast clock puts an event into the future, and beyond the boundary hour into the next day.
    @Test func aFastClock() throws {
        try counts.add(StoredCounts.event(0, "2026-03-02T12:05:00Z", received: "2026-03-02T11:55:00Z"))
        #expect(try quality("2026-03-02T11:59:59Z", "late") == [.integer(0), .integer(0)])
        #expect(try quality("2026-03-02T12:04:59Z", "late") == [.integer(0), .integer(0)])
        #expect(try quality("2026-03-02T12:05:00Z", "late") == [.integer(1), .integer(0)])
    }

    /// A slow clock puts an event into the day gone by, where it is late.
    @Test func aSlowClock() throws {
        try counts.add(StoredCounts.event(0, "2026-03-02T11:50:00Z", received: "2026-03-02T12:10:00Z"))
        #expect(try quality("2026-03-02T12:10:00Z", "late") == [.integer(0), .integer(0)])
        let before = try counts.report("2026-03-02T12:10:00Z", ["date": .text("2026-03-01")])
        #expect(before.at("totals", "in") == .integer(1) && before.at("quality", "late") == .integer(1))
    }

    /// Without a clock, the arrival counts: a millisecond decides there, too.
    @Test func noClock() throws {
        try counts.add(
            StoredCounts.event(0, "2026-03-02T11:59:59.999Z", hasClock: false),
            StoredCounts.event(1, "2026-03-02T12:00:00Z", hasClock: false))
        #expect(try quality("2026-03-02T11:59:59.999Z", "clockless") == [.integer(1), .integer(1)])
        #expect(try quality("2026-03-02T12:00:00Z", "clockless") == [.integer(1), .integer(1)])
    }

    /// A clock that is set back over the boundary hour puts later numbers before earlier ones: neither gap nor reset.
    @Test func aClockThatIsSetBack() throws {
        try counts.add(
            StoredCounts.event(0, "2026-03-02T12:00:30Z", received: "2026-03-02T11:50:30Z"),
            StoredCounts.event(1, "2026-03-02T12:00:40Z", received: "2026-03-02T11:50:40Z"),
            StoredCounts.event(2, "2026-03-02T11:51:00Z", received: "2026-03-02T11:51:00Z"),
            StoredCounts.event(3, "2026-03-02T12:01:00Z", received: "2026-03-02T12:01:00Z"))
        let names = ["missing", "missing_over_boundary", "resets", "late"]
        let day: [JSONValue?] = [.integer(3), .integer(0), .integer(0), .integer(0), .integer(0)]
        let report = try counts.report("2026-03-02T12:10:00Z")
        #expect(report.at("totals", "in") == day[0] && names.map { report.at("quality", $0) } == Array(day.dropFirst()))
        let before = try counts.report("2026-03-02T12:10:00Z", ["date": .text("2026-03-01")])
        #expect(
            before.at("totals", "in") == .integer(1) && names.map { before.at("quality", $0) } == Array(day.dropFirst())
        )
    }

    /// A counter was heard at 12:00:00.900. Ages are whole seconds of the time between, not of the clock; one after the
    /// present, as of a clock that was set back, is 0.
    @Test(
        arguments: [
            ("12:00:00.900", 0, "connected"), ("12:00:01.899", 0, "connected"), ("12:00:01.900", 1, "connected"),
            ("12:00:00.100", 0, "connected"), ("11:59:00.000", 0, "connected"), ("12:01:31.899", 90, "connected"),
            ("12:01:31.900", 91, "offline"),
        ] as [(String, Int, String)])
    func agesAreOfTheTimeBetween(clock: String, age: Int, connection: String) throws {
        try counts.add(StoredCounts.event(0, "2026-03-02T12:00:00.900Z"))
        var input = try counts.input("2026-03-02T\(clock)Z", ["json": .flag])
        let heard = StoredCounts.milliseconds("2026-03-02T12:00:00.900Z")
        input.rows["lifecount_counters"] = [
            [
                "device_id": .integer(7), "location_id": .integer(3), "is_active": .integer(1),
                "last_seen_ms": .integer(heard), "last_event_ms": .integer(heard),
            ]
        ]
        input.rows["lifecount_states"] = [["location_id": .integer(3), "last_event_ms": .integer(heard)]]
        let status = try JSONValue(reading: Array(counts.output("status", input).text.utf8))
        let location = try #require(status.at("locations")?.elements.first { $0.at("location") == .integer(3) })
        #expect(location.at("last_event_age_s") == .integer(age))
        #expect(location.at("connection") == .string(connection))
        let counter = try #require(location.at("devices")?.elements.first)
        #expect(counter.at("last_heartbeat_age_s") == .integer(age))
        #expect(counter.at("last_event_age_s") == .integer(age))
    }

    @Test func anEmptyStore() throws {
        let now = "2026-03-02T12:00:00Z"
        for values: [String: CommandInput.Value] in [
            [:], ["range": .text("7d")], ["range": .text("30d")], ["range": .text("year")],
            ["date": .text("2026-03-02")], ["from": .text("2025-01-01")],
        ] {
            let output = try counts.output("report", counts.input(now, values))
            #expect(output.outcome == .inconclusive && output.text.contains("in                  0\n"))
            let report = try counts.report(now, values.merging(["compare": .flag]) { $1 })
            let difference: JSONValue = .members(["absolute": .integer(0), "percent": .null])
            #expect(report.at("difference", "in") == difference)
        }
        #expect(try counts.output("status", counts.input(now)).outcome == .inconclusive)
        let input = try counts.input(now, ["location": .number(3)])
        #expect(throws: CommandError.self) { try counts.output("end-day", input) }
    }

    /// One person an hour after each boundary of a year: each month has its days, and no day inherits the one before.
    @Test func aYearOfDays() throws {
        let zone = StoredCounts.paris
        let first = try #require(CivilDate(year: 2026, month: 1, day: 1)).daysSince1970
        let events = (0..<365).map { (day: Int64) in
            let time = zone.time(ofLocal: (first + day) * 86_400 + 13 * 3600)
            return StoredCounts.event(day, "\(Timestamp(seconds: time, nanoseconds: 0))")
        }
        try counts.store.commit([.add(events, to: "lifecount_entries")])
        let now = "2026-12-31T20:00:00Z"
        let days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        for values: [String: CommandInput.Value] in [
            ["range": .text("year")], ["from": .text("2026-01-01"), "to": .text("2026-12-31")],
        ] {
            let year = try counts.report(now, values, zone: zone)
            #expect(year.at("totals", "in") == .integer(365) && year.at("totals", "peak") == .integer(1))
            #expect(year.at("buckets")?.elements.map { $0.at("in") } == days.map { JSONValue?.some(.integer($0)) })
            #expect(year.at("quality", "missing") == .integer(0) && year.at("quality", "resets") == .integer(0))
        }
        let month = try counts.report(now, ["from": .text("2026-03-01"), "to": .text("2026-03-31")], zone: zone)
        #expect(
            month.at("buckets")?.elements.map { $0.at("in") }
                == Array(repeating: JSONValue?.some(.integer(1)), count: 31))
        #expect(try counts.report(now, zone: zone).at("count") == .integer(1))
    }
}
