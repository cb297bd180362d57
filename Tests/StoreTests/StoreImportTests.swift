import Bytes
import Foundation
import PDUTestKit
import PluginKit
import Profile
import Store
import Testing
import Workbench

/// Import of exports, and merging of stores.
struct StoreImportTests {
    private let folder: TemporaryFolder
    private static let day: Int64 = 1_772_434_800
    private static let bottle = "24:0a:c4:12:a3:f4"

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(_ name: String) throws -> SQLiteStore {
        try SQLiteStore.open(path: folder.path(name), schema: BuiltInPlugins.schema)
    }

    private func drink(_ id: Int64, _ amount: Int64 = 50) -> Record {
        [
            "record_id": .integer(id), "timestamp": .integer(Self.day + 60 * id), "amount_ml": .integer(amount),
            "level_ml": .integer(500), "type": .integer(0), "received_at": .integer(Self.day + 7200),
        ]
    }

    private func entry(_ number: Int64) -> Record {
        [
            "location_id": .integer(7), "device_id": .integer(1),
            "timestamp_ms": .integer(1000 * (Self.day + number) + 5),
            "is_device_time": .integer(1), "received_ms": .integer(1000 * (Self.day + number) + 250),
            "delta": .integer(number % 3 == 2 ? -1 : 1), "source": .text("hardware"),
            "sequence_number": .integer(number), "boot_count": .integer(1),
            "device_time_ms": .integer(1000 * (Self.day + number) + 5), "gateway_session": .integer(1),
        ]
    }

    /// Stores drinks of a bottle, with its goal, in a session that has ended.
    private func fill(
        _ store: SQLiteStore, drinks: [Record], goal: Int64 = 2500, at second: Int64 = StoreImportTests.day,
        address: String = StoreImportTests.bottle
    ) throws {
        // Times finer than those of spreadsheets.
        let time = Timestamp(seconds: second, nanoseconds: 856_498_037)
        let session = try store.beginSession(.init(plugin: "aquavate", transport: "radio:", start: time))
        try store.identify(session: session, address: address, name: "Aquavate-A3F2", at: time)
        let settings: Record = [
            "goal_ml": .integer(goal), "last_sync": .integer(second), "utc_offset_s": .integer(3600),
        ]
        _ = try store.commit(
            [.set(settings, in: "aquavate_bottles"), .add(drinks, to: "aquavate_drinks")], session: session, at: time)
        try store.keep(table: "{\"a\": \"b,\nc\"}", session: session, at: time)
        let end = Timestamp(seconds: second + 9, nanoseconds: 1)
        try store.addConnection(session: session, start: time, end: end)
        try store.endSession(session, outcome: "done, = 1", at: end)
    }

    /// Rows of every plugin.
    private func fillAll(_ store: SQLiteStore) throws {
        try fill(store, drinks: [drink(1), drink(2), drink(3)])
        try store.commit([.update(2, ["is_deleted": .integer(1), "health_uuid": .text("A")], in: "aquavate_drinks")])
        try fill(store, drinks: [drink(1)], at: Self.day + 600, address: "24:0a:c4:00:00:01")
        let time = Timestamp(seconds: Self.day, nanoseconds: 0)
        let session = try store.beginSession(.init(plugin: "lifecount", transport: "radio:", start: time))
        try store.identify(session: session, address: "c0:ff:ee:00:a5:c3", name: nil, at: time)
        _ = try store.commit(
            [.add((1...5).map(entry), to: "lifecount_entries")], session: session, at: time)
        let sample: Record = [
            "time_ns": .integer(Self.day * 1_000_000_000 + 123_456_789), "level": .real(0.1 + 0.2),
            "state": .text("charging"), "power_w": .real(5),
        ]
        let charge: Record = [
            "start_ns": .integer(Self.day * 1_000_000_000 + 123_456_789), "delta_pct": .real(1),
            "duration_s": .real(60.25), "model": .text(""), "charger": .text("20W \"PD\", white"),
            "notes": .text("'=1"), "inferred_charger": .text(""),
        ]
        try store.commit([.add([charge], to: "battery_sessions"), .add([sample], to: "battery_samples")])
    }

    // MARK: - Exports

    private func lines(_ store: SQLiteStore) throws -> String {
        var text = ""
        for table in store.tables {
            for row in try store.rows(of: table) {
                var members = [JSONValue.Member(name: "table", value: .string(table))]
                for (name, value) in row.fields {
                    let json: JSONValue =
                        switch value {
                        case .integer(let number): .integer(Int(number))
                        case .real(let number): .number(number)
                        case .text(let text): .string(text)
                        default: .null
                        }
                    members.append(JSONValue.Member(name: name, value: json))
                }
                text += JSONValue.object(members).line + "\n"
            }
        }
        return text
    }

