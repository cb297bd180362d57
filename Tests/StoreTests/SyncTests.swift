import Bluetooth
import Bytes
import Emulation
import Foundation
import PDUTestKit
import PluginKit
import Profile
import Store
import TestKit
import Testing
import Transports
import Workbench

/// Syncs with the virtual puck: stored rows, acknowledgements and their timing, and the effects of a failing store.
struct SyncTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// The log of a sync, in order.
    private struct Run {
        var log: [String] = []
        var notes: [String] = []
        var problem: String?
        var fault: StoreFault?
        var failures: [String] = []
    }

    private func run(
        _ steps: String?, dialect: String = "shipped", tasks: [Stimulus]? = nil, failingAt failure: Int? = nil,
        state: Bool = false, name: String? = nil, peers: PeerSelection = .any()
    ) throws -> Run {
        let library = try PluginLibrary.builtIn()
        let plugin = try #require(library["aquavate"]?.plugin)
        let tables = try #require(BuiltInPlugins.all.first { $0.name == "Aquavate" }?.tables)
        var options = EmulateOptions(plugin: plugin, transport: .radio)
        options.dialect = dialect
        options.peerName = name
        options.peers = peers
        options.speed = .virtual
        if state { options.state = folder.path("puck.json") }
        options.tasks = tasks ?? (tables.tasks[dialect] ?? []).map { Stimulus($0) }
        if let steps {
            let text = "scenario: x\nplugin: aquavate\nstart: 2026-03-02T07:00:00Z\nsteps:\n\(steps)\n"
            let path = try folder.file("scenario.yaml", text.utf8)
            options.scenario = try ScenarioLibrary(library).scenario(path, of: plugin, dialect: dialect)
        }
        let store = FailingStore(try open(), failingAt: failure)
        let sync = SyncSession(
            store, plugin: "aquavate", transport: "radio:", tasks: options.tasks ?? [], wakeUp: tables.wakeUp)
        var job = try WorldJob(options, keyboard: nil, sync: sync)
        var run = Run()
        let isInterrupted = { false }
        let outcome = try job.run(isInterrupted: isInterrupted) { output in
            guard case .happened(let entry) = output, entry.source == .client else { return }
            if case .note(let note) = entry.event { run.notes.append(note.name) }
            if case .value(.write, let name, let bytes) = entry.event, ["sync_control", "sync_status"].contains(name) {
                // Sync Status takes commands of other lengths, too.
                let isAcknowledgement =
                    name == "sync_status" ? bytes.count == 4 : entry.json.contains(#""command":"ack""#)
                run.log += store.takeLog() + (isAcknowledgement ? ["acknowledged"] : [])
            }
        }
        run.failures = outcome.failures.map(\.description)
        let end = job.now
        do throws(StoreFault) {
            run.problem = try sync.end(at: end)
        } catch {
            run.fault = error
        }
        return run
    }

    private func open() throws -> SQLiteStore {
        let schema = BuiltInPlugins.all.compactMap { $0.tables }
        return try SQLiteStore.open(path: folder.path("store.sqlite"), schema: schema)
    }

    private func records() throws -> [Int] {
        try open().rows(of: "aquavate_drinks").compactMap { row in
            if case .integer(let number) = row["record_id"] { Int(number) } else { nil }
        }
    }

    private static let fifty = "  - {do: [{history: 50}, motion]}"

    /// Each chunk is on disk before it is acknowledged.
    @Test(arguments: ["shipped", "prd"])
    func nothingIsAcknowledgedThatIsNotOnDisk(dialect: String) throws {
        let run = try run(Self.fifty, dialect: dialect)
        #expect(run.problem == nil && run.fault == nil)
        #expect(try records().sorted() == Array(1...50))
        let relevant = run.log.filter { $0 == "acknowledged" || $0.hasPrefix("add") }
        #expect(relevant.count == 6)
        for (index, entry) in relevant.enumerated() {
            #expect(index.isMultiple(of: 2) ? entry.hasPrefix("add") : entry == "acknowledged", "\(relevant)")
        }
    }

    /// While the known bottle sleeps, another one is neither connected to nor acknowledged.
    @Test func anotherBottleIsLeftAlone() throws {
        let known = Address(value: 0x0242_0000_00FF)
        let run = try run(Self.fifty, peers: .known([known]))
        #expect(run.problem == "no device of aquavate was found")
        #expect(run.notes == ["not_found"])
        #expect(run.log.isEmpty)
        #expect(try records().isEmpty)
        let asked = try self.run(Self.fifty, peers: .new(except: [known]))
        #expect(asked.problem == nil)
        #expect(try records().sorted() == Array(1...50))
    }

    /// A chunk that cannot be written is not acknowledged; the next sync fetches it.
    @Test(arguments: 1...4)
    func whatCannotBeWrittenIsNotAcknowledged(failure: Int) throws {
        let run = try run(Self.fifty, failingAt: failure, state: true)
        #expect(run.fault?.isDiskFull == true)
        #expect(run.log.count { $0 == "acknowledged" } <= max(0, failure - 2))
        let again = try self.run(nil, state: true)
        #expect(again.problem == nil && again.fault == nil)
        #expect(try records().sorted() == Array(1...50))
    }

    @Test func aLostLinkIsTakenUpAgain() throws {
        let run = try run(
            """
              - do: [{history: 60}, motion, {client: sync}]
                expect: client notify drink_data
                where: chunk_index == 1
                within: 1 min
              - {do: drop_link, expect: client disconnected, within: 1 min}
            """)
        #expect(run.problem == nil)
        #expect(run.notes.contains("sync_failed"))
        #expect(try records().sorted() == Array(1...60))
    }

    /// Handles that change within a connection: the app discovers them anew by the error that its next request gets.
    @Test func changedHandlesAreDiscoveredInTheSameConnection() throws {
        let run = try run(
            """
              - {do: [{history: 3}, motion, {client: connect}], expect: client sync_done, within: 1 min}
              - {do: [change_services, {sip: 50 ml}], expect: client drink_received, within: 2 min}
            """)
        #expect(run.problem == nil && run.failures == [])
        #expect(run.notes.count { $0 == "services_changed" } == 1)
        #expect(run.notes.count { $0 == "connected" } == 1)
        #expect(!run.notes.contains("sync_failed"))
        #expect(try records().sorted() == Array(1...4))
    }

    @Test func activityIsReplacedAsAWhole() throws {
        _ = try run("  - {do: [motion, {time_passes: 5 min}, motion, {time_passes: 5 min}]}")
        let first = try open().rows(of: "aquavate_wake_events").count
        #expect(first >= 2)
        // Another puck with the same address, just switched on.
        _ = try run(nil)
        #expect(try open().rows(of: "aquavate_wake_events").count == 0)
        let bottle = try #require(try open().rows(of: "aquavate_bottles").first)
        #expect(bottle["last_activity_sync"] != .absent && bottle["last_sync"] != .absent)
        #expect(bottle["goal_ml"] == .integer(2500))
        #expect(bottle["device_name"] == .text("Aquavate-A3F2"))
    }

    /// The records of a puck whose offset from UTC was set by cable are in its local time (Q-07).
    @Test func drinksAreKeptWithTheOffsetOfTheirPuck() throws {
        let run = try run(
            """
              - {do: [{set_time_zone: 9 h}, {sip: 100 ml}], expect: drink_stored, within: 1 min}
              - {do: [{time_passes: 6 h}, {sip: 60 ml}], expect: drink_stored, within: 1 min}
              - {do: [{time_passes: 3 h}, {sip: 50 ml}], expect: drink_stored, within: 1 min}
              - {do: [{time_passes: 6 h}, {sip: 40 ml}], expect: drink_stored, within: 1 min}
            """)
        #expect(run.problem == nil && run.failures == [])
        let hours = try open().rows(of: "aquavate_drinks").map { row in
            let time = try #require(row.integer("timestamp")) - (try #require(row.integer("utc_offset_s")))
            return (time - 1_772_409_600) / 3600
        }
        #expect(hours == [7, 13, 16, 22])
        let bottle = try #require(try open().rows(of: "aquavate_bottles").first)
        let level = try #require(bottle.integer("level_time"))
        #expect((level - 1_772_409_600) / 3600 == 22)
    }

    /// The time of the transfer is kept for drinks of a clock that is fast.
    @Test func drinksAreKeptWithTheTimeOfTheirTransfer() throws {
        let run = try run(
            """
              - do: [{set_clock_drift: 10000 ppm}, {time_passes: 48 h}, {sip: 100 ml}]
                expect: drink_stored
                within: 1 min
            """)
        #expect(run.problem == nil && run.failures == [])
        let drink = try #require(try open().rows(of: "aquavate_drinks").first)
        let received = try #require(drink.integer("received_at"))
        let sent = try #require(drink.integer("timestamp"))
        #expect((received - 1_772_434_800) / 3600 == 48)
        #expect((1600...1800).contains(sent - received))
        // The level is not one of a time to come.
        let bottle = try #require(try open().rows(of: "aquavate_bottles").first)
        let level = try #require(bottle.integer("level_time"))
        #expect(level <= received)
    }

    @Test func aDeletedDrinkStaysAsDeleted() throws {
        _ = try run("  - {do: [{history: 3}, motion]}", state: true)
        let run = try run(nil, tasks: [Stimulus("sync"), Stimulus("delete_drink", 2)], state: true)
        #expect(run.problem == nil)
        let deleted = try open().rows(of: "aquavate_drinks").filter { $0["is_deleted"] == .integer(1) }
        #expect(deleted.map { $0["record_id"] } == [.integer(2)])
    }

    /// What the puck has accepted is in the store at once.
    @Test(arguments: [
        ("shipped", "set_goal", "goal_ml"), ("prd", "set_goal", "goal_ml"), ("prd", "set_capacity", "capacity_ml"),
    ])
    func aSettingIsStoredAtOnce(dialect: String, task: String, column: String) throws {
        let run = try run(nil, dialect: dialect, tasks: [Stimulus("sync"), Stimulus(task, 1000)])
        #expect(run.problem == nil && run.notes.contains("\(task)_done"))
        #expect(try open().rows(of: "aquavate_bottles").map { $0[column] } == [.integer(1000)])
        guard task == "set_goal" else { return }
        #expect(try open().rows(of: "aquavate_goals").last?["goal_ml"] == .integer(1000))
    }

    /// The puck answers these commands at once and executes them in its main loop, after drawing its display.
    @Test(arguments: ["tare", "reset_day", "clear_history"])
    func thePuckDoesWhatItHasAnswered(task: String) throws {
        let sip = "  - {do: [{sip: 100 ml}, {time_passes: 20 s}], expect: drink_stored, within: 60 s}"
        let first = try run(sip, state: true)
        #expect(first.problem == nil && first.failures == [])
        func state() throws -> JSONValue { try JSONValue(reading: folder.bytes("puck.json")) }
        let before = try state()
        let run = try run(nil, tasks: [Stimulus("sync"), Stimulus(task)], state: true)
        #expect(run.problem == nil && run.notes.contains("\(task)_done"))
        let after = try state()
        let slots = after["drinks"]?["slots"]?.elements
        switch task {
        case "tare": #expect(after["calibration"]?["empty"] != before["calibration"]?["empty"])
        case "reset_day": #expect(slots?.map { $0["is_deleted"] } == [.boolean(true)])
        default: #expect(slots == [])
        }
        // A puck that clears its history leaves the stored drinks alone.
        let deleted = try open().rows(of: "aquavate_drinks").map { $0["is_deleted"] }
        #expect(deleted == [.integer(task == "reset_day" ? 1 : 0)])
    }

    /// The store has the times of connections. The session continues between them, and ends during the last one.
    @Test func connectionsAreShorterThanTheirSession() throws {
        let run = try run(
            """
              - {do: [{history: 3}, motion, {client: sync}], expect: client disconnected, within: 1 min}
              - do: {time_passes: 10 min}
            """)
        #expect(run.problem == nil && run.failures == [])
        func seconds(_ table: String) throws -> [Int64] {
            try open().rows(of: table).map { row in
                let start = try #require(row.integer("started_at"))
                let end = try #require(row.integer("ended_at"))
                return (end - start) / 1_000_000_000
            }
        }
        let connections = try seconds("connections")
        #expect(connections.count == 2 && connections.allSatisfy { (0..<10).contains($0) }, "\(connections)")
        #expect(try seconds("sessions").allSatisfy { $0 >= 600 })
    }

    @Test func aPuckThatIsNotThereIsSaid() throws {
        let run = try run(nil, name: "Nobody")
        #expect(run.problem == "no device of aquavate was found")
        let session = try open().rows(of: "sessions").first
        #expect(session?["outcome"] == .text("no device of aquavate was found") && session?["device"] == .absent)
        #expect(try open().rows(of: "connections").isEmpty)
        #expect(try self.run(nil, name: "Aquavate-").problem == nil)
    }
}

