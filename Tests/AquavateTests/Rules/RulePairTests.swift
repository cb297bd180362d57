import Conformance
import PluginKit
import TestKit
import Testing

/// Every rule that traffic can judge, against a session that obeys it and one that breaks it.
struct RulePairTests {
    static let pairs =
        RulePair.advertising + RulePair.attributes + RulePair.currentState + RulePair.configuration + RulePair.sync
        + RulePair.records + RulePair.activity + RulePair.calibration + RulePair.timers + RulePair.client
        + RulePair.syncDiscipline + RulePair.commands + RulePair.traffic + RulePair.required

    @Test(arguments: pairs)
    func aSessionThatObeysTheRulePassesIt(_ pair: RulePair) {
        let checked = CheckedCapture(pair.make(false).recording, plugins: aquavate)
        let names = Set(checked.verdicts(pair.rule).map(\.name))
        #expect(names.contains("pass") && names.isDisjoint(with: ["fail", "warning"]), "\(names)")
        #expect(checked.broken == pair.besides, "\(checked.text(of: checked.broken))")
    }

    @Test(arguments: pairs)
    func aSessionThatBreaksTheRuleFailsItAlone(_ pair: RulePair) throws {
        let severity = try #require(VectorTests.puck.get().profile.rules.first { $0.id == pair.rule }).severity
        let (recording, fault) = pair.make(true)
        let checked = CheckedCapture(recording, plugins: aquavate)
        #expect(checked.frames(pair.rule).contains(fault), "\(fault): \(checked.text(of: [pair.rule]))")
        let expected = pair.besides.union(pair.implies).union(severity == .error ? [pair.rule] : [])
        #expect(checked.broken == expected, "\(checked.text(of: checked.broken))")
    }

    @Test func everyRuleHasAPair() throws {
        let rules = try VectorTests.puck.get().profile.rules
        let judged = rules.filter { if case .twin = $0.kind { false } else { true } }.map(\.id)
        #expect(Set(judged).subtracting(Self.pairs.map(\.rule)).sorted() == [])
        #expect(Set(Self.pairs.map(\.rule)).subtracting(judged) == [])
        #expect(Set(Self.pairs.map(\.rule)).count == Self.pairs.count)
    }
}

extension CheckedCapture {
    /// What was found, in words.
    func text(of rules: Set<String>) -> String {
        rules.sorted().map { rule in
            "\(rule) "
                + findings(rule).map { "frame \($0.moments.last?.frame ?? 0): \($0.expected), not \($0.observed)" }
                .joined(separator: "; ")
        }.joined(separator: "\n")
    }
}
