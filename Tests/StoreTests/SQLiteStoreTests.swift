import Aquavate
import BatteryTrace
import Bytes
import Foundation
import LifeCount
import PDUTestKit
import PluginKit
import Profile
import Store
import TestKit
import Testing
import Workbench

/// The store: rows, uniqueness, transactions, and foreign files.
struct SQLiteStoreTests {
    private let folder: TemporaryFolder
    private let store: SQLiteStore
    private let session: Int64

    init() throws {
        folder = try TemporaryFolder()
        store = try Self.open(folder)
        session = try Self.begin(store, "24:0a:c4:12:a3:f4")
    }

    private static func open(_ folder: TemporaryFolder) throws -> SQLiteStore {
        try SQLiteStore.open(path: folder.path("store.sqlite"), schema: [try #require(Aquavate.tables)])
    }

    private static func begin(_ store: SQLiteStore, _ address: String) throws -> Int64 {
        let start = Timestamp(seconds: 1_772_434_800, nanoseconds: 0)
        let session = try store.beginSession(.init(plugin: "aquavate", transport: "radio:", start: start))
        try store.identify(session: session, address: address, name: "Aquavate-A3F2", at: start)
        return session
    }

    private func drink(_ id: Int64, at time: Int64 = 1_772_434_800, _ amount: Int64 = 50) -> Record {
        [
            "record_id": .integer(id), "timestamp": .integer(time), "amount_ml": .integer(amount),
            "level_ml": .integer(500), "type": .integer(0),
        ]
    }

    private func commit(_ changes: StoreChange...) throws -> Int {
        try store.commit(changes, session: session, at: Timestamp(seconds: 1_772_434_801, nanoseconds: 0))
    }

    private func column(_ name: String, of table: String) throws -> [Value] {
        try store.rows(of: table).map { try #require($0[name]) }
    }

    @Test func aRecordIsKeptOnce() throws {
        #expect(try commit(.add([drink(1), drink(2)], to: "aquavate_drinks")) == 2)
        #expect(try commit(.add([drink(2), drink(3)], to: "aquavate_drinks")) == 1)
        #expect(try column("record_id", of: "aquavate_drinks") == [.integer(1), .integer(2), .integer(3)])
        // After CLEAR_HISTORY the IDs restart at 1 (Q-11).
        #expect(try commit(.add([drink(1, at: 1_772_500_000)], to: "aquavate_drinks")) == 1)
        #expect(try column("new_rows", of: "journal") == [.integer(2), .integer(1), .integer(1)])
    }

    @Test func devicesDoNotShareRecords() throws {
        _ = try commit(.add([drink(1)], to: "aquavate_drinks"))
        let other = try Self.begin(store, "24:0a:c4:00:00:01")
        let time = Timestamp(seconds: 1_772_434_802, nanoseconds: 0)
        #expect(try store.commit([.add([drink(1)], to: "aquavate_drinks")], session: other, at: time) == 1)
        #expect(try store.commit([.clear("aquavate_drinks")], session: other, at: time) == 0)
        #expect(try column("device", of: "aquavate_drinks") == [.text("24:0a:c4:12:a3:f4")])
    }

    @Test func changesOfOneCommitAreMadeTogetherOrNotAtAll() throws {
        _ = try commit(.add([drink(1)], to: "aquavate_drinks"))
        #expect(throws: StoreFault.self) {
            try commit(.clear("aquavate_drinks"), .add([["record_id": .integer(7)]], to: "aquavate_drinks"))
        }
        #expect(try column("record_id", of: "aquavate_drinks") == [.integer(1)])
        #expect(try store.rows(of: "journal").count == 1)
    }

    @Test func columnsOfTheOnlyRowAreSet() throws {
        _ = try commit(.set(["goal_ml": .integer(2500)], in: "aquavate_bottles"))
        _ = try commit(.set(["last_sync": .integer(5)], in: "aquavate_bottles"), .set([:], in: "aquavate_bottles"))
        #expect(try column("goal_ml", of: "aquavate_bottles") == [.integer(2500)])
        #expect(try column("last_sync", of: "aquavate_bottles") == [.integer(5)])
    }

    /// The commit that changes a bottle's goal dates it; a goal that is read again adds no row.
    @Test func goalsAreDated() throws {
        for (second, goal) in [(0, 1000), (60, 1000), (120, 3000), (180, 1000)] as [(Int64, Int64)] {
            let change = StoreChange.set(["goal_ml": .integer(goal)], in: "aquavate_bottles")
            let time = Timestamp(seconds: 1_772_434_800 + second, nanoseconds: 500_000_000)
            #expect(try store.commit([change], session: session, at: time) == 0)
        }
        let other = try Self.begin(store, "24:0a:c4:00:00:01")
        let capacity = StoreChange.set(["capacity_ml": .integer(830)], in: "aquavate_bottles")
        _ = try store.commit([capacity], session: other, at: Timestamp(seconds: 1_772_435_100, nanoseconds: 0))
        #expect(try column("goal_ml", of: "aquavate_goals") == [.integer(1000), .integer(3000), .integer(1000)])
        #expect(
            try column("timestamp", of: "aquavate_goals")
                == [.integer(1_772_434_800), .integer(1_772_434_920), .integer(1_772_434_980)])
        #expect(try store.delete(device: "24:0a:c4:12:a3:f4") == 1)
        #expect(try column("goal_ml", of: "aquavate_goals") == [])
    }

    /// The goal of a store that did not date goals is of an unknown time.
    @Test func goalsOfAnOlderStoreAreKept() throws {
        let path = folder.path("older.sqlite")
        let new = try #require(Aquavate.tables)
        var old = new
        old.migrations = Array(new.migrations.prefix(2))
        func commit(_ goal: Int64, schema: StoredTables, at time: Int64) throws -> SQLiteStore {
            let store = try SQLiteStore.open(path: path, schema: [schema])
            let change = StoreChange.set(["goal_ml": .integer(goal)], in: "aquavate_bottles")
            _ = try store.commit(
                [change], session: try Self.begin(store, "24:0a:c4:12:a3:f4"),
                at: Timestamp(seconds: time, nanoseconds: 0))
            return store
        }
        _ = try commit(1000, schema: old, at: 1_772_434_800)
        _ = try commit(1000, schema: new, at: 1_772_521_200)
        let goals = try commit(3000, schema: new, at: 1_772_607_600).rows(of: "aquavate_goals")
        #expect(goals.map { $0["goal_ml"] } == [.integer(1000), .integer(3000)])
        #expect(goals.map { $0["timestamp"] } == [.integer(0), .integer(1_772_607_600)])
    }

    @Test func theNewestRowIsMarked() throws {
        _ = try commit(.add([drink(1), drink(2), drink(1, at: 1_772_500_000)], to: "aquavate_drinks"))
        let mark = StoreChange.mark(
            ["is_deleted": .integer(1)], in: "aquavate_drinks", where: ["record_id": .integer(1)])
        _ = try commit(mark)
        #expect(try column("is_deleted", of: "aquavate_drinks") == [.integer(0), .integer(0), .integer(1)])
        let id = try #require(try store.rows(of: "aquavate_drinks").first?["id"])
        #expect(id == .integer(1))
        try store.commit([.update(1, ["health_uuid": .text("A")], in: "aquavate_drinks")])
        #expect(try column("health_uuid", of: "aquavate_drinks") == [.text("A"), .absent, .absent])
    }

    @Test func rowsFromAValueOnAreMarked() throws {
        let drinks = [drink(1, at: 1_772_409_599), drink(2, at: 1_772_409_600), drink(3)]
        _ = try commit(.add(drinks, to: "aquavate_drinks"))
        let other = try Self.begin(store, "24:0a:c4:00:00:01")
        let time = Timestamp(seconds: 1_772_434_802, nanoseconds: 0)
        _ = try store.commit([.add([drink(4)], to: "aquavate_drinks")], session: other, at: time)
        let mark = StoreChange.markAll(
            ["is_deleted": .integer(1)], in: "aquavate_drinks", from: ["timestamp": .integer(1_772_409_600)])
        #expect(try commit(mark) == 0)
        #expect(
            try column("is_deleted", of: "aquavate_drinks") == [.integer(0), .integer(1), .integer(1), .integer(0)])
        #expect(try column("changes", of: "journal").last == .text("mark aquavate_drinks"))
    }

