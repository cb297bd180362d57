import PDUTestKit
import PluginKit
import TestKit
import Testing

@testable import Aquavate

/// Client and puck in the PRD dialect.
struct PRDDialectTests {
    private static func bench(_ memory: PuckMemory = PuckMemory()) throws -> TwinFixture {
        let bench = TwinFixture(try PuckTwin<PRDFirmware>(TwinSettings(storage: memory.json), .prd))
        bench.happen("set_noise", 0)
        return bench
    }

    @Test("pending drinks are read, acknowledged and gone")
    func sync() throws {
        let bench = try Self.bench(PuckFixture.memory(drinks: (1...45).map { 30 + $0 }))
        let app = ClientFixture(try PuckApp(.prd), at: bench)
        app.task("sync")
        app.wait(60)
        #expect(app.notes("chunk").map { $0["records"] } == [20, 20, 5].map { .number($0) })
        #expect((app.client as? PuckApp)?.drinkCount == 45)
        #expect((bench.twin as? PuckTwin<PRDFirmware>)?.board.unsynced == 0)
        #expect(!app.isConnected)
    }

    @Test("records as the requirements have them: drinks, a refill and their types")
    func records() throws {
        let bench = try Self.bench()
        bench.wait(8)
        bench.connect()
        bench.subscribe("drink_history")
        for (name, amount) in [("sip", 45.0), ("sip", 60), ("sip", 150), ("refill", 830)] {
            bench.happen(name, amount)
            bench.wait(12)
        }
        let records = bench.reported("drink_history").map(\.bytes)
        #expect(records.map { $0.count } == [16, 16, 16, 16])
        // Amounts, and types: SIP, GULP, POUR, REFILL.
        #expect(records.map { Array($0[8..<10]) } == [hex("2D00"), hex("3C00"), hex("9600"), hex("01FF")])
        #expect(records.map { $0[13] } == [1, 2, 3, 4])
        #expect(bench.read("sync_status") == hex("0400"))
        #expect(bench.read("drink_history") == records.flatMap { $0 })
    }

    @Test("it advertises for 30 s, and for 4 minutes with pending drinks", arguments: [(0, 30.0), (3, 240.0)])
    func advertising(_ case: (drinks: Int, seconds: Double)) throws {
        let bench = try Self.bench(PuckFixture.memory(drinks: (0..<`case`.drinks).map { 40 + $0 }))
        #expect(bench.wait(upTo: 10) { $0.advertising != nil })
        let start = bench.seconds
        #expect(bench.wait(upTo: 300) { $0.advertising == nil })
        #expect(abs(bench.seconds - start - `case`.seconds) <= 1)
    }

    @Test("weight, configuration and status (HB-1, HB-2, HB-5)")
    func values() throws {
        var memory = PuckMemory()
        memory.surroundings.water = 412
        let bench = try Self.bench(memory)
        bench.wait(3)
        #expect(bench.read("current_weight") == hex("AB02"))
        #expect(bench.read("prd_bottle_config") == hex("3E03 0F010000"))
        #expect(bench.read("device_status") == hex("53 0F 00"))
        bench.connect()
        bench.write("prd_bottle_config", hex("F401 0F010000 D007"))
        #expect(bench.read("prd_bottle_config") == hex("F401 0F010000 D007"))
        bench.write("prd_bottle_config", hex("F401 0F"))
        #expect(bench.read("prd_bottle_config") == hex("F401 0F010000 D007"))
    }
}
