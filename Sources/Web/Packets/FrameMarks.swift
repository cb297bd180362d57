import Conformance
import PluginKit

/// Findings of a check, by packet.
struct FrameMarks: Sendable {
    /// A broken rule and the way a packet breaks it.
    struct Mark: Sendable {
        let rule: RuleInfo
        let verdict: String
        let finding: Finding
    }

    private var marks: [Int: [Mark]] = [:]
    /// Verdicts shown, worst first.
    private static let verdicts = ["fail", "warning", "waived"]

    init() {}

    init(_ report: CheckReport) {
        for result in report.results where Self.verdicts.contains(result.verdict.name) {
            for finding in result.tally.findings {
                guard let frame = finding.moments.last?.frame, frame > 0 else { continue }
                let mark = Mark(rule: report.rules[result.rule], verdict: result.verdict.name, finding: finding)
                marks[frame, default: []].append(mark)
            }
        }
    }

    subscript(number: Int) -> [Mark] { marks[number] ?? [] }

    /// The worst verdict on a packet; nil if it breaks no rule.
    func verdict(of number: Int) -> String? {
        guard let marks = marks[number] else { return nil }
        return Self.verdicts.first { verdict in marks.contains { $0.verdict == verdict } }
    }
}
