import Conformance
import PDUTestKit
import PluginKit
import Profile
import TestKit
import Testing

/// Every rule that traffic can decide, against a session that conforms and one that breaks it.
struct RulePairTests {
    static let pairs =
        RulePair.advertising + RulePair.attributes + RulePair.currentState + RulePair.configuration + RulePair.sync
        + RulePair.records + RulePair.activity + RulePair.calibration + RulePair.timers + RulePair.client
        + RulePair.syncDiscipline + RulePair.commands + RulePair.traffic + RulePair.required

    @Test(arguments: pairs)
    func aSessionThatObeysTheRulePassesIt(_ pair: RulePair) {
        #expect(pair.faultOfObedience(aquavate) == nil)
    }

    @Test(arguments: pairs)
    func aSessionThatBreaksTheRuleFailsItAlone(_ pair: RulePair) {
        #expect(pair.faultOfOffence(aquavate) == nil)
    }

    @Test(arguments: pairs)
    func noTimeTraps(_ pair: RulePair) {
        #expect(pair.framesLostAtExtremeTimes(aquavate) == 0)
    }

    @Test(arguments: RulePair.requiredAsWell)
    func aRuleOfBothDialectsHoldsInTheOtherToo(_ pair: RulePair) {
        #expect(pair.faultOfObedience(aquavate) == nil)
        #expect(pair.faultOfOffence(aquavate) == nil)
    }

    @Test func anEmptyNameIsShownAsOne() {
        let puck = PuckSession()
        puck.begin()
        puck.read(0x2A24, [0])
        let checked = CheckedCapture(puck.recording, plugins: aquavate)
        #expect(checked.findings("AQ-022").map(\.observed) == ["“”"])
    }

    @Test func aWithdrawnCommandIsAnnouncedAsAWarning() {
        let puck = PuckSession()
        puck.begin()
        puck.command(hex("11E80300"))
        let checked = CheckedCapture(puck.recording, plugins: aquavate)
        #expect(checked.verdicts("AQ-207") == [.warning])
        #expect(checked.news.filter { $0.rule.id == "AQ-207" }.map(\.severity) == [.warning])
    }

    @Test func everyRuleHasAPair() throws {
        let judged = try VectorTests.puck.get().profile.judgedRules
        #expect(judged.subtracting(Self.pairs.map(\.rule)).sorted() == [])
        #expect(Set(Self.pairs.map(\.rule)).subtracting(judged) == [])
    }
}
