import Conformance
import Conversation
import DeviceTesting
import PluginKit
import Profile
import Testing
import Workbench

/// The results of a failing case: for itself, for the rule that it decides, and for the rules that its traffic breaks.
@Suite struct RunResultsTests {
    /// The report of one case of a puck whose traffic breaks AQ-032.
    private func report(of rule: String, findings: [Finding], about: [Finding]?) throws -> CheckReport {
        let library = try PluginLibrary.load(["aquavate"], environment: [:])
        let plugin = try #require(library["aquavate"]?.plugin)
        var traffic = CheckReport()
        for (index, id) in ["AQ-032", "AQ-103", "AQ-108"].enumerated() {
            let definition = try #require(plugin.profile.profile.rules.first { $0.id == id })
            var tally = Tally()
            if id == "AQ-032" { tally.add(.fail(Finding(moments: [], expected: "bits 6 and 7 of 0", observed: "1"))) }
            if id == "AQ-103" { tally.add(.pass) }
            let verdict = tally.isEmpty ? Verdict.notApplicable("the twin decides") : tally.verdict(definition.severity)
            traffic.rules.append(RuleInfo(definition, plugin: "aquavate"))
            traffic.results.append(
                RuleResult(rule: index, device: 0, connection: nil, verdict: verdict, tally: tally))
        }
        var results = RunResults(plugin, "shipped", role: .peripheral)
        var result = CaseResult("drink", title: "A drink", rule: rule, source: nil, severity: .error, seed: 1)
        (result.findings, result.ruleFindings) = (findings, about)
        results.add(traffic, [], rules: [], to: &result)
        result.verdict = .fail
        results.append(result)
        return results.report(named: "run")
    }

    private func verdict(_ id: String, in report: CheckReport) throws -> Verdict {
        let place = try #require(report.rules.firstIndex { $0.id == id })
        return try #require(report.results.first { $0.rule == place }).verdict
    }

    private let finding = Finding(moments: [], expected: "one record", observed: "none")

    @Test func theRuleThatBrokeIsNamed() throws {
        let report = try report(of: "AQ-108", findings: [], about: [])
        #expect(try verdict("AQ-032", in: report) == .fail)
        #expect(try verdict("AQ-108", in: report) == .pass)
        let place = try #require(report.rules.firstIndex { $0.id == "drink" })
        let result = try #require(report.results.first { $0.rule == place })
        #expect(result.verdict == .fail)
        #expect(result.tally.findings.map(\.observed) == ["AQ-032"])
    }

    @Test func aCaseDecidesTheRuleThatTrafficCannotDecide() throws {
        let report = try report(of: "AQ-108", findings: [finding], about: [finding])
        #expect(try verdict("AQ-108", in: report) == .fail)
        #expect(try verdict("AQ-032", in: report) == .fail)
    }

    /// A failed connection does not decide the rule.
    @Test func aCaseThatFailsBeforeDecidesNothing() throws {
        let report = try report(of: "AQ-108", findings: [finding], about: nil)
        #expect(try verdict("AQ-108", in: report) == .notApplicable("the twin decides"))
        #expect(try verdict("drink", in: report) == .fail)
    }

    @Test func aRuleThatTrafficDecidesKeepsItsVerdict() throws {
        let report = try report(of: "AQ-103", findings: [finding], about: [finding])
        #expect(try verdict("AQ-103", in: report) == .pass)
        #expect(try verdict("drink", in: report) == .fail)
    }
}
