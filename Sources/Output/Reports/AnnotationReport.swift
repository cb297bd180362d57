import Bytes
package import Conformance
import PluginKit

/// GitHub Actions annotations of a check (workflow commands `::error::`, `::warning::`, `::notice::`): one for the
/// quality of the recording, then one per broken rule and device, errors first.
package struct AnnotationReport: ReportFormat {
    private let words: ReportWords
    private let isStrict: Bool

    private var report: CheckReport { words.report }

    /// GitHub shows ten annotations per level and step. The last one states how many are omitted.
    private static let levelLimit = 10

    package init(_ report: CheckReport, isStrict: Bool = false) {
        words = ReportWords(report.legible())
        self.isStrict = isStrict
    }

    package func write(to output: inout ReportOutput) throws {
        write("notice", "Capture quality", words.quality.joined(separator: "\n"), to: &output.page)
        let errors = broken { $0 == .fail || isStrict && $0 == .warning }
        let warnings = broken { !isStrict && $0 == .warning }
        try write("error", errors, omitting: report.omissions.map(\.text), to: &output)
        try write("warning", warnings, to: &output)
        let unused = report.unusedWaivers.map(words.unused)
        if !unused.isEmpty { write("notice", "Waivers", unused.joined(separator: "\n"), to: &output.page) }
    }

    /// Results grouped by broken rule and device, in the report's order.
    private func broken(_ isMeant: (Verdict) -> Bool) -> [[RuleResult]] {
        var groups: [[RuleResult]] = []
        for result in report.results where isMeant(result.verdict) && !words.isEffect(result) {
            if let last = groups.last?.last, last.rule == result.rule, last.device == result.device {
                groups[groups.count - 1].append(result)
            } else {
                groups.append([result])
            }
        }
        return groups
    }

    /// Writes omitted checks and broken rules, up to GitHub's limit per level.
    private func write(
        _ level: String, _ groups: [[RuleResult]], omitting omissions: [String] = [], to output: inout ReportOutput
    ) throws {
        let count = omissions.count + groups.count
        let listed = count > Self.levelLimit ? Self.levelLimit - 1 : count
        for omission in omissions.prefix(listed) { write(level, "Not checked", omission, to: &output.page) }
        for group in groups.prefix(max(0, listed - omissions.count)) {
            write(level, title(of: group[0]), message(of: group), to: &output.page)
            try output.turnPage()
        }
        if count > listed {
            write(level, "More failed rules", "and \(count - listed) more", to: &output.page)
        }
    }

    private func title(of result: RuleResult) -> String {
        let rule = report.rules[result.rule]
        return "\(rule.id) \(rule.text)" + (words.device(of: result).map { " (\($0))" } ?? "")
    }

    private func message(of group: [RuleResult]) -> String {
        guard
            let (result, finding) = group.lazy.compactMap({ result in
                result.tally.findings.first.map { (result, $0) }
            }).first
        else { return report.rules[group[0].rule].text }
        var lines = ["\(words.place(of: finding, result)): \(finding.contrast)"]
        lines += report.rules[result.rule].source.map { ["source: \($0)"] } ?? []
        lines += words.effects(of: result.rule).map { "follows from it: \($0)" }
        lines += ReportWords.more(group, than: 1).map { [$0] } ?? []
        lines += words.quirk(of: result).map { ["known quirk \($0)"] } ?? []
        lines += report.rules[result.rule].hint.map { ["hint: \($0)"] } ?? []
        lines += group.lazy.compactMap(ReportWords.expiry).first.map { [$0] } ?? []
        return lines.joined(separator: "\n")
    }

    private func write(_ level: String, _ title: String, _ message: String, to page: inout TextWriter) {
        page.write("::\(level) title=\(Self.escaped(title, isProperty: true))::\(Self.escaped(message))\n")
    }

    /// Escapes a text for a workflow command; in a property, delimiters are escaped as well.
    private static func escaped(_ text: String, isProperty: Bool = false) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "%": escaped += "%25"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            case ":" where isProperty: escaped += "%3A"
            case "," where isProperty: escaped += "%2C"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
