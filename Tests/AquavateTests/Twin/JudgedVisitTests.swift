import Conformance
import PDUTestKit
import PluginKit
import TestKit
import Testing

@testable import Aquavate

/// Sessions between twin and client, checked with the rules for real pucks and apps.
struct JudgedVisitTests {
    /// The failing rules, and the number of rules that passed.
    private func judge(_ app: ClientFixture, _ dialect: PuckSession.Dialect) -> (faults: String, passed: Int) {
        let recording = PuckSession(app.exchanges, dialect).recording
        let checked = CheckedCapture(recording, plugins: aquavate, asksOracle: true)
        let faulty = checked.report.results.filter { [.fail, .warning].contains($0.verdict) }
            .map { checked.report.rules[$0.rule].id }
        let passed = Set(checked.report.results.filter { $0.verdict == .pass }.map(\.rule)).count
        return (checked.text(of: Set(faulty)), passed)
    }

    @Test("a day with a puck breaks no rule", arguments: [1, 2, 3])
    func day(_ seed: UInt64) throws {
        let puck = try PuckFixture(
            memory: PuckFixture.memory(drinks: (1...50).map { 30 + $0 }), seed: seed, noise: 0.01)
        let app = ClientFixture(try PuckApp(.shipped), at: puck.bench)
        app.task("connect")
        app.wait(30)
        for amount in [45.0, 120, 33] {
            puck.happen("sip", amount)
            app.wait(40)
        }
        app.task("set_goal", 3000)
        app.task("fetch_activity")
        app.task("delete_drink", 2)
        app.wait(20)
        puck.happen("battery", 24)
        app.wait(20)
        puck.comeBack(app, sip: 200)
        #expect(app.notes("calibration_done").count == 1)
        let (faults, passed) = judge(app, .shipped)
        #expect(faults == "")
        #expect(passed >= 80, "\(passed)")
    }

    @Test("neither does one with a puck of the requirements")
    func required() throws {
        var memory = PuckMemory(.prd)
        // After that drink the bottle was as full as it is now.
        memory.drinks.store(timestamp: 1_769_943_600, amount: 40, level: 829)
        let puck = try PuckTwin<PRDFirmware>(TwinSettings(storage: memory.json), .prd)
        let bench = TwinFixture(puck)
        let app = ClientFixture(try PuckApp(.prd), at: bench)
        app.task("connect")
        app.wait(10)
        bench.happen("sip", 60)
        app.wait(15)
        bench.happen("refill")
        app.wait(15)
        app.task("sync")
        app.task("set_goal", 1800)
        app.wait(5)
        app.task("disconnect")
        app.wait(5)
        let (faults, passed) = judge(app, .prd)
        #expect(faults == "")
        #expect(passed >= 15, "\(passed)")
    }

    @Test("nothing that comes in stops a twin", arguments: ["shipped", "prd"], [1, 2, 3, 4] as [UInt64])
    func hostility(_ dialect: String, _ seed: UInt64) throws {
        var chance = Chance(seed: seed)
        let twin = try #require(
            try Aquavate.behaviour?.makeTwin(
                TwinSettings(dialect: dialect, seed: seed, quirks: QuirkSelection(seed % 2 == 0 ? .exact : .fixed))))
        let bench = TwinFixture(twin)
        let names = Array(bench.twin.answered).sorted() + ["current_state", ""]
        for _ in 0..<1000 {
            let client = TwinClient(UInt16(chance.number(in: 0...2)))
            let name = names[chance.number(in: 0...names.count - 1)]
            switch chance.number(in: 0...11) {
            case 0: bench.connect(client, capacity: chance.number(in: 0...600))
            case 1: bench.disconnect(client)
            case 2: _ = bench.read(name, by: client)
            case 3...7:
                let length = [0, 3, 4, 5, 6, 8, 12, 13, 600][chance.number(in: 0...8)]
                var bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: chance.number(in: 0...255)) }
                if chance.happens(0.8), !bytes.isEmpty { bytes[0] = UInt8(chance.number(in: 0...0x32)) }
                if chance.happens(0.2) { bytes = bytes.map { _ in 0xFF } }
                bench.write(name, bytes, by: client)
            case 8, 9:
                let stimulus = PuckStimulus.allCases[chance.number(in: 0...PuckStimulus.allCases.count - 1)]
                let amounts = [nil, -1, 0, 1e300, .nan, .infinity, 50]
                bench.happen(stimulus.rawValue, amounts[chance.number(in: 0...6)])
            case 10: bench.wait(Double(chance.number(in: 0...60)))
            default: bench.wait(chance.happens(0.1) ? 9000 : 0.3)
            }
        }
        bench.wait(100)
        let json = try #require(bench.twin.storage)
        _ = try PuckMemory(json)
        #expect(!bench.log.isEmpty)
    }
}
