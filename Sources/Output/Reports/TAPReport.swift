import Bytes
package import Conformance
import PluginKit
import Profile

/// TAP 14 (testanything.org) report of a check: a test point per rule and connection, with a YAML block for broken
/// rules. Waived rules and warnings are `not ok … # TODO`: broken, but no failure.
package struct TAPReport: ReportFormat {
    private let words: ReportWords
    private let isStrict: Bool

    private var report: CheckReport { words.report }

    /// Maximum number of bytes shown per finding.
    private static let byteLimit = 64

    package init(_ report: CheckReport, isStrict: Bool = false) {
        words = ReportWords(report.legible())
        self.isStrict = isStrict
    }

    package func write(to output: inout ReportOutput) throws {
        output.write("TAP version 14\n# \(report.file): \(words.extent)\n# capture quality:\n")
        for line in words.quality { output.write("#   \(line)\n") }
        for waiver in report.unusedWaivers { output.write("# \(words.unused(waiver))\n") }
        let points = report.results.count + report.omissions.count
        output.write(points == 0 ? "1..0 # SKIP no rules to check\n" : "1..\(points)\n")
        for (index, result) in report.results.enumerated() {
            write(result, number: index + 1, to: &output.page)
            try output.turnPage()
        }
        for (index, omission) in report.omissions.enumerated() {
            output.write("not ok \(report.results.count + index + 1) - \(Self.escaped(omission.text))\n")
        }
    }

    private func write(_ result: RuleResult, number: Int, to page: inout TextWriter) {
        let (isOK, directive) = state(of: result)
        page.write("\(isOK ? "ok" : "not ok") \(number) - ")
        let device = words.device(of: result).map { "\($0): " } ?? ""
        page.write(Self.escaped(device + words.title(of: result)))
        if let directive { page.write(" # \(directive.name) \(Self.escaped(directive.reason))") }
        page.write("\n")
        if !isOK { writeDiagnosis(of: result, to: &page) }
    }

    private func state(of result: RuleResult) -> (isOK: Bool, directive: (name: String, reason: String)?) {
        switch result.verdict {
        case .pass: (true, nil)
        case .fail: (false, nil)
        case .warning: (false, isStrict ? nil : ("TODO", "a warning, no failure"))
        case .waived: (false, ("TODO", result.waiver.map(ReportWords.excuse) ?? "waived"))
        case .inconclusive(let reason): (true, ("SKIP", "inconclusive: \(reason)"))
        case .notApplicable(let reason): (true, ("SKIP", "not applicable: \(reason)"))
        }
    }

    /// Writes a YAML block. Texts are written as JSON, a subset of YAML.
    private func writeDiagnosis(of result: RuleResult, to page: inout TextWriter) {
        let rule = report.rules[result.rule]
        page.write("  ---\n")
        write("severity", result.severity(of: rule).rawValue, to: &page)
        write("source", rule.source, to: &page)
        write("hint", rule.hint, to: &page)
        write("quirk", words.quirk(of: result), to: &page)
        write("waiver", ReportWords.expiry(of: result), to: &page)
        page.write("  failures: \(result.tally.failures)\n")
        if !result.tally.findings.isEmpty { page.write("  findings:\n") }
        for (number, finding) in result.tally.findings.enumerated() {
            write("- at", words.place(of: finding, result), to: &page, indentation: 4)
            write("expected", finding.expected, to: &page, indentation: 6)
            write("observed", finding.observed, to: &page, indentation: 6)
            write("follows", words.cause(of: number, in: result), to: &page, indentation: 6)
            page.write("      frames: [\(finding.frames.map(String.init).joined(separator: ", "))]\n")
            write("bytes", ReportWords.bytes(of: finding, limit: Self.byteLimit), to: &page, indentation: 6)
        }
        page.write("  ...\n")
    }

    private func write(_ name: String, _ value: String?, to page: inout TextWriter, indentation: Int = 2) {
        guard let value else { return }
        page.write(UInt8(ascii: " "), times: indentation)
        page.write("\(name): ")
        page.writeJSON(value)
        page.write("\n")
    }

    /// Escapes `#` in a description or a reason, where it would begin a directive.
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", by: "\\\\").replacing("#", by: "\\#")
    }
}
