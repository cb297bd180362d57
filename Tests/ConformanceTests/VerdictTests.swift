import Bluetooth
import Conformance
import Conversation
import PluginKit
import Profile
import TestKit
import Testing

/// Results for rules that cannot be decided or do not apply.
struct VerdictTests {
    @Test func whatDidNotComeUpIsNoPass() throws {
        let checked = try KettleVisit().checked()
        #expect(checked.verdicts("K-NEVER") == [.notApplicable("no matching traffic")])
        #expect(checked.verdicts("K-LENGTH") == [.notApplicable("no matching traffic")])
    }

    @Test func rulesOfCodeAndTwinSayWhoMustJudge() throws {
        let visit = KettleVisit()
        visit.status(1)
        let checked = try visit.checked()
        #expect(checked.verdicts("K-CODE") == [.notApplicable("not checked: the plugin has no code for it")])
        #expect(checked.verdicts("K-TWIN") == [.notApplicable("requires the twin: checked by active tests")])
        #expect(
            checked.verdicts("K-PLANNED") == [
                .notApplicable("the device is of dialect shipped, the rule is about planned")
            ])
    }

    @Test func codeOfThePluginJudges() throws {
        let visit = KettleVisit()
        let frame = visit.status(1, 99)
        let checked = try visit.checked(behaviour: ColdKettle())
        #expect(checked.verdicts("K-CODE") == [.fail])
        #expect(checked.frames("K-CODE") == [frame])
    }

    @Test func lateCapturesAccuseNobody() throws {
        let visit = KettleVisit(isBeginningCaptured: false, subscribes: false)
        visit.command(1)
        let checked = try visit.checked()
        #expect(checked.verdicts("K-ORDER").map(\.name) == ["inconclusive"])
        #expect(checked.verdicts("K-REPLY").map(\.name) == ["inconclusive"])
        #expect(checked.report.quality.lateConnections == 1)
        #expect(checked.broken.isEmpty)
    }

    @Test func lostFragmentsAccuseNobody() throws {
        let visit = KettleVisit()
        visit.command(1)
        visit.answer(1)
        visit.status(1)
        visit.session.recording.cutLast(to: 8)
        visit.status(9, 20, 2)
        let checked = try visit.checked()
        #expect(checked.report.quality.cutPackets == 1)
        #expect(checked.verdicts("K-SEQUENCE").map(\.name) == ["inconclusive"])
        #expect(checked.broken.isEmpty)
    }

    @Test func aReplyThatIsNotYetDueIsNoFailure() throws {
        let visit = KettleVisit()
        visit.command(1)
        let checked = try visit.checked()
        #expect(checked.verdicts("K-REPLY") == [.inconclusive("the connection ended before the reply was due")])
    }

    @Test func eachConnectionHasItsResult() throws {
        let visit = KettleVisit()
        visit.status(5)
        visit.link.disconnect()
        let again = visit.session.connect(to: .init(.init("c0:00:00:00:00:07")!, .random))
        again.notify(Kettle.status, [4, 20, 0])
        let report = CheckedCapture(visit.session.recording, plugins: [try Kettle.plugin()]).report
        let results = report.results.filter { report.rules[$0.rule].id == "K-LENGTH" }
        #expect(results.map(\.connection) == [1, 2])
        // A new connection restarts the numbering.
        #expect(report.results.allSatisfy { $0.verdict != .fail })
        #expect(report.devices.filter { $0.plugin == "kettle" }.map(\.connections) == [2])
    }
}

/// Checks K-CODE: the water never exceeds 90 °C.
private struct ColdKettle: PluginBehaviour {
    func makeRules(dialect: String?) -> [any Rule] {
        (try? Kettle.plugin().profile.profile.rule("K-CODE")).map { [ColdJudge(rule: $0)] } ?? []
    }
}

private struct ColdJudge: Rule {
    let rule: RuleIndex
    var rules: [RuleIndex] { [rule] }
    let interests: Set<RuleInterest> = [.allValues]

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .value(let value) = event.content, let heat = value.reading?.integer("temperature") else { return }
        if heat <= 90 { return report.pass(rule) }
        report.fail(rule, expected: "90 °C at most", observed: "\(heat) °C")
    }
}
