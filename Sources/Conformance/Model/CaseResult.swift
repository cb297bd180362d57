package import PluginKit
package import Profile

/// What came of a case of an active test.
package struct CaseResult: Sendable {
    package var id: String
    package var title: String
    /// The rule that it decides; nil for none.
    package var rule: String?
    package var source: String?
    /// The known misbehaviour that makes it fail; nil for none.
    package var quirk: String?
    package var severity: RuleDefinition.Severity
    package var verdict = Verdict.pass
    /// How long it took on the device's clock.
    package var seconds = 0.0
    package var seed: UInt64
    /// What was wrong, with frames of the whole run.
    package var findings: [Finding] = []
    /// Findings about `rule`, among the case's own: empty where the device obeys it, nil where the case did not come to
    /// decide it.
    package var ruleFindings: [Finding]?
    /// Ids of the rules that its traffic breaks.
    package var brokenRules: [String] = []
    /// The frames of its traffic in the recording of the run.
    package var frames: ClosedRange<Int> = 1...1
    /// Of a case that was made shorter: the steps that still fail, in words.
    package var steps: [String]?
    /// Times that the case measures.
    package var measurements: [Measurement] = []
    /// A command line that repeats it.
    package var reproduction: String?
    /// Of a case that failed in an earlier run: how this run compares; nil where that cannot be said.
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

    /// A case that failed in an earlier run, in this one.
    package enum Comparison: String, Sendable {
        case fixed
        case stillFailing = "still_failing"
        /// It fails by something else.
        case failingOtherwise = "failing_otherwise"
    }

    /// A time that a case measures, in seconds.
    package struct Measurement: Sendable {
        /// What was timed, in words.
        package var text: String
        package var allowed: Double
        /// nil where what was waited for did not come.
        package var measured: Double?

        package init(_ text: String, allowed: Double, measured: Double?) {
            self.text = text
            self.allowed = allowed
            self.measured = measured
        }
    }
}
