import Bytes
package import Conformance
import PluginKit

/// One-line result of a completed active test case.
package enum CaseLine {
    /// `PASS  read.current_state  1.4 s`, followed by lines with the failures; `FIXED`, `STILL FAILING` or `FAILS
    /// OTHERWISE` for a case that failed before.
    package static func text(of result: CaseResult, paint: Paint = .none) -> String {
        var output = TextWriter(capacity: 256)
        switch result.verdict {
        case .pass: paint.write(result.comparison == .fixed ? "FIXED" : "PASS", in: \.name, to: &output)
        case .fail: paint.write(failure(result), in: \.error, to: &output)
        case .warning: paint.write("WARN", in: \.warning, to: &output)
        case .waived: paint.write("WAIVED", in: \.warning, to: &output)
        case .inconclusive: paint.write("INCONCLUSIVE", in: \.warning, to: &output)
        case .notApplicable: paint.write("SKIP", in: \.plain, to: &output)
        }
        output.write("  \(result.id.legible())  \(TimeText.span(TimeSpan(clamping: result.seconds)))\n")
        if let reason = result.verdict.reason { output.write("      \(reason.legibleLine())\n") }
        for finding in result.findings.prefix(findingRows) {
            let frame = finding.moments.last.map { "frame \($0.frame): " } ?? ""
            output.write("      \(frame)\(finding.contrast.legibleLine())\n")
        }
        if result.findings.count > findingRows {
            output.write("      and \((result.findings.count - findingRows).counted("more time"))\n")
        }
        for one in result.measurements {
            let measured = one.measured.map { TimeText.span(TimeSpan(clamping: $0)) } ?? "not at all"
            let allowed = TimeText.span(TimeSpan(clamping: one.allowed))
            output.write("      \(one.text.legibleLine()): \(measured) (allowed \(allowed))\n")
        }
        if !result.brokenRules.isEmpty {
            output.write("      rules failed: \(result.brokenRules.joined(separator: ", ").legible())\n")
        }
        if let quirk = result.quirk, result.verdict == .fail { output.write("      known quirk \(quirk.legible())\n") }
        if let steps = result.steps, steps.count <= stepRows {
            output.write("      steps that are enough: \(steps.joined(separator: "; ").legible())\n")
        }
        if let command = result.reproduction, result.verdict == .fail {
            output.write("      repeat: \(command.legible())\n")
        }
        return String(decoding: output.bytes, as: UTF8.self)
    }

    private static func failure(_ result: CaseResult) -> String {
        switch result.comparison {
        case .stillFailing: "STILL FAILING"
        case .failingOtherwise: "FAILS OTHERWISE"
        case .fixed, nil: "FAIL"
        }
    }

    private static let findingRows = 5
    private static let stepRows = 20
}
