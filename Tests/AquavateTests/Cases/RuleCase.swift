import Bytes
import Captures
import Conformance
import PluginKit
import TestKit
import Testing

/// A session that exercises one rule in one situation, with the outcome that the rule's section of the protocol
/// document requires.
struct RuleCase: Sendable, CustomStringConvertible {
    enum Situation: String, Sendable, CaseIterable {
        case obeyed, broken
        /// One side acts before it receives the other side's packet.
        case crossing
        /// The sniffer misses a packet.
        case lost
        /// The puck refuses a write.
        case refused
        case nextConnection = "next connection"
    }

    enum Outcome: Sendable {
        /// The rule is obeyed at least once and never broken.
        case pass
        /// The rule fails at the session's fault.
        case broken
        /// The rule does not fail.
        case notBroken
    }

    var rule: String
    var situation: Situation
    var title: String
    var outcome: Outcome
    var script: @Sendable (PuckSession) -> Void

    var description: String { "\(rule), \(situation.rawValue): \(title)" }

    /// A case whose puck is connected, with the client subscribed.
    init(
        _ rule: String, _ situation: Situation, _ title: String, _ outcome: Outcome,
        _ script: @escaping @Sendable (PuckSession) -> Void
    ) {
        self.rule = rule
        self.situation = situation
        self.title = title
        self.outcome = outcome
        self.script = { puck in
            puck.begin()
            script(puck)
            puck.end()
        }
    }

    /// A case whose script runs the whole session.
    static func whole(
        _ rule: String, _ situation: Situation, _ title: String, _ outcome: Outcome,
        _ script: @escaping @Sendable (PuckSession) -> Void
    ) -> RuleCase {
        var one = RuleCase(rule, situation, title, outcome, script)
        one.script = script
        return one
    }

    static let all =
        time + pace + dailyTotal + rawReading + unsyncedCount + sessions + clock + starts + acknowledgements

    /// Cases in which a later effect is the first sign of whether a write was accepted.
    static let unsettled = [
        refusedMeasurement, refusedMeasurementAmidEvaluation, refusedStart, refusedAcknowledgementAmidDrink,
    ]
}

struct RuleCaseTests {
    @Test(arguments: RuleCase.all)
    func aRuleGivesTheOutcomeOfItsSection(_ one: RuleCase) { check(one) }

    @Test(arguments: RuleCase.unsettled)
    func aRuleWaitsForTheResponseToAWrite(_ one: RuleCase) { check(one) }

    @Test func everyRuleHasACaseOfEverySituation() {
        for (rule, cases) in Dictionary(grouping: RuleCase.all, by: \.rule) {
            #expect(Set(cases.map(\.situation)).count == RuleCase.Situation.allCases.count, "\(rule)")
        }
        #expect(Set(RuleCase.all.map(\.rule)).count == 9)
    }

    private func check(_ one: RuleCase) {
        let puck = PuckSession()
        one.script(puck)
        let recording = puck.isWhole ? puck.recording : puck.heard
        let checked = CheckedCapture(recording, plugins: aquavate)
        let names = Set(checked.verdicts(one.rule).map(\.name))
        let text = "\(names.sorted()) \(checked.text(of: [one.rule]))"
        switch one.outcome {
        case .pass:
            #expect(names.contains("pass") && names.isDisjoint(with: ["fail", "warning"]), "\(text)")
        case .broken: #expect(checked.frames(one.rule).contains(puck.fault), "frame \(puck.fault): \(text)")
        case .notBroken: #expect(names.isDisjoint(with: ["fail", "warning"]), "\(text)")
        }
    }
}

extension PuckSession {
    /// The session as captured by a sniffer, without the lost packets.
    fileprivate var heard: Recording {
        let air = AirReplay.recording(of: recording)
        let rest = Recording(air.kind)
        rest.packets = air.packets.filter { packet in !lost.contains { $0.contains(packet.time) } }
        return rest
    }

    fileprivate var isWhole: Bool { lost.isEmpty }
}
