import Bytes
import LifeCount
import PDUTestKit
import PluginKit
import Profile
import Store
import TestKit
import Testing
import Workbench

/// Reports of days gone by, of a location, and beside the period before.
struct CountPeriodTests {
    private let counts: StoredCounts

    /// Three days from 1 March 2026, with 1, 2 and 3 people, and one of the fourth.
    init() throws {
        counts = try StoredCounts()
        var number: Int64 = 0
        for day in 1...4 {
            for minute in 0..<(day == 4 ? 1 : day) {
                try counts.add(StoredCounts.event(number, "2026-03-0\(day)T13:0\(minute):00Z"))
                number += 1
            }
        }
    }

    private static let now = "2026-03-04T14:00:00Z"

    @Test(arguments: [("2026-03-01", 1), ("2026-03-02", 2), ("2026-03-03", 3), ("2026-03-04", 1)])
    func aDayIsThatWhichBeganOnTheDate(date: String, count: Int) throws {
        let report = try counts.report(Self.now, ["date": .text(date)])
        #expect(report.at("totals", "in") == .integer(count))
        #expect(report.at("count") == .integer(count))
        #expect(report.at("range") == .string(date))
        #expect((report.at("end") == nil) == (date == "2026-03-04"))
        #expect(report.at("start") == .string("\(date)T12:00:00Z"))
        #expect(report.at("quality", "stale") == .boolean(false))
    }

    @Test func aPeriodHasBothItsDays() throws {
        let values: [String: CommandInput.Value] = ["from": .text("2026-03-01"), "to": .text("2026-03-03")]
        let report = try counts.report(Self.now, values)
        #expect(report.at("totals", "in") == .integer(6))
        #expect(report.at("buckets")?.elements.map { $0.at("in") } == [.integer(1), .integer(2), .integer(3)])
        // Without an end, to the present.
        let open = try counts.report(Self.now, ["from": .text("2026-03-03")])
        #expect(open.at("buckets")?.elements.map { $0.at("in") } == [.integer(3), .integer(1)])
        // Longer periods have months, cut at their ends.
        let long = try counts.report(Self.now, ["from": .text("2025-11-15"), "to": .text("2026-03-01")])
        let buckets = try #require(long.at("buckets")?.elements)
        #expect(
            buckets.map { $0.at("label") }
                == ["2025-11", "2025-12", "2026-01", "2026-02", "2026-03"].map { JSONValue?.some(.string($0)) })
        #expect(buckets.first?.at("start") == .string("2025-11-15T12:00:00Z"))
        #expect(buckets.last?.at("end") == .string("2026-03-02T12:00:00Z") && buckets.last?.at("in") == .integer(1))
    }

    /// Numbers missing after the last day are in its report, though its report reads no further.
    @Test func aGapAfterADayGoneByIsInIt() throws {
        try counts.add(StoredCounts.event(12, "2026-03-05T13:00:00Z"))
        let report = try counts.report("2026-03-06T13:00:00Z", ["date": .text("2026-03-04")])
        #expect(report.at("quality", "missing_over_boundary") == .integer(5))
    }

    @Test(
        arguments: [
            (
                ["date": "2026-03-05"],
                "--date 2026-03-05: the day begins at 2026-03-05T12:00:00Z, and it is 2026-03-04T14:00:00Z"
            ),
            (["date": "5.3.2026"], "--date 5.3.2026: expected a date like 2026-03-02"),
            (["date": "2026-02-29"], "--date 2026-02-29: expected a date like 2026-03-02"),
            (
                ["from": "2026-03-03", "to": "2026-03-01"],
                "--from 2026-03-03 --to 2026-03-01: expected a first day, then a last one"
            ),
            (["to": "2026-03-01"], "--to goes with --from"),
            (["date": "2026-03-01", "range": "7d"], "say one of --range, --date, and --from with --to"),
            (
                ["range": "week"],
                "--range week: expected one of today, 7d, 30d, year; or use --date, or --from and --to"
            ),
            (["from": "1900-01-01"], "--from 1900-01-01 --to 2026-03-04: expected at most 3660 days"),
        ] as [([String: String], String)])
    func whatIsNoPeriodIsRefused(values: [String: String], message: String) throws {
        let input = try counts.input(Self.now, values.mapValues { .text($0) })
        #expect(throws: CommandError.usage(message)) { try counts.output("report", input) }
    }

    /// A location that is not known is a mistake, not an empty one.
    @Test(arguments: ["report", "status", "end-day"])
    func anUnknownLocationIsRefused(command: String) throws {
        let input = try counts.input(Self.now, ["location": .number(8)])
        #expect(
            throws: CommandError.usage(
                "--location 8: nothing was counted there, and it is not set; known are 3 (“lifecount locations "
                    + "--location 8 --name NAME” sets it)")
        ) { try counts.output(command, input) }
        try counts.setLocation(8, ["name": .text("Annex")])
        _ = try counts.output(command, counts.input(Self.now, ["location": .number(8)]))
    }

    @Test func theDifferenceStandsBesideTheValues() throws {
        let input = try counts.input(Self.now, ["date": .text("2026-03-03"), "compare": .flag])
        let text = try counts.output("report", input).text
        #expect(text.contains("in                  3   before 2   +1 (+50.0 %)\n"), "\(text)")
        #expect(text.contains("out                 0   before 0   0 (–)\n"), "\(text)")
        #expect(text.contains("peak                3 (13:00)   before 2 (13:00)   +1 (+50.0 %)\n"), "\(text)")
        let fewer = try counts.report(Self.now, ["date": .text("2026-03-04"), "compare": .flag])
        #expect(fewer.at("difference", "in", "absolute") == .integer(-2))
        #expect(fewer.at("difference", "in", "percent") == .number(-66.7))
        #expect(fewer.at("difference", "out", "percent") == .null)
        let page = try counts.input(Self.now, ["date": .text("2026-03-03"), "compare": .flag, "html": .text("x")])
        #expect(try counts.output("report", page).text.contains("+1 (+50.0 %)"))
    }
}

