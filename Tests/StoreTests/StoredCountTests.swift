import Bytes
import LifeCount
import PDUTestKit
import PluginKit
import Profile
import Synchronization
import TestKit
import Testing
import Workbench

@testable import Store

/// Reports, status and published state of a people counter, by the queries of the store.
struct StoredCountTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Opens the store with the tables of this version, or with those of the first migrations.
    private func open(migrations count: Int = .max) throws -> SQLiteStore {
        var tables = try #require(LifeCount.tables)
        tables.migrations = Array(tables.migrations.prefix(count))
        return try SQLiteStore.open(path: folder.path("counts.sqlite"), schema: [tables])
    }

    private static func time(_ text: String) -> Timestamp { Timestamp(rfc3339: text) ?? Timestamp(nanoseconds: 0) }

    /// An event that arrives when it happens, on 2 March 2026. Without `isReplayed`, a row of an earlier version.
    private func entry(
        _ number: Int64, _ clock: String, _ delta: Int64 = 1, hasClock: Bool = true, isReplayed: Bool? = nil
    ) -> Record {
        let time = Self.time("2026-03-02T\(clock)Z").nanoseconds / 1_000_000
        var row: Record = [
            "location_id": .integer(3), "device_id": .integer(7), "timestamp_ms": .integer(time),
            "is_device_time": .boolean(hasClock), "received_ms": .integer(time), "delta": .integer(delta),
            "source": .text("hardware"), "sequence_number": .integer(number), "boot_count": .integer(1),
            "device_time_ms": .integer(hasClock ? time : 0), "gateway_session": .integer(1),
        ]
        if let isReplayed { row.fields.append((name: "is_replayed", value: .boolean(isReplayed))) }
        return row
    }

    private func add(_ rows: Record..., to store: SQLiteStore) throws {
        try store.commit([.add(rows, to: "lifecount_entries")])
    }

    /// The input of a command at a time, in UTC.
    private func input(
        _ store: SQLiteStore, now: String, _ values: [String: CommandInput.Value] = [:]
    ) throws -> CommandInput {
        var input = CommandInput(values: values, now: Self.time("2026-03-02T\(now)Z"))
        for table in try #require(LifeCount.tables).names { input.rows[table] = try store.rows(of: table) }
        input.forEachRow = { query, body throws(CommandError) in
            do {
                try store.forEachRow(of: query, body)
            } catch {
                throw .unreadable("\(error)")
            }
        }
        return input
    }

    private func run(_ name: String, _ input: CommandInput) throws -> String {
        try #require(LifeCount.commands.first?.commands.first { $0.name == name }).run(input).text
    }

    private func report(_ store: SQLiteStore, now: String, range: String = "today") throws -> String {
        try run("report", input(store, now: now, ["json": .flag, "range": .text(range)]))
    }

    /// Reports of a day seek its entries, by the time or the number; they do not read all of the table. In query
    /// plans it is `e`, its alias in the view `lifecount_located`; `c` are the counters.
    @Test(arguments: [("report", "today"), ("report", "7d"), ("status", "")])
    func reportsSeekTheirEntries(_ name: String, _ range: String) throws {
        let store = try open()
        try add(entry(0, "11:58:00"), entry(1, "11:59:00"), to: store)
        let log = QueryLog()
        var input = try input(store, now: "12:10:00", range.isEmpty ? [:] : ["range": .text(range)])
        let read = try #require(input.forEachRow)
        input.forEachRow = { query, body throws(CommandError) in
            log.queries.withLock { $0.append(query) }
            try read(query, body)
        }
        _ = try run(name, input)
        let steps = try log.queries.withLock { $0 }.flatMap { query in
            try store.read("EXPLAIN QUERY PLAN \(query.sql)", query.arguments.map { .integer($0) })
        }.compactMap { $0.text("detail") }
        #expect(steps.contains { $0.hasPrefix("SEARCH e USING INDEX lifecount_entries_") }, "\(steps)")
        let scans = steps.filter { $0.hasPrefix("SCAN ") }
        #expect(scans.allSatisfy { $0 == "SCAN c" }, "only counters, which are few, are scanned: \(steps)")
    }

    @Test func aGapOverTheBoundaryHourIsInBothDays() throws {
        let store = try open()
        try add(
            entry(0, "11:58:00"), entry(1, "11:58:10"), entry(10, "12:01:00"), entry(11, "12:01:10"), to: store)
        for now in ["11:59:59", "12:10:00"] {
            let report = try report(store, now: now)
            #expect(report.contains(#""missing": 0,"#), "\(report)")
            #expect(report.contains(#""missing_over_boundary": 8,"#), "\(report)")
        }
        let week = try report(store, now: "12:10:00", range: "7d")
        #expect(week.contains(#""missing": 8,"#) && week.contains(#""missing_over_boundary": 0,"#), "\(week)")
    }

    @Test func aResetWithoutAClockIsReported() throws {
        let store = try open()
        for number: Int64 in 0..<4 { try add(entry(number, "12:00:0\(number)", isReplayed: false), to: store) }
        for (number, clock) in [(4, "12:01:00"), (100, "12:01:10"), (2, "12:01:20")] as [(Int64, String)] {
            try add(entry(number, clock, hasClock: false, isReplayed: false), to: store)
        }
        let report = try report(store, now: "12:10:00")
        #expect(report.contains(#""missing": 95,"#) && report.contains(#""resets": 1,"#), "\(report)")
    }

    /// A counter without a clock that counts from the same number again has counted other people; a replay has not.
    @Test func aRepeatedNumberWithoutAClockIsStored() throws {
        let store = try open()
        for (number, clock, isReplayed) in [
            (0, "12:01:00", false), (1, "12:01:10", false), (0, "12:02:00", false), (1, "12:02:10", false),
            (1, "12:03:00", true),
        ] as [(Int64, String, Bool)] {
            try add(entry(number, clock, hasClock: false, isReplayed: isReplayed), to: store)
        }
        #expect(try store.rows(of: "lifecount_entries").map { $0.integer("sequence_number") } == [0, 1, 0, 1])
        let report = try report(store, now: "12:10:00")
        #expect(report.contains(#""in": 4,"#) && report.contains(#""resets": 1,"#), "\(report)")
        let publication = try #require(LifeCount.tables?.publication)
        #expect(Set(try store.rows(of: "lifecount_entries").map(publication.identity)).count == 4)
    }

    /// Entries of an earlier version lack the replay flag, and its states have a count.
    @Test func countsOfAnOlderStoreAreReported() throws {
        let old = try open(migrations: 3)
        try add(entry(0, "11:58:00"), entry(1, "12:01:00"), entry(3, "12:01:10", hasClock: false), to: old)
        #expect(try old.columns(of: "lifecount_states").contains("current_count"))
        let store = try open()
        #expect(try !store.columns(of: "lifecount_states").contains("current_count"))
        #expect(try store.rows(of: "lifecount_entries").map { $0["is_replayed"] } == [.absent, .absent, .absent])
        let report = try report(store, now: "12:10:00")
        #expect(report.contains(#""count": 2,"#) && report.contains(#""missing": 1,"#), "\(report)")
        try add(entry(4, "12:02:00", isReplayed: false), to: store)
        let last = Self.time("2026-03-02T12:02:00Z").nanoseconds / 1_000_000
        #expect(try store.rows(of: "lifecount_states").map { $0["last_event_ms"] } == [.integer(last)])
    }

    /// Both begin with nobody at the boundary hour and never fall below.
    @Test(arguments: [("11:59:59", 3), ("12:00:00", 0), ("12:10:00", 2)] as [(String, Int64)])
    func thePublishedCountIsThatOfStatus(now: String, count: Int64) throws {
        let store = try open()
        try add(entry(0, "11:57:00"), entry(1, "11:58:00"), entry(2, "11:59:00"), to: store)
        let deltas: [Int64] = [1, -1, -1, 1, 1]
        for (index, delta) in deltas.enumerated() {
            try add(entry(3 + Int64(index), "12:01:0\(index)", delta), to: store)
        }
        let input = try input(store, now: now)
        let publication = try #require(LifeCount.tables?.publication)
        let batch = PublishedBatch(rows: [], states: try publication.states(input))
        let state = publication.documents(batch).first { $0.path == "counterStates/3" }
        #expect(state?.fields["currentCount"] == .integer(count))
        #expect(try run("status", input).hasPrefix("Location 3: \(count) inside\n"))
    }
}

/// The queries of a command.
private final class QueryLog: Sendable {
    let queries = Mutex<[StoredQuery]>([])
}