    @Test func aRowThatIsNoneIsRefused() throws {
        let fault = #expect(throws: StoreFault.self) { try commit(.clear("peers; DROP TABLE peers")) }
        #expect(fault?.description.hasPrefix("there is no table peers; DROP") == true)
        #expect(throws: StoreFault.self) {
            try commit(.add([["record_id": .text("x"), "timestamp": .text("y")]], to: "aquavate_drinks"))
        }
    }

    @Test func aDeletedDeviceLeavesNothing() throws {
        _ = try commit(.add([drink(1)], to: "aquavate_drinks"))
        try store.keep(table: "{}", session: session, at: Timestamp(nanoseconds: 1))
        try store.addConnection(session: session, start: Timestamp(nanoseconds: 1), end: Timestamp(nanoseconds: 2))
        #expect(try column("device", of: "connections") == [.text("24:0a:c4:12:a3:f4")])
        #expect(try store.delete(device: "nobody") == 0)
        #expect(try store.delete(device: "Aquavate-A3F2") == 1)
        #expect(try store.summary().tables.filter { $0.rows > 0 }.map(\.name) == [])
    }

    /// The last event of a location is that of the remaining entries.
    @Test func aStateFollowsADeletion() throws {
        let tables = try #require(LifeCount.tables)
        let store = try SQLiteStore.open(path: folder.path("counts.sqlite"), schema: [tables])
        let time = Timestamp(nanoseconds: 1_772_449_200_000_000_000)
        let session = try store.beginSession(StoredSession(plugin: "lifecount", transport: "radio:", start: time))
        try store.identify(session: session, address: "c0:00:00:00:00:07", name: "Door", at: time)
        func entry(_ number: Int64, _ delta: Int64, location: Int64 = 3, source: String = "hardware") -> Record {
            [
                "location_id": .integer(location), "device_id": .integer(7), "timestamp_ms": .integer(1000 * number),
                "is_device_time": .integer(1), "received_ms": .integer(1000 * number), "delta": .integer(delta),
                "source": .text(source), "sequence_number": .integer(number), "boot_count": .integer(1),
                "device_time_ms": .integer(1000 * number), "gateway_session": .integer(1),
            ]
        }
        let counted = [entry(0, 1), entry(1, 1), entry(8, 1), entry(3, 1, location: 4)]
        _ = try store.commit([.add(counted, to: "lifecount_entries")], session: session, at: time)
        let byHand = [(4, -1), (5, -1), (6, 1)].map { entry($0, $1, source: "manual") }
        try store.commit([.add(byHand, to: "lifecount_entries")])
        let last = { try store.rows(of: "lifecount_states").map { $0["last_event_ms"] } }
        #expect(try last() == [.integer(8000), .integer(3000)])
        #expect(try store.delete(device: "Door") == 1)
        #expect(try last() == [.integer(6000)])
        try store.commit([.add([entry(7, 1, source: "manual")], to: "lifecount_entries")])
        #expect(try last() == [.integer(7000)])
    }

    @Test func whatWasCommittedIsThereAfterARestart() throws {
        _ = try commit(.add([drink(1)], to: "aquavate_drinks"))
        let again = try Self.open(folder)
        #expect(try again.rows(of: "aquavate_drinks").count == 1)
        let all = (1...4).map { "store-\($0)" } + [1, 2, 3, 4, 5, 7].map { "aquavate-\($0)" }
        #expect(try again.summary().migrations == all)
        #expect(try again.addresses(of: "aquavate") == ["24:0a:c4:12:a3:f4"])
        #expect(try again.addresses(of: "lifecount") == [])
    }

    /// A store of a version without connections keeps its sessions.
    @Test func anOlderStoreGetsConnections() throws {
        let path = folder.path("older.sqlite")
        let new = try #require(Aquavate.tables)
        var old = new
        old.migrations.append(
            StoredTables.Migration(
                "undo",
                sql: """
                    DROP TABLE connections;
                    DELETE FROM grdb_migrations WHERE identifier IN ('store-3', 'undo');
                    """))
        let session = try Self.begin(SQLiteStore.open(path: path, schema: [old]), "24:0a:c4:12:a3:f4")
        let store = try SQLiteStore.open(path: path, schema: [new])
        #expect(try store.rows(of: "sessions").map { $0["device"] } == [.text("24:0a:c4:12:a3:f4")])
        #expect(try store.rows(of: "connections").isEmpty)
        try store.addConnection(session: session, start: Timestamp(nanoseconds: 1), end: Timestamp(nanoseconds: 2))
        #expect(try store.rows(of: "connections").map { $0["ended_at"] } == [.integer(2)])
    }

    /// Samples stored by older versions are assigned to their session, if it is unambiguous.
    @Test func samplesOfAnOlderStoreGetTheirSession() throws {
        let path = folder.path("batteries.sqlite")
        let new = try #require(BatteryTrace.tables)
        var old = new
        old.migrations = Array(new.migrations.prefix(1))
        func session(_ start: Int64, _ end: Value, _ duration: Double) -> Record {
            [
                "start_ns": .integer(start), "end_ns": end, "delta_pct": .real(1), "duration_s": .real(duration),
                "model": .text(""), "charger": .text(""), "notes": .text(""), "inferred_charger": .text(""),
            ]
        }
        let times: [Int64] = [0, 500, 600, 512_002_000_000, 512_002_000_001]
        let samples = times.map { time -> Record in
            ["time_ns": .integer(time), "level": .real(0.5), "state": .text("charging")]
        }
        try SQLiteStore.open(path: path, schema: [old]).commit([
            .add([session(0, .integer(500), 5e-7), session(500, .absent, 512.0019995)], to: "battery_sessions"),
            .add(samples, to: "battery_samples"),
        ])
        let store = try SQLiteStore.open(path: path, schema: [new])
        #expect(
            try store.rows(of: "battery_samples").map { $0["session_start_ns"] }
                == [.integer(0), .absent, .integer(500), .integer(500), .absent])
        #expect(try store.rows(of: "battery_sessions").count == 2)
    }

    /// Older versions refused more than the nominal capacity.
    @Test func snapshotsOfAnOlderStoreStayAndNewBatteriesAreTaken() throws {
        let path = folder.path("health.sqlite")
        let new = try #require(BatteryTrace.tables)
        var old = new
        old.migrations = Array(new.migrations.prefix(2))
        func snapshot(_ health: Double) -> StoreChange {
            let row: Record = [
                "date_ns": .integer(1), "cycles": .integer(2), "health": .real(health),
                "first_use": .text("2024-09-21"), "mfg_date": .absent,
            ]
            return .add([row], to: "battery_snapshots")
        }
        let older = try SQLiteStore.open(path: path, schema: [old])
        try older.commit([snapshot(1)])
        #expect(throws: StoreFault.self) { try older.commit([snapshot(1.01)]) }
        let before = try older.rows(of: "battery_snapshots")
        let store = try SQLiteStore.open(path: path, schema: [new])
        #expect(try store.rows(of: "battery_snapshots") == before)
        try store.commit([snapshot(1.1)])
        #expect(throws: StoreFault.self) { try store.commit([snapshot(1.11)]) }
        #expect(try store.rows(of: "battery_snapshots").map { $0["health"] } == [.real(1), .real(1.1)])
    }

    /// A drink gets the offset of its bottle when it is added; the drinks of an older store get it when it is learned.
    @Test func drinksKeepTheOffsetOfTheirBottle() throws {
        let path = folder.path("drinks.sqlite")
        let new = try #require(Aquavate.tables)
        var old = new
        old.migrations = Array(new.migrations.prefix(2))
        let time = Timestamp(seconds: 1_772_434_801, nanoseconds: 0)
        let older = try SQLiteStore.open(path: path, schema: [old])
        for address in ["24:0a:c4:12:a3:f4", "24:0a:c4:00:00:01"] {
            let bottle = StoreChange.set(["goal_ml": .integer(2500)], in: "aquavate_bottles")
            let session = try Self.begin(older, address)
            _ = try older.commit([bottle, .add([drink(1)], to: "aquavate_drinks")], session: session, at: time)
        }
        let store = try SQLiteStore.open(path: path, schema: [new])
        let session = try Self.begin(store, "24:0a:c4:12:a3:f4")
        func offsets(learning offset: Int64, adding ids: Int64...) throws -> [Value] {
            let bottle = StoreChange.set(["utc_offset_s": .integer(offset)], in: "aquavate_bottles")
            let drinks = StoreChange.add(ids.map { drink($0) }, to: "aquavate_drinks")
            #expect(try store.commit([bottle, drinks], session: session, at: time) == 1)
            return try store.rows(of: "aquavate_drinks").map { try #require($0["utc_offset_s"]) }
        }
        #expect(try offsets(learning: 32_400, adding: 2) == [.integer(32_400), .absent, .integer(32_400)])
        let later = try offsets(learning: 36_000, adding: 1, 3)
        #expect(later == [.integer(32_400), .absent, .integer(32_400), .integer(36_000)])
    }

    /// A drink keeps the user's zone at the commit that added it; other tables have none.
    @Test func drinksKeepTheZoneOfTheirSync() throws {
        let path = folder.path("zones.sqlite")
        let tables = try #require(Aquavate.tables)
        let time = Timestamp(seconds: 1_772_434_801, nanoseconds: 0)
        var imported = drink(3)
        imported.fields.append(("time_zone", .text("Europe/Paris")))
        for zone in ["Asia/Tokyo", "America/New_York", nil] {
            let store = try SQLiteStore.open(path: path, schema: [tables]) { zone }
            let session = try Self.begin(store, "24:0a:c4:12:a3:f4")
            let rows = zone == "Asia/Tokyo" ? [drink(1)] : zone == nil ? [drink(4)] : [drink(1), drink(2), imported]
            let goal = StoreChange.set(["goal_ml": .integer(2500)], in: "aquavate_bottles")
            _ = try store.commit([goal, .add(rows, to: "aquavate_drinks")], session: session, at: time)
        }
        let store = try SQLiteStore.open(path: path, schema: [tables])
        #expect(
            try store.rows(of: "aquavate_drinks").map { $0["time_zone"] }
                == [.text("Asia/Tokyo"), .text("America/New_York"), .text("Europe/Paris"), .absent])
    }

    /// Each connection creates the tables or finds them created.
    @Test func newStoresAreOpenedAtTheSameTime() async throws {
        let tables = try #require(LifeCount.tables)
        let names = tables.migrations.map(\.name)
        for number in 0..<10 {
            let path = try folder.file("new\(number).sqlite", [])
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask { try SQLiteStore.open(path: path, schema: [tables]).summary().migrations }
                }
                for try await migrations in group { #expect(Array(migrations.suffix(names.count)) == names) }
            }
        }
    }

    /// Without the lock, another program would consider the store unused and delete its log.
    @Test func aSecondOpeningKeepsTheLockOfTheFirst() throws {
        let again = try Self.open(folder)
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("store.sqlite"))
        let file = try #require(attributes[.systemFileNumber] as? Int)
        // pid, device and inode of each lock (proc_locks(5)).
        let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
        #expect(locks.contains(":\(file) "))
        withExtendedLifetime((store, again)) {}
    }

    /// The table of earlier versions, which opened their stores with the library GRDB.
    @Test func migrationsAreInTheSameTableAsEver() throws {
        var made: Int64 = 0
        try store.forEachRow(of: StoredQuery("SELECT count(identifier) FROM grdb_migrations", [])) { made = $0[0] }
        let migrations = try store.summary().migrations
        #expect(Int(made) == migrations.count && migrations.contains("store-4"))
    }

    @Test func valuesComeBackAsTheyWere() throws {
        try store.keep(table: "{\0é💧}", session: session, at: Timestamp(nanoseconds: .max))
        #expect(try column("content", of: "gatt_tables") == [.text("{\0é💧}")])
        #expect(try column("first_seen", of: "gatt_tables") == [.integer(.max)])
        _ = try commit(.add([drink(.min, at: -1)], to: "aquavate_drinks"))
        #expect(try column("record_id", of: "aquavate_drinks") == [.integer(.min)])
        #expect(try column("health_uuid", of: "aquavate_drinks") == [.absent])
    }

    @Test func aReaderThatThrowsEndsTheReading() throws {
        struct Enough: Error {}
        #expect(throws: Enough.self) { try store.forEachRow(of: "peers") { _ in throw Enough() } }
        #expect(try commit(.add([drink(1)], to: "aquavate_drinks")) == 1)
    }

    @Test func aFileOfSomethingElseIsLeftAlone() throws {
        try folder.file("text", "This is a text of somebody, long enough to be read as a header of a file.".utf8)
        let fault = #expect(throws: StoreFault.self) {
            try SQLiteStore.open(path: folder.path("text"), schema: [])
        }
        #expect(fault?.description == "\(folder.path("text")): not a store; name another file with --store")
        let folderFault = #expect(throws: StoreFault.self) { try SQLiteStore.open(path: "/dev", schema: []) }
        #expect(folderFault?.description.hasPrefix("/dev: Is a directory") == true)
        // Created by a program with tables that this one does not know.
        let newer = #expect(throws: StoreFault.self) {
            try SQLiteStore.open(path: folder.path("store.sqlite"), schema: [])
        }
        #expect(newer?.description.contains("made by a newer gattbench") == true)
    }

    /// A gateway holds its counters while it receives from them, including those received after the time was read or
    /// before the clock was set back.
    @Test(
        arguments: [(-91_000, nil), (-90_000, 90), (-1500, 1), (40, 0), (90_000, 0), (91_000, nil)]
            as [(Int64, Int64?)])
    func aGatewayHoldsItsCounters(heard: Int64, silence: Int64?) throws {
        let tables = try #require(LifeCount.tables)
        let store = try SQLiteStore.open(path: folder.path("counts.sqlite"), schema: [tables])
        let now = Timestamp(seconds: 1_772_434_800, nanoseconds: 0)
        let session = try store.beginSession(.init(plugin: "lifecount", transport: "radio:", start: now))
        try store.identify(session: session, address: "c0:ff:ee:00:a5:c3", name: nil, at: now)
        let counter: Record = [
            "device_id": .integer(1), "location_id": .integer(0), "boot_count": .integer(1),
            "is_active": .boolean(true), "last_seen_ms": .integer(now.nanoseconds / 1_000_000 + heard),
            "gateway_session": .integer(session),
        ]
        _ = try store.commit([.set(counter, in: "lifecount_counters")], session: session, at: now)
        var found: [Int64] = []
        try store.forEachRow(of: try #require(tables.softLock?.query(now))) { found.append($0[1]) }
        #expect(found == (silence.map { [$0] } ?? []))
    }

    /// The characters of the name are special in a URI.
    @Test func aStoreIsReadWithoutAChangeToItsFolder() throws {
        let schema = [try #require(Aquavate.tables)]
        let own = try TemporaryFolder()
        let path = own.path("what? 100%#1.sqlite")
        func make() throws {
            let store = try SQLiteStore.open(path: path, schema: schema)
            let session = try Self.begin(store, "24:0a:c4:12:a3:f4")
            _ = try store.commit(
                [.add([drink(1)], to: "aquavate_drinks")], session: session, at: Timestamp(seconds: 1, nanoseconds: 0))
        }
        try make()
        let before = FileManager.default.contents(atPath: path)
        let store = try SQLiteStore.openReadOnly(path: path, schema: schema)
        #expect(try store.summary().devices.map(\.address) == ["24:0a:c4:12:a3:f4"])
        #expect(try store.rows(of: "aquavate_drinks").map { $0["record_id"] } == [.integer(1)])
        #expect(throws: StoreFault.self) { try store.delete(device: nil) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: own.path("")) == ["what? 100%#1.sqlite"])
        #expect(FileManager.default.contents(atPath: path) == before)
        let older = try #require(throws: StoreFault.self) {
            try SQLiteStore.openReadOnly(path: path, schema: schema + [try #require(LifeCount.tables)])
        }
        #expect(older.description.contains("made by an earlier gattbench"))
    }

    @Test func aReadOnlyStoreHasWhatIsInTheLog() throws {
        #expect(try commit(.add([drink(1)], to: "aquavate_drinks")) == 1)
        let log = try FileManager.default.attributesOfItem(atPath: folder.path("store.sqlite-wal"))
        #expect((log[.size] as? Int ?? 0) > 0)
        let reader = try SQLiteStore.openReadOnly(
            path: folder.path("store.sqlite"), schema: [try #require(Aquavate.tables)])
        #expect(try reader.rows(of: "aquavate_drinks").count == 1)
        #expect(throws: StoreFault.self) { try reader.delete(device: nil) }
    }

    @Test func onlyItsUserMayReadIt() throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("store.sqlite"))
        #expect((attributes[.posixPermissions] as? Int) == 0o600)
    }

    /// A commit is on disk when it returns, foreign keys are enforced, and deleted data is overwritten.
    @Test func theConnectionIsSetUp() throws {
        let settings = try store.settings(["synchronous", "journal_mode", "foreign_keys", "secure_delete"])
        #expect(settings == [.integer(2), .text("wal"), .integer(1), .integer(1)])
    }
}