    /// CSV files by table.
    private func tables(_ store: SQLiteStore) throws -> [String: String] {
        let zone = try #require(ZoneFile.zone("Europe/Paris"))
        var tables: [String: String] = [:]
        for table in store.tables {
            let rows = SpreadsheetRows(
                columns: try store.columns(of: table), times: store.times(of: table), zone: zone)
            var bytes = CSV.line(rows.header)
            for row in try store.rows(of: table) { bytes += CSV.line(rows.cells(row)) }
            tables[table] = String(decoding: bytes, as: UTF8.self)
        }
        return tables
    }

    @discardableResult
    private func importFile(_ path: String, into store: SQLiteStore, table: String? = nil) throws -> ImportCount {
        let now = Timestamp(seconds: Self.day + 1_000_000, nanoseconds: 0)
        return try store.importRows(owners: BuiltInPlugins.tableOwners, at: now) { add throws(StoreFault) in
            try ExportedFile.forEachRow(of: path, table: table, known: store.tables, add)
        }
    }

    private func count(_ new: Int, changed: Int = 0, known: Int = 0) -> ImportCount {
        var count = ImportCount()
        (count.new, count.changed, count.known) = (new, changed, known)
        return count
    }

    @Test func linesComeBackExactly() throws {
        let store = try open("a.sqlite")
        try fillAll(store)
        let text = try lines(store)
        let path = try folder.file("all.ndjson", text.utf8)
        let copy = try open("b.sqlite")
        let rows = text.count { $0 == "\n" }
        // The state of a location follows from its entries.
        let count = try importFile(path, into: copy)
        #expect(count.new == rows - 1 && count.known == 1)
        #expect(try lines(copy) == text)
        #expect(try importFile(path, into: copy) == self.count(0, known: rows))
        #expect(try importFile(path, into: store) == self.count(0, known: rows))
        #expect(try lines(store) == text)
    }

    @Test func tablesForSpreadsheetsComeBack() throws {
        let store = try open("a.sqlite")
        try fillAll(store)
        let exported = try tables(store)
        #expect(exported["aquavate_bottles"]?.contains(",2026-03-02T08:00:00,") == true)
        #expect(exported["battery_samples"]?.contains(",2026-03-02T08:00:00.123,0.30000000000000004,") == true)
        // A bottle counts in its own time.
        #expect(exported["aquavate_drinks"]?.contains("\r\n1,1,2026-03-02T07:01:00,50,") == true)
        #expect(exported["aquavate_drinks"]?.contains(",2026-03-02T10:00:00,,UTC+01:00,24:0a:c4:12:a3:f4,") == true)
        for (table, text) in exported { try folder.file("tables/\(table).csv", text.utf8) }
        let copy = try open("b.sqlite")
        try importFile(folder.path("tables"), into: copy)
        #expect(try tables(copy) == exported)
        // A time of a millisecond is that of the row within it.
        let before = try lines(store)
        #expect(try importFile(folder.path("tables"), into: store).new == 0)
        #expect(try lines(store) == before)
    }

    /// Exports of earlier versions have numbers for times, and lack later columns.
    @Test func anOldTableIsImported() throws {
        let path = try folder.file(
            "old.csv",
            """
            id,record_id,timestamp,amount_ml,level_ml,type,is_deleted,health_uuid,is_removed_from_health,device,device_name
            4,1,1772434807,120,709,1,0,,0,24:0a:c4:12:a3:f4,Aquavate-A3F2

            """.utf8)
        let states = try folder.file(
            "lifecount_states.csv",
            "id,location_id,current_count,last_updated_ms,last_event_ms,device,device_name\n1,7,3,1772434800250,,,\n"
                .utf8)
        let store = try open("a.sqlite")
        #expect(try importFile(path, into: store, table: "aquavate_drinks") == count(1))
        #expect(try importFile(states, into: store) == count(1))
        let drink = try #require(try store.rows(of: "aquavate_drinks").first)
        #expect(drink["id"] == .integer(4) && drink["timestamp"] == .integer(1_772_434_807))
        #expect(drink["device_name"] == .text("Aquavate-A3F2") && drink["received_at"] == .absent)
        #expect(try store.rows(of: "lifecount_states").map { $0["last_updated_ms"] } == [.integer(1_772_434_800_250)])
    }

