import Bytes
import LifeCount
import PDUTestKit
import PluginKit
import Profile
import Store
import TestKit
import Testing
import Workbench

/// A store of people counters, and the commands that read it.
struct StoredCounts {
    private let folder: TemporaryFolder
    let store: SQLiteStore

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteStore.open(
            path: folder.path("counts.sqlite"), schema: [try #require(LifeCount.tables)])
    }

    static let paris = TimeZoneTable(
        name: "Europe/Paris", initialOffset: 3600,
        transitions: [.init(time: 1_774_746_000, offset: 7200), .init(time: 1_792_890_000, offset: 3600)])
    static let newYork = TimeZoneTable(
        name: "America/New_York", initialOffset: -18_000,
        transitions: [.init(time: 1_772_953_200, offset: -14_400), .init(time: 1_793_512_800, offset: -18_000)])

    static func milliseconds(_ text: String) -> Int64 { (Timestamp(rfc3339: text)?.nanoseconds ?? 0) / 1_000_000 }

    /// An event of a counter. It arrives when it happens unless `received` says otherwise.
    static func event(
        _ number: Int64, _ time: String, _ delta: Int64 = 1, device: Int64 = 7, location: Int64 = 3, boot: Int64 = 1,
        hasClock: Bool = true, isReplayed: Bool = false, received: String? = nil
    ) -> Record {
        let time = milliseconds(time)
        return [
            "location_id": .integer(location), "device_id": .integer(device), "timestamp_ms": .integer(time),
            "is_device_time": .boolean(hasClock), "received_ms": .integer(received.map { milliseconds($0) } ?? time),
            "delta": .integer(delta), "source": .text("hardware"), "sequence_number": .integer(number),
            "boot_count": .integer(boot), "device_time_ms": .integer(hasClock ? time : 0),
            "gateway_session": .integer(1), "is_replayed": .boolean(isReplayed),
        ]
    }

    func add(_ events: Record...) throws { try store.commit([.add(events, to: "lifecount_entries")]) }

    /// Adds events of a counter, and the location that it has.
    func receive(_ events: Record..., device: Int64 = 7, at location: Int64) throws {
        let address = "c0:00:00:00:00:0\(device)"
        let session = try store.beginSession(
            .init(plugin: "lifecount", transport: "radio:", start: Timestamp(nanoseconds: 0)))
        try store.identify(session: session, address: address, name: nil, at: Timestamp(nanoseconds: 0))
        let counter: Record = [
            "device_id": .integer(device), "location_id": .integer(location), "boot_count": .integer(1),
            "last_seen_ms": .integer(0),
        ]
        _ = try store.commit(
            [.add(events, to: "lifecount_entries"), .set(counter, in: "lifecount_counters")], session: session,
            at: Timestamp(nanoseconds: 0))
    }

    func setLocation(_ location: Int64, _ columns: Record) throws {
        var row = columns
        row.fields.append((name: "location_id", value: .integer(location)))
        try store.commit([.add([row], to: "lifecount_locations")])
    }

    /// The input of a command at a time.
    func input(
        _ now: String, _ values: [String: CommandInput.Value] = [:], zone: TimeZoneTable = .utc
    ) throws -> CommandInput {
        let time = try #require(Timestamp(rfc3339: now))
        var input = CommandInput(values: values, now: time)
        input.localZone = zone
        input.findZone = { name in [TimeZoneTable.utc, Self.paris, Self.newYork].first { $0.name == name } }
        for table in try #require(LifeCount.tables).names + ["sessions"] {
            input.rows[table] = try store.rows(of: table)
        }
        input.forEachRow = { [store] query, body throws(CommandError) in
            do {
                try store.forEachRow(of: query, body)
            } catch {
                throw .unreadable("\(error)")
            }
        }
        return input
    }

    func output(_ command: String, _ input: CommandInput) throws -> CommandOutput {
        try #require(LifeCount.commands.first?.commands.first { $0.name == command }).run(input)
    }

    /// The JSON of a report.
    func report(
        _ now: String, _ values: [String: CommandInput.Value] = [:], zone: TimeZoneTable = .utc
    ) throws -> JSONValue {
        let input = try input(now, values.merging(["json": .flag]) { $1 }, zone: zone)
        return try JSONValue(reading: Array(output("report", input).text.utf8))
    }
}

extension JSONValue {
    /// The members of an object at a path of names.
    func at(_ path: String...) -> JSONValue? {
        path.reduce(Optional(self)) { value, name in value?[name] }
    }
}
