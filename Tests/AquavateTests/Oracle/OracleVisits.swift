import Conformance
import PDUTestKit
import PluginKit
import Profile
import TestKit

@testable import Aquavate

/// Sessions between a twin and its client, one for each seed.
enum OracleVisits {
    /// A puck of the shipped firmware with an app that syncs, sets, deletes, fetches and calibrates.
    static func shipped(_ seed: UInt64) throws -> Recording {
        var chance = Chance(seed: seed)
        let drinks = (0..<chance.number(in: 0...60)).map { _ in chance.number(in: 30...250) }
        let puck = try PuckFixture(memory: PuckFixture.memory(drinks: drinks), seed: seed, noise: 0.01)
        let app = ClientFixture(try PuckApp(.shipped), at: puck.bench)
        app.task("connect")
        app.wait(30)
        for _ in 0..<chance.number(in: 1...4) {
            puck.happen("sip", Double(chance.number(in: 20...200)))
            app.wait(Double(chance.number(in: 20...60)))
        }
        for task in ["set_goal", "fetch_activity", "delete_drink", "reset_day", "fetch_activity", "sync"] {
            guard chance.happens(0.8) else { continue }
            let amounts = ["set_goal": chance.number(in: 1000...4000), "delete_drink": chance.number(in: 1...40)]
            app.task(task, amounts[task].map(Double.init))
            app.wait(Double(chance.number(in: 2...15)))
        }
        puck.happen("battery", Double(chance.number(in: 22...90)))
        app.wait(20)
        if chance.happens(0.3) {
            app.task("clear_history")
            app.wait(5)
            puck.happen("sip", 77)
            app.wait(20)
        }
        puck.comeBack(app, sip: 150)
        return PuckSession(app.exchanges).recording
    }

    /// A puck of the PRD dialect with its app.
    static func required(_ seed: UInt64) throws -> Recording {
        var chance = Chance(seed: seed)
        let drinks = (0..<chance.number(in: 0...45)).map { _ in chance.number(in: 30...250) }
        let storage = PuckFixture.memory(drinks: drinks).json
        let bench = TwinFixture(try PuckTwin<PRDFirmware>(TwinSettings(seed: seed, storage: storage), .prd))
        let app = ClientFixture(try PuckApp(.prd), at: bench)
        app.task("connect")
        app.wait(10)
        for _ in 0..<chance.number(in: 1...3) {
            bench.happen("sip", Double(chance.number(in: 30...150)))
            app.wait(15)
        }
        app.task("sync")
        app.task("set_goal", Double(chance.number(in: 1000...4000)))
        app.wait(5)
        bench.happen("refill")
        app.wait(15)
        app.task("sync")
        app.wait(5)
        app.task("disconnect")
        app.wait(5)
        return PuckSession(app.exchanges, .prd).recording
    }
}

extension CheckedCapture {
    /// The rules that compare a puck with its twin.
    static let oracleRules = Set(
        (try? VectorTests.puck.get())?.profile.rules.filter(\.asksOracle).map(\.id) ?? [])

    /// Oracle rules that fail.
    var differences: Set<String> { broken.intersection(Self.oracleRules) }
}
