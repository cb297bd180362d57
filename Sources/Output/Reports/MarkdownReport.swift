import Bytes
package import Conformance
import PluginKit
import Profile

/// GitHub-flavoured Markdown report of a check, for a CI job summary or a comment: a few screens, with counts of
/// omissions. Other reports contain the full results.
package struct MarkdownReport: ReportFormat {
    private let words: ReportWords
    private let isStrict: Bool
    private let comparison: RunComparison?

    private var report: CheckReport { words.report }

    /// Maximum number of devices, broken rules, places per rule, and undecided rules shown.
    private static let deviceRows = 20
    private static let ruleRows = 50
    private static let placeRows = 5
    private static let reasonRows = 100
    /// Maximum number of bytes per finding and characters per text shown.
    private static let byteLimit = 32
    private static let textLimit = 400

    package init(_ report: CheckReport, isStrict: Bool = false, comparison: RunComparison? = nil) {
        words = ReportWords(report.legible())
        self.isStrict = isStrict
        self.comparison = comparison
    }

    package func write(to output: inout ReportOutput) throws {
        output.write(
            "# gattbench check: \(words.headline(isStrict: isStrict))\n\n\(Self.code(report.file)), \(words.extent)\n")
        output.write("\n## Capture quality\n\n")
        for line in words.quality { output.write("- \(line)\n") }
        for waiver in report.unusedWaivers { output.write("- \(Self.text(words.unused(waiver)))\n") }
        writeOmissions(to: &output.page)
        if let comparison { write(comparison, to: &output.page) }
        writeDevices(to: &output.page)
        try writeBroken(to: &output)
        writeWaived(to: &output.page)
        writeUndecided(to: &output.page)
    }
}

// MARK: - Sections

extension MarkdownReport {
    private func writeOmissions(to page: inout TextWriter) {
        if report.omissions.isEmpty { return }
        page.write("\n## Not checked\n\n")
        for omission in report.omissions.prefix(Self.deviceRows) { page.write("- \(Self.text(omission.text))\n") }
    }

    private func write(_ comparison: RunComparison, to page: inout TextWriter) {
        page.write("\n## Against \(Self.code(comparison.before.legible()))\n\n")
        for line in comparison.lines(limit: Self.ruleRows) { page.write("- \(Self.text(line))\n") }
    }

    private func writeDevices(to page: inout TextWriter) {
        guard !report.results.isEmpty else { return }
        let counts = report.countsByDevice
        let columns = ReportWords.verdicts
        page.write("\n## Devices\n\n| device | plugin | firmware | connections ")
        for column in columns { page.write("| \(column.asWords) ") }
        page.write("|\n|---|---|---|--:" + String(repeating: "|--:", count: columns.count) + "|\n")
        func write(_ metadata: [String], _ number: Int) {
            page.write("| " + metadata.joined(separator: " | "))
            for column in columns { page.write(" | \(counts[number][column])") }
            page.write(" |\n")
        }
        let judged = report.devices.indices.filter { !counts[$0].isEmpty }
        for index in judged.prefix(Self.deviceRows) {
            let device = report.devices[index]
            let plugin = (device.plugin ?? "") + (device.dialect.map { " (\($0))" } ?? "")
            let name = Self.code(words.names.devices[index])
            write([name, Self.text(plugin), Self.text(device.firmware ?? ""), "\(device.connections)"], index)
        }
        if !counts[report.devices.count].isEmpty { write(["the capture", "", "", ""], report.devices.count) }
        if judged.count > Self.deviceRows { page.write("\nand \(judged.count - Self.deviceRows) more devices\n") }
    }

    /// Writes each broken rule with its first places; errors first.
    private func writeBroken(to output: inout ReportOutput) throws {
        let rules = words.brokenRules()
        guard !rules.isEmpty else { return }
        output.write("\n## Failed rules\n")
        for rule in rules.prefix(Self.ruleRows) {
            write(rule, to: &output.page)
            try output.turnPage()
        }
        if rules.count > Self.ruleRows { output.write("\nand \(rules.count - Self.ruleRows) more\n") }
    }

