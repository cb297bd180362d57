import Bytes
package import Conformance
import Conversation
import PluginKit

/// JUnit XML report of a check: one suite for the capture and one per device, one case per rule and connection.
///
/// The report uses the common subset of the two schemas in use: Apache Ant's, and that of Jenkins' xunit plugin, which
/// GitLab and GitHub's actions read too. Neither supports warnings, waivers or undecided cases. A warning passes,
/// unless warnings count as failures, and is reported in the suite's output; waived and undecided cases are skipped,
/// with their reason.
package struct JUnitReport: ReportFormat {
    private let words: ReportWords
    private let isStrict: Bool
    /// Whether names of suites begin with the file.
    private let isOneOfSeveral: Bool

    private var report: CheckReport { words.report }

    package init(_ report: CheckReport, isStrict: Bool = false) {
        self.init(report, isStrict: isStrict, isOneOfSeveral: false)
    }

    init(_ report: CheckReport, isStrict: Bool, isOneOfSeveral: Bool) {
        words = ReportWords(report.legible())
        (self.isStrict, self.isOneOfSeveral) = (isStrict, isOneOfSeveral)
    }

    static let beginning = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
    static let end = "</testsuites>\n"

    package func write(to output: inout ReportOutput) throws {
        output.write(Self.beginning)
        var number = 0
        try write(&number, to: &output)
        output.write(Self.end)
    }

    /// Writes the suites; `number` counts them.
    func write(_ number: inout Int, to output: inout ReportOutput) throws {
        for suite in suites {
            writeBeginning(of: suite, number: number, to: &output.page)
            number += 1
            for result in suite.results {
                writeCase(result, of: suite, to: &output.page)
                try output.turnPage()
            }
            if suite.device == nil { for omission in report.omissions { write(omission, to: &output.page) } }
            output.write("    <system-out>")
            for line in self.output(of: suite) {
                output.page.writeXML(line)
                output.write("\n")
                try output.turnPage()
            }
            output.write("</system-out>\n    <system-err></system-err>\n  </testsuite>\n")
        }
    }
}

// MARK: - Suites

extension JUnitReport {
    /// The results of one device, or those without a device.
    private struct Suite {
        /// Index of the device; nil for the capture.
        var device: Int?
        var name: String
        var results: [RuleResult]
    }

    /// The capture's suite, then one per device in report order.
    private var suites: [Suite] {
        let results = Dictionary(grouping: report.results) { $0.device ?? -1 }
        let capture = Suite(device: nil, name: "capture", results: results[-1] ?? [])
        return [capture]
            + report.devices.indices.compactMap { device in
                results[device].map { Suite(device: device, name: words.names.devices[device], results: $0) }
            }
    }

    private func writeBeginning(of suite: Suite, number: Int, to page: inout TextWriter) {
        let failures = suite.results.count { isFailure($0) }
        let skipped = suite.results.count { skipReason($0) != nil }
        page.write("  <testsuite")
        let file = suite.device == nil ? report.file : "\(report.file): \(suite.name)"
        page.writeXML(attribute: "name", isOneOfSeveral ? file : suite.name)
        page.writeXML(attribute: "package", "gattbench")
        page.writeXML(attribute: "id", "\(number)")
        let errors = suite.device == nil ? report.omissions.count : 0
        page.writeXML(attribute: "tests", "\(suite.results.count + errors)")
        page.writeXML(attribute: "failures", "\(failures)")
        page.writeXML(attribute: "errors", "\(errors)")
        page.writeXML(attribute: "skipped", "\(skipped)")
        // The capture's time, not the run's, so that the same capture gives the same report.
        page.writeXML(attribute: "timestamp", timestamp)
        page.writeXML(attribute: "hostname", "localhost")
        page.writeXML(attribute: "time", "0")
        page.write(">\n    <properties>\n")
        for (name, value) in properties(of: suite) {
            page.write("      <property")
            page.writeXML(attribute: "name", name)
            page.writeXML(attribute: "value", value)
            page.write("/>\n")
        }
        page.write("    </properties>\n")
    }

    /// Start of the capture in the schemas' format: whole seconds, no time zone.
    private var timestamp: String { String(TimeText.iso8601(report.times?.lowerBound ?? .epoch).prefix(19)) }

    private func properties(of suite: Suite) -> [(name: String, value: String)] {
        guard let index = suite.device else {
            return report.quality.all.map { ("capture-quality.\($0.name)", "\($0.count)") } + [
                ("capture.file", report.file), ("capture.frames", "\(report.frames)"),
            ]
        }
        let device = report.devices[index]
        let metadata = [
            ("address", device.address), ("plugin", device.plugin), ("dialect", device.dialect),
            ("firmware", device.firmware), ("connections", "\(device.connections)"),
        ]
        return metadata.compactMap { name, value in value.map { ("device.\(name)", $0) } }
    }