    /// A spreadsheet may write times in its own form, and people their offset.
    @Test(arguments: [
        ("1772438400", ""), ("2026-03-02T09:00:00", "UTC+01:00"), ("2026-03-02 09:00:00", "+01:00"),
        ("2026-03-02T08:00:00", "UTC"), ("2026-03-02T08:00:00", "Z"), ("2026-03-02T03:00:00.000", "UTC-05:00"),
        ("2026-03-02T13:30:00+05:30", ""), ("2026-03-02T08:00:00Z", "UTC+01:00"),
    ])
    func timesAreReadInEveryForm(_ time: String, _ zone: String) throws {
        let text = "id,last_sync,zone,device\n1,\(time),\(zone),24:0a:c4:12:a3:f4\n"
        let store = try open("a.sqlite")
        try importFile(try folder.file("aquavate_bottles.csv", text.utf8), into: store)
        #expect(try store.rows(of: "aquavate_bottles").map { $0["last_sync"] } == [.integer(1_772_438_400)])
    }

    private static let columns = "record_id,timestamp,amount_ml,level_ml,type"

    @Test(
        arguments: [
            ("id,amount,device\n", "1,2,a\n", "line 2: aquavate_drinks has no column amount; did you mean amount_ml?"),
            ("\(columns),device\n", "1,2,x,4,5,a\n", "line 2, amount_ml: expected a whole number; found “x”"),
            ("\(columns),device\n", "1,2,3,4,5\n", "line 2: expected 6 fields, as in the first line; found 5"),
            ("\(columns),device\n", "1,soon,3,4,5,a\n", "line 2, timestamp: expected a time such as"),
            (
                "\(columns),received_at,device\n", "1,2,3,4,5,2026-03-02T08:00:00,a\n",
                "line 2, received_at: 2026-03-02T08:00:00 has no offset from UTC; expected the column zone"
            ),
            (
                "\(columns),zone,device\n", "1,2,3,4,5,Paris,a\n",
                "line 2, zone: expected an offset from UTC such as UTC+01:00; found Paris"
            ),
            (
                "record_id,timestamp,amount_ml,type,device\n", "1,2,3,4,a\n",
                "line 2, level_ml: expected a whole number; found nothing"
            ),
            ("\(columns),device\n", "1,2,3,4,5,\n", "line 2, device: expected the address of a device; found nothing"),
            ("\(columns),is_deleted,device\n", "1,2,3,4,5,2,a\n", "line 2: refused by the table aquavate_drinks: "),
            ("id,id\n", "", "line 1: the column id stands there twice"),
            ("", "", "expected a row with the names of the columns; found nothing"),
            (#"{"table":"peers"}"#, "", "line 1, "),
            (#"{"table":"pears"}"#, "", "line 1: there is no table pears; did you mean peers?"),
            (#"{"record_id":1}"#, "", "line 1: expected an object with the field “table”"),
            (#"{"table":"aquavate_drinks","record_id":1"#, "", "line 1, column 41: expected"),
            (
                #"{"table":"aquavate_drinks","record_id":[1]}"#, "",
                "line 1, record_id: expected a number, a text or null"
            ),
        ] as [(String, String, String)])
    func aWrongFileChangesNothing(_ header: String, _ rows: String, _ expected: String) throws {
        let store = try open("a.sqlite")
        try fill(store, drinks: [drink(1)])
        let before = try lines(store)
        let path = try folder.file("aquavate_drinks.csv", (header + rows).utf8)
        let fault = #expect(throws: StoreFault.self) { try importFile(path, into: store) }
        #expect(fault?.description.contains("aquavate_drinks.csv: \(expected)") == true, "\(fault?.description ?? "")")
        #expect(try lines(store) == before)
    }

    /// Good rows before the wrong one are not kept, nor their device.
    @Test func anImportIsWholeOrNone() throws {
        let header = "record_id,timestamp,amount_ml,level_ml,type,device\n"
        let path = try folder.file("drinks.csv", (header + "1,2,3,4,5,a\n2,3,4,5,6,b\n3,4,x,5,6,a\n").utf8)
        let store = try open("a.sqlite")
        #expect(throws: StoreFault.self) { try importFile(path, into: store, table: "aquavate_drinks") }
        #expect(try store.summary().tables.allSatisfy { $0.rows == 0 })
        let unnamed = #expect(throws: StoreFault.self) { try importFile(path, into: store) }
        #expect(unnamed?.description.contains("name the table with --table") == true)
    }

    // MARK: - Merging

    private func merge(_ first: String, _ second: String) throws -> SQLiteStore {
        let path = folder.path("both.sqlite")
        _ = try SQLiteStore.merge(
            folder.path(first), folder.path(second), into: path, schema: BuiltInPlugins.schema,
            owners: BuiltInPlugins.tableOwners, at: Timestamp(seconds: Self.day, nanoseconds: 0))
        return try SQLiteStore.open(path: path, schema: BuiltInPlugins.schema)
    }

    private func column(_ name: String, of table: String, _ store: SQLiteStore) throws -> [Value?] {
        try store.rows(of: table).map { $0[name] }
    }

    /// Rows of both are there once, settings are the newer ones, and what was deleted in one stays deleted.
    @Test func storesAreMerged() throws {
        func make() throws {
            let one = try open("a.sqlite")
            try fill(one, drinks: [drink(1), drink(2)], goal: 3000, at: Self.day + 600)
            try fill(one, drinks: [drink(8)], at: Self.day + 700, address: "24:0a:c4:00:00:01")
            let other = try open("b.sqlite")
            try fill(other, drinks: [drink(2), drink(3)], goal: 2000, at: Self.day)
            try other.commit([.update(1, ["is_deleted": .integer(1)], in: "aquavate_drinks")])
        }
        try make()
        let files = ["a.sqlite", "b.sqlite"].map { folder.path($0) }
        let before = files.map { FileManager.default.contents(atPath: $0) }
        let store = try merge("a.sqlite", "b.sqlite")
        #expect(
            try column("record_id", of: "aquavate_drinks", store) == [
                .integer(1), .integer(2), .integer(8), .integer(3),
            ])
        #expect(
            try column("is_deleted", of: "aquavate_drinks", store)
                == [.integer(0), .integer(1), .integer(0), .integer(0)])
        #expect(try column("goal_ml", of: "aquavate_bottles", store) == [.integer(3000), .integer(2500)])
        #expect(try store.rows(of: "sessions").count == 3)
        #expect(try store.rows(of: "connections").map { $0["session_id"] } == [.integer(1), .integer(2), .integer(3)])
        #expect(try store.rows(of: "peers").count == 2)
        #expect(files.map { FileManager.default.contents(atPath: $0) } == before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path("")).filter { $0.hasSuffix(".merging") }
                == [])
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("both.sqlite"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func newerSettingsOfTheSecondStoreStay() throws {
        try fill(try open("a.sqlite"), drinks: [], goal: 2000, at: Self.day)
        try fill(try open("b.sqlite"), drinks: [], goal: 3000, at: Self.day + 600)
        #expect(try column("goal_ml", of: "aquavate_bottles", merge("a.sqlite", "b.sqlite")) == [.integer(3000)])
    }

    /// A store of an earlier version is migrated as a copy.
    @Test func aStoreOfAnEarlierVersionIsMerged() throws {
        let schema = BuiltInPlugins.schema.map { tables in
            var old = tables
            old.migrations = Array(tables.migrations.prefix(1))
            return old
        }
        func make() throws {
            let old = try SQLiteStore.open(path: folder.path("b.sqlite"), schema: schema)
            let time = Timestamp(seconds: Self.day, nanoseconds: 0)
            let session = try old.beginSession(.init(plugin: "aquavate", transport: "radio:", start: time))
            try old.identify(session: session, address: Self.bottle, name: nil, at: time)
            var row = drink(9)
            row.fields.removeAll { $0.name == "received_at" }
            _ = try old.commit([.add([row], to: "aquavate_drinks")], session: session, at: time)
            try fill(try open("a.sqlite"), drinks: [drink(1)])
        }
        try make()
        let before = FileManager.default.contents(atPath: folder.path("b.sqlite"))
        let store = try merge("a.sqlite", "b.sqlite")
        #expect(try column("record_id", of: "aquavate_drinks", store) == [.integer(1), .integer(9)])
        #expect(FileManager.default.contents(atPath: folder.path("b.sqlite")) == before)
    }

    @Test func aMergedStoreReplacesNoFile() throws {
        try fill(try open("a.sqlite"), drinks: [drink(1)])
        let before = FileManager.default.contents(atPath: folder.path("a.sqlite"))
        try folder.file("both.sqlite", [])
        let fault = #expect(throws: StoreFault.self) { try merge("a.sqlite", "a.sqlite") }
        #expect(fault?.description.contains("is there already") == true)
        #expect(FileManager.default.contents(atPath: folder.path("a.sqlite")) == before)
    }
}