    private func write(_ broken: ReportWords.BrokenRule, to page: inout TextWriter) {
        let rule = report.rules[broken.rule]
        let results = broken.results
        let word = broken.severity == .error ? "FAIL" : "WARN"
        page.write("\n### \(word) \(Self.text(rule.id)): \(Self.text(rule.text))\n\n")
        page.write("| device | where | expected | observed | bytes |\n|---|---|---|---|---|\n")
        let places = results.flatMap { result in result.tally.findings.map { (result: result, finding: $0) } }
        for (result, finding) in places.prefix(Self.placeRows) {
            let cells = [
                words.device(of: result).map(Self.code) ?? "", Self.text(words.place(of: finding, result)),
                Self.text(finding.expected), Self.text(finding.observed),
                ReportWords.bytes(of: finding, limit: Self.byteLimit).map(Self.code) ?? "",
            ]
            page.write("| \(cells.joined(separator: " | ")) |\n")
        }
        if let more = ReportWords.more(results, than: min(places.count, Self.placeRows)) { page.write("\n\(more)\n") }
        var notes = rule.source.map { ["Source: \($0)"] } ?? []
        notes += words.effects(of: broken.rule).map { "Follows from it: \($0)" }
        notes += results.lazy.compactMap(words.quirk).first.map { ["Known quirk: \($0)"] } ?? []
        notes += rule.hint.map { ["Hint: \($0)"] } ?? []
        notes += results.lazy.compactMap(ReportWords.expiry).first.map { ["Waiver: \($0)"] } ?? []
        if !notes.isEmpty { page.write("\n") }
        for note in notes { page.write("- \(Self.text(note))\n") }
    }

    private func writeWaived(to page: inout TextWriter) {
        let waived = report.results.filter { $0.verdict == .waived }
        guard !waived.isEmpty else { return }
        page.write("\n## Waived\n\n")
        for result in waived.prefix(Self.ruleRows) {
            let device = words.device(of: result).map { " of \(Self.code($0))" } ?? ""
            let excuse = result.waiver.map(ReportWords.excuse) ?? "waived"
            page.write("- \(Self.text(words.title(of: result)))\(device): \(Self.text(excuse))\n")
        }
        if waived.count > Self.ruleRows { page.write("- and \(waived.count - Self.ruleRows) more\n") }
    }

    /// Writes undecided rules, once per reason.
    private func writeUndecided(to page: inout TextWriter) {
        var lines: [String] = []
        var seen: Set<String> = []
        for result in report.results {
            guard case .inconclusive(let reason) = result.verdict else { continue }
            let rule = report.rules[result.rule]
            let line = "- \(Self.text(rule.id)) \(Self.text(rule.text)): \(Self.text(reason))\n"
            if seen.insert(line).inserted { lines.append(line) }
        }
        guard !lines.isEmpty else { return }
        page.write(
            "\n## Inconclusive\n\n<details><summary>\(lines.count) rules that the capture cannot decide</summary>\n\n")
        for line in lines.prefix(Self.reasonRows) { page.write(line) }
        if lines.count > Self.reasonRows { page.write("- and \(lines.count - Self.reasonRows) more\n") }
        page.write("\n</details>\n")
    }
}

// MARK: - Markdown

extension MarkdownReport {
    /// Escapes a text for a line or cell, so that nothing in it is Markdown or HTML.
    static func text(_ text: String) -> String {
        var escaped = ""
        for scalar in text.legible(limit: textLimit).unicodeScalars {
            if "\\`*_[]<>|~&#$".unicodeScalars.contains(scalar) { escaped += "\\" }
            escaped.unicodeScalars.append(scalar)
        }
        return escaped
    }

    /// A verbatim text in a code span, fenced with more backticks than it contains. Bars are escaped, because they end
    /// a cell even in a code span.
    static func code(_ text: String) -> String {
        let text = text.legible(limit: textLimit).replacing("|", by: "\\|")
        let longest = text.unicodeScalars.split(whereSeparator: { $0 != "`" }).map(\.count).max() ?? 0
        let fence = String(repeating: "`", count: longest + 1)
        return longest == 0 ? fence + text + fence : "\(fence) \(text) \(fence)"
    }
}