    /// The output lines below the cases of a suite.
    private func output(of suite: Suite) -> [String] {
        var lines: [String] = []
        if suite.device == nil {
            lines = ["Capture quality"] + words.quality.map { "  \($0)" }
            if !report.unusedWaivers.isEmpty { lines.append("Waivers") }
            lines += report.unusedWaivers.map { "  " + words.unused($0) }
        }
        let warnings = isStrict ? [] : suite.results.filter { $0.verdict == .warning }
        if !warnings.isEmpty { lines.append("Warnings") }
        for result in warnings {
            lines.append("  " + words.title(of: result))
            lines += details(of: result).map { "    " + $0 }
        }
        return lines
    }
}

// MARK: - Cases

extension JUnitReport {
    private func isFailure(_ result: RuleResult) -> Bool {
        result.verdict == .fail || isStrict && result.verdict == .warning
    }

    /// Reason that a case is skipped; nil for a case that is not.
    private func skipReason(_ result: RuleResult) -> String? {
        switch result.verdict {
        case .inconclusive(let reason): "inconclusive: \(reason)"
        case .notApplicable(let reason): "not applicable: \(reason)"
        case .waived: result.waiver.map(ReportWords.excuse) ?? "waived"
        case .pass, .fail, .warning: nil
        }
    }

    private func writeCase(_ result: RuleResult, of suite: Suite, to page: inout TextWriter) {
        page.write("    <testcase")
        page.writeXML(attribute: "name", words.title(of: result))
        // Readers interpret dots as package levels.
        page.writeXML(attribute: "classname", "gattbench." + String(suite.name.map { $0 == "." ? "_" : $0 }))
        page.writeXML(attribute: "time", "0")
        if isFailure(result) {
            let first = result.tally.findings.first
            page.write("><failure")
            page.writeXML(attribute: "message", first?.contrast ?? report.rules[result.rule].text)
            page.writeXML(attribute: "type", result.verdict == .fail ? "error" : "warning")
            page.write(">")
            for line in details(of: result) {
                page.writeXML(line)
                page.write("\n")
            }
            page.write("</failure></testcase>\n")
        } else if let reason = skipReason(result) {
            page.write("><skipped")
            page.writeXML(attribute: "message", reason)
            page.write("/></testcase>\n")
        } else {
            page.write("/>\n")
        }
    }

    /// Writes an omitted check as a case with an error.
    private func write(_ omission: Omission, to page: inout TextWriter) {
        page.write("    <testcase")
        let plugin = omission.plugin.map { " \($0)" } ?? ""
        let device = omission.device.map { " for \($0)" } ?? ""
        page.writeXML(attribute: "name", "\(omission.kind.rawValue)\(plugin)\(device)")
        page.writeXML(attribute: "classname", "gattbench.capture")
        page.writeXML(attribute: "time", "0")
        page.write("><error")
        page.writeXML(attribute: "message", omission.text)
        page.writeXML(attribute: "type", "inconclusive")
        page.write("></error></testcase>\n")
    }

    private func details(of result: RuleResult) -> [String] {
        let rule = report.rules[result.rule]
        var lines = [rule.text]
        for (number, finding) in result.tally.findings.enumerated() {
            lines += ["", "at:       \(words.place(of: finding, result))"]
            lines += ["expected: \(finding.expected)", "observed: \(finding.observed)"]
            lines += words.cause(of: number, in: result).map { ["follows:  from \($0)"] } ?? []
            let frames = finding.moments.filter { $0.frame > 0 }.map { "\($0.frame) (\(TimeText.iso8601($0.time)))" }
            if !frames.isEmpty { lines.append("frames:   " + frames.joined(separator: ", ")) }
            if let bytes = ReportWords.bytes(of: finding) { lines.append("bytes:    \(bytes)") }
        }
        lines += ReportWords.more([result], than: result.tally.findings.count).map { ["", $0] } ?? []
        lines.append("")
        lines += rule.source.map { ["source:   \($0)"] } ?? []
        lines += words.effects(of: result.rule).map { "effect:   \($0)" }
        lines += words.quirk(of: result).map { ["quirk:    \($0), a known fault of the firmware"] } ?? []
        lines += rule.hint.map { ["hint:     \($0)"] } ?? []
        lines += ReportWords.expiry(of: result).map { ["waiver:   \($0)"] } ?? []
        return lines
    }
}

// MARK: - XML

extension TextWriter {
    /// Writes a text as element content or as a double-quoted attribute value (XML 1.0, 2.2 and 2.4). Line breaks are
    /// preserved in both; characters that XML does not permit become U+FFFD.
    fileprivate mutating func writeXML(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": write("&amp;" as StaticString)
            case "<": write("&lt;" as StaticString)
            case ">": write("&gt;" as StaticString)
            case "\"": write("&quot;" as StaticString)
            case "\t", "\n", "\r": write("&#\(scalar.value);")
            case "\u{20}"..."\u{7E}": write(UInt8(truncatingIfNeeded: scalar.value))
            case "\u{80}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}": write(String(scalar))
            case "\u{7F}": write("&#127;" as StaticString)
            default: write("\u{FFFD}")
            }
        }
    }

    /// Writes an attribute with a leading blank.
    fileprivate mutating func writeXML(attribute name: StaticString, _ value: String) {
        write(UInt8(ascii: " "))
        write(name)
        write("=\"" as StaticString)
        writeXML(value)
        write(UInt8(ascii: "\""))
    }
}
