import Bytes
import PDUTestKit
import PluginKit
import Profile
import TestKit
import Testing

@testable import Aquavate

/// The time of a puck of the dialect `prd`, which has no clock chip: it is set by its client (HB-12).
struct PRDTimeTests {
    /// A full puck that does not know the time.
    private static func bench() throws -> TwinFixture {
        var memory = PuckMemory(.prd)
        memory.isTimeValid = false
        let bench = TwinFixture(
            try PuckTwin<PRDFirmware>(TwinSettings(storage: memory.json), .prd), at: PuckFixture.noon)
        bench.happen("set_noise", 0)
        return bench
    }

    /// Bytes 4 to 7 of the first record of Drink History.
    private static func timestamp(_ bench: TwinFixture) throws -> Int {
        let bytes = try #require(bench.read("drink_history"))
        try #require(bytes.count >= 16)
        return bytes[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    @Test("a record of before the time is known is dated when it is set")
    func dated() throws {
        let bench = try Self.bench()
        bench.wait(8)
        bench.happen("sip", 60)
        #expect(bench.wait(upTo: 20) { !$0.notes("drink_stored").isEmpty })
        let stored = bench.now.wholeSeconds
        bench.connect()
        #expect(try Self.timestamp(bench) == 0)
        #expect(bench.read("device_status")?[1] == 0b0111)
        bench.wait(10)
        bench.write("sync_status", [0x10] + little(UInt32(bench.now.wholeSeconds)))
        #expect(bench.notes("time_set").count == 1)
        let dated = try Self.timestamp(bench)
        #expect(abs(dated - stored) <= 1)
        #expect(bench.read("device_status")?[1] == 0b1111)
        // The command acknowledges nothing.
        #expect(bench.read("sync_status") == hex("0100"))
    }

    @Test("commands of other lengths and opcodes are ignored", arguments: ["10 4040", "7F 40407F69", "10", ""])
    func ignored(_ bytes: String) throws {
        let bench = try Self.bench()
        bench.wait(3)
        bench.connect()
        bench.write("sync_status", hex(bytes))
        #expect(bench.notes("time_set").isEmpty)
    }

    @Test("a loss of power leaves a record without a time")
    func undated() throws {
        let bench = try Self.bench()
        bench.wait(8)
        bench.happen("sip", 60)
        #expect(bench.wait(upTo: 20) { !$0.notes("drink_stored").isEmpty })
        bench.happen("power_cycle")
        bench.wait(3)
        bench.connect()
        bench.write("sync_status", [0x10] + little(UInt32(bench.now.wholeSeconds)))
        #expect(try Self.timestamp(bench) == 0)
    }

    @Test("the client sets the time before it reads records")
    func client() throws {
        let bench = try Self.bench()
        bench.wait(8)
        bench.happen("sip", 60)
        bench.wait(12)
        let app = ClientFixture(try PuckApp(.prd), at: bench)
        app.task("sync")
        app.wait(30)
        let drinks = app.notes("drink_received")
        guard case .number(let timestamp)? = drinks.first?["timestamp"] else {
            Issue.record("\(drinks)")
            return
        }
        #expect(drinks.count == 1 && abs(timestamp - bench.now.wholeSeconds) < 60)
    }

    // MARK: - The store

    @Test("a stored drink without a time counts at its transfer")
    func arrival() throws {
        let row: Record = [
            "id": .integer(1), "record_id": .integer(7), "timestamp": .integer(0), "amount_ml": .integer(120),
            "level_ml": .integer(400), "utc_offset_s": .integer(3600), "received_at": .integer(1_769_947_200),
        ]
        let drink = try #require(Drink(row))
        #expect(drink.time == 1_769_947_200 && drink.arrival == .unsetClock && drink.timestamp == 0)
        let goals = GoalHistory(given: 2500)
        let now: Int64 = 1_769_950_800
        let report = HydrationReport(
            [drink], days: 1, goals: goals, connections: [], battery: [], now: now, zone: .utc)
        #expect(report.days.map(\.total) == [120])
        #expect(report.timeless == 0 && report.arrived.map(\.drinks) == [1, 0])
        #expect(report.text.contains("120 ml, 400 ml left, arrived"))
        #expect(report.text.contains("1 drink counts at its arrival: the bottle did not know the time"))
        #expect(HealthExport([drink]).added == 1)
    }
}
