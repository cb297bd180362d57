import Bytes
import PluginKit
import Profile
import Testing

@testable import LifeCount

/// The commands that add entries, and the database rules that they print.
struct CountCommandTests {
    /// Runs a command with a store whose last sequence number is `last`.
    private func run(
        _ name: String, _ values: [String: CommandInput.Value] = [:], last: Int64 = 0
    ) throws -> CommandOutput {
        let command = try #require(CountCommands.group.commands.first { $0.name == name })
        var input = CommandInput(
            values: values.merging(["now": .text("2026-03-02T12:00:00Z")]) { $1 },
            now: Timestamp(seconds: 0, nanoseconds: 0))
        input.forEachRow = { _, body throws(CommandError) in body([last]) }
        return try command.run(input)
    }

    private func rows(_ output: CommandOutput) throws -> [Record] {
        guard case .addNew(let rows, CounterTables.entries)? = output.storeChanges.first else { return [] }
        return rows
    }

    @Test func simulatedPeopleComeAndGo() throws {
        let values: [String: CommandInput.Value] = [
            "location": .number(7), "device": .number(9), "rate": .number(20), "minutes": .number(60),
        ]
        let output = try run("simulate", values, last: 41)
        let rows = try rows(output)
        #expect((1000...1400).contains(rows.count))
        #expect(rows.allSatisfy { $0.text("source") == "simulator" && $0.integer("location_id") == 7 })
        #expect(rows.map { $0.integer("sequence_number") } == (42..<42 + Int64(rows.count)).map { $0 })
        let times = rows.compactMap { $0.integer("timestamp_ms") }
        #expect(times == times.sorted() && times.allSatisfy { (1_772_449_200_000...1_772_452_800_000).contains($0) })
        var inside: Int64 = 0
        for row in rows {
            inside += row.integer("delta") ?? 0
            #expect(inside >= 0)
        }
        #expect(output.text == "\(rows.count) entries added, \(inside) inside\n")
        // The seed determines the entries.
        #expect(try self.rows(run("simulate", values, last: 41)) == rows)
        #expect(try self.rows(run("simulate", values.merging(["seed": .number(2)]) { $1 }, last: 41)) != rows)
    }

    @Test func entriesByHandGoOnInTheSequence() throws {
        let rows = try rows(run("add", ["delta": .text("-2"), "reason": .text("side door")], last: 5))
        #expect(rows.map { $0.integer("sequence_number") } == [6, 7])
        #expect(rows.allSatisfy { $0.integer("delta") == -1 && $0.text("user_id") == "side door" })
        #expect(throws: CommandError.self) {
            try run("add", ["delta": .text("1"), "reason": .text(String(repeating: "é", count: 501))])
        }
    }

    @Test(arguments: ["0", "+1001", "-1001", "9223372036854775807", "-9223372036854775808", "x"])
    func onlySoManyEntriesAreMadeByHand(_ delta: String) {
        #expect(throws: CommandError.self) { try run("add", ["delta": .text(delta)]) }
    }

    /// The rules cover exactly the published collections.
    @Test func theRulesAreAboutWhatIsPublished() throws {
        let text = try run("rules").text
        let named = text.matches(of: /match \/(\w+)\/\{\w+\} \{/).map { String($0.output.1) }.filter {
            $0 != "databases"
        }
        let batch = PublishedBatch(
            rows: [["device_id": .integer(1), "location_id": .integer(2)]],
            states: [
                CounterTables.states: [["location_id": .integer(2), "current_count": .integer(0)]],
                CounterTables.counters: [["device_id": .integer(1)]],
            ])
        let published = CounterPublication.documents(batch).map {
            $0.path.split(separator: "/").first.map(String.init) ?? ""
        }
        #expect(Set(named) == Set(published).union(["publications", "users", "locations"]))
        #expect(text.count { $0 == "{" } == text.count { $0 == "}" })
    }

    @Test func aDeviceIsPublishedWithItsGateway() {
        let counter: Record = [
            "device_id": .integer(7), "location_id": .integer(3), "last_seen_ms": .integer(5000),
            "is_active": .integer(1),
            "gateway_session": .integer(9), "last_event_ms": .integer(4000), "device_name": .text("LifeCount-A5C3"),
        ]
        let batch = PublishedBatch(
            rows: [["device_id": .integer(7), "location_id": .integer(3)]], states: [CounterTables.counters: [counter]])
        let device = CounterPublication.documents(batch).first { $0.path == "devices/7" }
        #expect(
            device?.fields == [
                "id": .text("7"), "locationId": .text("3"), "name": .text("LifeCount-A5C3"),
                "lastHeartbeatAt": .time(5000, nanoseconds: 5_000_000_000),
                "lastEventAt": .time(4000, nanoseconds: 4_000_000_000), "isActive": .boolean(true),
                "gatewaySessionId": .text("9"),
            ])
    }
}
