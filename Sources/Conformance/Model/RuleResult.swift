package import PluginKit
package import Profile

/// The result of a rule for one connection, one device or the whole capture.
package struct RuleResult: Sendable {
    /// Index in `CheckReport.rules`.
    package var rule: Int
    /// Index in `CheckReport.devices`; nil if the result belongs to no identified device.
    package var device: Int?
    /// Number of the connection; nil for results without one, and for the sum of results that are not listed
    /// individually.
    package var connection: Int?
    package var verdict: Verdict
    package var tally: Tally
    /// The waiver that matches the result.
    package var waiver: Waiver? {
        get { excuse?.waiver }
        set { excuse = newValue.map(Excuse.init) }
    }
    /// Boxed to save space: results are many, and few have a waiver.
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
    /// The severity of the result. It follows the verdict, because a rule with severity error may have failures that
    /// are only warnings.
    package func severity(of rule: RuleInfo) -> RuleDefinition.Severity {
        switch verdict {
        case .fail: .error
        case .warning: .warning
        case .waived: tally.failures > 0 && tally.failures <= tally.warnings ? .warning : rule.severity
        case .pass, .inconclusive, .notApplicable: rule.severity
        }
    }
}

/// Counts of a rule's outcomes.
package struct Tally: Sendable {
    package var passes = 0
    package var failures = 0
    /// Failures that are only warnings, regardless of the rule's severity.
    package var warnings = 0
    /// Number of inconclusive outcomes, and the reason of the first one.
    package var undecided = 0
    package var reason: String?
    /// The first failures.
    package var findings: [Finding] = []

    /// Maximum number of findings kept for a result; further failures are only counted.
    package static let findingLimit = 10

    package init() {}

    /// Whether no further findings are kept.
    package var isFull: Bool { findings.count >= Self.findingLimit }

    /// Whether the rule has no outcome.
    package var isEmpty: Bool { passes == 0 && failures == 0 && undecided == 0 }

    /// Adds an outcome.
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

    /// Adds other outcomes of the same rule.
    package mutating func add(_ other: Tally) {
        passes += other.passes
        failures += other.failures
        warnings += other.warnings
        undecided += other.undecided
        reason = reason ?? other.reason
        findings += other.findings.prefix(max(0, Self.findingLimit - findings.count))
    }

    /// The verdict for a rule with this severity: one failure breaks the rule; without failures, one pass suffices.
    package func verdict(_ severity: RuleDefinition.Severity) -> Verdict {
        if failures > 0 { return severity == .error && failures > warnings ? .fail : .warning }
        if passes > 0 { return .pass }
        return .inconclusive(reason ?? "required packets were not captured")
    }
}
