package import PluginKit
package import Profile

/// What came of a rule for one connection, one device or the whole capture.
package struct RuleResult: Sendable {
    /// Index in `CheckReport.rules`.
    package var rule: Int
    /// Index in `CheckReport.devices`; nil for what is about no device that was told apart.
    package var device: Int?
    /// Number of the connection; nil for what is about none, or about all that are not listed by themselves.
    package var connection: Int?
    package var verdict: Verdict
    package var tally: Tally
    /// The waiver that excuses it.
    package var waiver: Waiver? {
        get { excuse?.waiver }
        set { excuse = newValue.map(Excuse.init) }
    }
    /// Results are many, and few are excused.
    private var excuse: Excuse?

    private final class Excuse: Sendable {
        let waiver: Waiver

        init(_ waiver: Waiver) {
            self.waiver = waiver
        }
    }

    package init(rule: Int, device: Int?, connection: Int?, verdict: Verdict, tally: Tally = Tally()) {
        self.rule = rule
        self.device = device
        self.connection = connection
        self.verdict = verdict
        self.tally = tally
    }
}

extension RuleResult {
    /// The severity of the result: that of its verdict, as a rule of severity error may have failures that are only
    /// warnings.
    package func severity(of rule: RuleInfo) -> RuleDefinition.Severity {
        switch verdict {
        case .fail: .error
        case .warning: .warning
        case .waived: tally.failures > 0 && tally.failures <= tally.warnings ? .warning : rule.severity
        case .pass, .inconclusive, .notApplicable: rule.severity
        }
    }
}

/// How often a rule was obeyed and broken.
package struct Tally: Sendable {
    package var passes = 0
    package var failures = 0
    /// Failures that are only warnings, whatever the severity of the rule.
    package var warnings = 0
    /// How often the rule was inconclusive, and why the first time.
    package var undecided = 0
    package var reason: String?
    /// The first failures.
    package var findings: [Finding] = []

    /// Failures that are kept of one result; the others are counted.
    package static let findingLimit = 10

    package init() {}

    /// Whether no more findings are kept.
    package var isFull: Bool { findings.count >= Self.findingLimit }

    /// Whether the rule has no outcome.
    package var isEmpty: Bool { passes == 0 && failures == 0 && undecided == 0 }

    /// Takes in one more outcome.
    package mutating func add(_ outcome: RuleReport.Outcome) {
        switch outcome {
        case .pass: passes += 1
        case .fail(let finding):
            failures += 1
            if let finding, !isFull { findings.append(finding) }
        case .warn(let finding):
            warnings += 1
            add(.fail(finding))
        case .inconclusive(let why):
            undecided += 1
            reason = reason ?? why
        }
    }

    /// Takes in what came of the same rule elsewhere.
    package mutating func add(_ other: Tally) {
        passes += other.passes
        failures += other.failures
        warnings += other.warnings
        undecided += other.undecided
        reason = reason ?? other.reason
        findings += other.findings.prefix(max(0, Self.findingLimit - findings.count))
    }

    /// What comes of it for a rule of a severity: one failure breaks the rule, one pass obeys it as far as can be told.
    package func verdict(_ severity: RuleDefinition.Severity) -> Verdict {
        if failures > 0 { return severity == .error && failures > warnings ? .fail : .warning }
        if passes > 0 { return .pass }
        return .inconclusive(reason ?? "required packets were not captured")
    }
}