/// A store that logs its commits and fails at one of them like a full disk.
private final class FailingStore: RecordStore, @unchecked Sendable {
    private let store: SQLiteStore
    private let failure: Int?
    private var commits = 0
    private var log: [String] = []

    init(_ store: SQLiteStore, failingAt failure: Int?) {
        self.store = store
        self.failure = failure
    }

    func takeLog() -> [String] {
        defer { log = [] }
        return log
    }

    func beginSession(_ session: StoredSession) throws(StoreFault) -> Int64 { try store.beginSession(session) }
    func identify(session: Int64, address: String, name: String?, at time: Timestamp) throws(StoreFault) {
        try store.identify(session: session, address: address, name: name, at: time)
    }
    func addConnection(session: Int64, start: Timestamp, end: Timestamp) throws(StoreFault) {
        try store.addConnection(session: session, start: start, end: end)
    }
    func keep(table: String, session: Int64, at time: Timestamp) throws(StoreFault) {
        try store.keep(table: table, session: session, at: time)
    }

    func commit(_ changes: [StoreChange], session: Int64, at time: Timestamp) throws(StoreFault) -> Int {
        commits += 1
        if commits == failure { throw StoreFault("the disk is full", isDiskFull: true) }
        let new = try store.commit(changes, session: session, at: time)
        for change in changes {
            if case .add(let rows, let table) = change { log.append("add \(rows.count) \(table)") }
        }
        return new
    }

    func endSession(_ session: Int64, outcome: String, at time: Timestamp) throws(StoreFault) {
        try store.endSession(session, outcome: outcome, at: time)
    }
    func commit(_ changes: [StoreChange]) throws(StoreFault) { try store.commit(changes) }
    func forEachRow(of table: String, _ body: (StoredRow) throws -> Void) throws {
        try store.forEachRow(of: table, body)
    }
    func forEachRow(of query: StoredQuery, _ body: ([Int64]) -> Void) throws(StoreFault) {
        try store.forEachRow(of: query, body)
    }
    func columns(of table: String) throws(StoreFault) -> [String] { try store.columns(of: table) }
    func addresses(of plugin: String) throws(StoreFault) -> [String] { try store.addresses(of: plugin) }
    func summary() throws(StoreFault) -> StoreSummary { try store.summary() }
    func delete(device: String?) throws(StoreFault) -> Int { try store.delete(device: device) }
}
