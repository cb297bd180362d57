package import PluginKit
package import Profile

/// The result of a case of an active test.
package struct CaseResult: Sendable {
    package var id: String
    package var title: String
    /// The rule that the case decides; nil for none.
    package var rule: String?
    package var source: String?
    /// The firmware quirk that makes the case fail; nil for none.
    package var quirk: String?
    package var severity: RuleDefinition.Severity
    package var verdict = Verdict.pass
    /// Duration on the device's clock.
    package var seconds = 0.0
    package var seed: UInt64
    /// The faults found, with frame numbers of the whole run.
    package var findings: [Finding] = []
    /// The findings about `rule`: empty if the device obeys it, nil if the case ended before deciding it.
    package var ruleFindings: [Finding]?
    /// Ids of the rules that the case's traffic breaks.
    package var brokenRules: [String] = []
    /// The frames of the case in the recording of the run.
    package var frames: ClosedRange<Int> = 1...1
    /// For a case that was shrunk: the steps that still fail, in words.
    package var steps: [String]?
    /// Times measured by the case.
    package var measurements: [Measurement] = []
    /// A command line that repeats the case.
    package var reproduction: String?
    /// For a case that failed in an earlier run: the comparison with this run; nil if there is none.
    package var comparison: Comparison?

    package init(
        _ id: String, title: String, rule: String?, source: String?, severity: RuleDefinition.Severity, seed: UInt64
    ) {
        self.id = id
        self.title = title
        self.rule = rule
        self.source = source
        self.severity = severity
        self.seed = seed
    }

    /// The comparison of a case that failed in an earlier run with this run.
    package enum Comparison: String, Sendable {
        case fixed
        case stillFailing = "still_failing"
        /// The case fails for another reason.
        case failingOtherwise = "failing_otherwise"
    }

    /// A time measured by a case, in seconds.
    package struct Measurement: Sendable {
        /// The interval measured, in words.
        package var text: String
        package var allowed: Double
        /// Nil if the awaited event did not occur.
        package var measured: Double?

        package init(_ text: String, allowed: Double, measured: Double?) {
            self.text = text
            self.allowed = allowed
            self.measured = measured
        }
    }
}
