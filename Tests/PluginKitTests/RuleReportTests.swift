import Bytes
import PluginKit
import Profile
import TestKit
import Testing

/// What judges work with: what is remembered of connections, what is taken down.
struct RuleReportTests {
    // MARK: - Connections

    @Test(arguments: 0..<20 as Range<UInt64>)
    func whatIsRememberedOfConnectionsIsWhatADictionaryHolds(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var states = PerConnection<[Int]>()
        var model: [Int: [Int]] = [:]
        for step in 0..<400 {
            let connection = Int.random(in: 1...8, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: (states[connection], model[connection]) = ([step], [step])
            case 1: (states[connection], model[connection]) = (nil, nil)
            case 2:
                states[connection]?.append(step)
                model[connection]?.append(step)
            case 3:
                states[connection, default: [0]].append(step)
                model[connection, default: [0]].append(step)
            default: #expect(states[connection, default: [-1]] == model[connection, default: [-1]])
            }
            #expect(states[connection] == model[connection])
        }
        #expect(states.all.map(\.connection) == model.keys.sorted())
        #expect(states.all.map(\.state) == model.sorted { $0.key < $1.key }.map(\.value))
    }

    // MARK: - What is taken down

    @Test func findingsAreNotMadeWhereEnoughAreListed() {
        var report = RuleReport(ruleCount: 2)
        var made = 0
        func observed() -> String {
            made += 1
            return "another"
        }
        func failOnce(_ rule: RuleIndex, on connection: Int) -> Bool {
            report.clear()
            report.turn(to: FrameReference(frame: 1, time: 0, connection: connection))
            report.fail(rule, expected: "one", observed: observed())
            guard case .fail(let finding)? = report.entries.first?.outcome else { return false }
            return finding != nil
        }
        #expect(failOnce(RuleIndex(0), on: 1))
        report.enough(of: 0, on: 1)
        #expect(!failOnce(RuleIndex(0), on: 1))
        #expect(failOnce(RuleIndex(1), on: 1), "another rule")
        #expect(failOnce(RuleIndex(0), on: 2), "another connection")
        report.listAnew()
        #expect(failOnce(RuleIndex(0), on: 1))
        report.listNothing()
        #expect(!failOnce(RuleIndex(1), on: 1))
        #expect(made == 4)
    }
}