/// The location of events that have none.
struct CountHomeTests {
    private let counts: StoredCounts

    init() throws { counts = try StoredCounts() }

    private static let now = "2026-03-02T14:00:00Z"

    private func entered(_ location: Double) throws -> JSONValue? {
        try counts.report(Self.now, ["location": .number(location)]).at("totals", "in")
    }

    /// Events from before the counter had a location count at its first one.
    @Test func eventsWithoutALocationCountWhereTheirCounterHangs() throws {
        try counts.receive(
            StoredCounts.event(0, "2026-03-02T13:00:00Z", location: 0),
            StoredCounts.event(1, "2026-03-02T13:01:00Z", location: 0), at: 0)
        #expect(try entered(0) == .integer(2))
        try counts.receive(StoredCounts.event(2, "2026-03-02T13:02:00Z", location: 5), at: 5)
        #expect(try entered(5) == .integer(3))
        let status = try counts.output("status", counts.input(Self.now)).text
        #expect(status.hasPrefix("Location 5: 3 inside\n") && !status.contains("Location 0"), "\(status)")
        // It hangs elsewhere later, which moves no earlier event.
        try counts.receive(StoredCounts.event(3, "2026-03-02T13:03:00Z", location: 6), at: 6)
        #expect(try entered(5) == .integer(3) && entered(6) == .integer(1))
        let states = try counts.store.rows(of: "lifecount_states").map { $0.integer("location_id") }
        #expect(Set(states) == [5, 6])
        // The entries are not changed.
        #expect(try counts.store.rows(of: "lifecount_entries").map { $0.integer("location_id") } == [0, 0, 5, 6])
    }

    @Test func entriesByHandStayWhereTheyAre() throws {
        try counts.receive(StoredCounts.event(0, "2026-03-02T13:00:00Z", location: 0), at: 0)
        var manual = StoredCounts.event(1, "2026-03-02T13:01:00Z", location: 0)
        manual.fields = manual.fields.map { $0.name == "source" ? (name: $0.name, value: .text("manual")) : $0 }
        try counts.add(manual)
        try counts.receive(at: 5)
        #expect(try entered(0) == .integer(1) && entered(5) == .integer(1))
    }

    @Test func publishedEntriesHaveTheirLocation() throws {
        try counts.receive(StoredCounts.event(0, "2026-03-02T13:00:00Z", location: 0), at: 0)
        try counts.receive(at: 5)
        let publication = try #require(LifeCount.tables?.publication)
        let batch = PublishedBatch(
            rows: try counts.store.rows(of: "lifecount_entries"), states: try publication.states(counts.input(Self.now))
        )
        let documents = publication.documents(batch)
        #expect(documents.first { $0.path.hasPrefix("entries/") }?.fields["locationId"] == .text("5"))
        #expect(documents.contains { $0.path == "counterStates/5" })
        #expect(publication.messages(batch).contains { $0.topic == "lifecount/5/entry" })
    }

    /// A store of an earlier version: the first location of an entry is the counter's.
    @Test func anOlderStoreHasHomesToo() throws {
        let folder = try TemporaryFolder()
        var tables = try #require(LifeCount.tables)
        tables.migrations = tables.migrations.filter { $0.name != "lifecount-5" }
        do {
            let old = try SQLiteStore.open(path: folder.path("old.sqlite"), schema: [tables])
            let session = try old.beginSession(
                .init(plugin: "lifecount", transport: "radio:", start: Timestamp(nanoseconds: 0)))
            try old.identify(session: session, address: "c0:00:00:00:00:07", name: nil, at: Timestamp(nanoseconds: 0))
            let counter: Record = [
                "device_id": .integer(7), "location_id": .integer(6), "boot_count": .integer(1),
                "last_seen_ms": .integer(0),
            ]
            let events = [0, 5, 6].enumerated().map { number, location in
                StoredCounts.event(Int64(number), "2026-03-02T13:0\(number):00Z", location: Int64(location))
            }
            _ = try old.commit(
                [.add(events, to: "lifecount_entries"), .set(counter, in: "lifecount_counters")], session: session,
                at: Timestamp(nanoseconds: 0))
        }
        let new = try SQLiteStore.open(path: folder.path("old.sqlite"), schema: [try #require(LifeCount.tables)])
        #expect(try new.rows(of: "lifecount_counters").map { $0.integer("home_id") } == [5])
        #expect(try new.rows(of: "lifecount_states").map { $0.integer("location_id") } == [5, 6])
    }
}
