import Conformance
import Output
import Testing

struct MarkdownReportTests {
    private func lines(_ report: CheckReport, isStrict: Bool = false) throws -> [Substring] {
        try MarkdownReport(report, isStrict: isStrict).text().split(separator: "\n")
    }

    @Test func theRecordingComesFirst() throws {
        #expect(
            try lines(SampleReport(isLate: true).report).prefix(5) == [
                "# gattbench check: failed, 1 rule failed, 1 with a warning, 2 passed",
                "`captures/kettle.btsnoop`, 44 frames, 12.345 s", "## Capture quality",
                "- truncated packets: 3", "- the waiver of K-OTHER in line 1 is unused",
            ])
    }

    @Test func brokenRulesHaveTheirPlaces() throws {
        let lines = try lines(SampleReport().report)
        let start = try #require(lines.firstIndex(of: "### FAIL K-FAIL: the rule K-FAIL holds"))
        let bytes = String(repeating: "ab", count: 32)
        #expect(
            lines[start...].dropFirst(3).prefix(6) == [
                "| `Puck` | connection 1, frame 44 (see frame 41), at 0.044 s | temperature \\<= 100 | temperature = 101 | `\(bytes)… (40 bytes)` |",
                "and 1 more time", "- Source: kettle.md, 4",
                "- Follows from it: K-WARN the rule K-WARN holds, frame 44 and 1 more time", "- Known quirk: Q-7",
                "- Hint: look \\<here\\>",
            ])
        #expect(lines.contains("### WARN K-WARN: the rule K-WARN holds"))
        #expect(
            lines.contains(
                "- K-WAIVED the rule K-WAIVED holds (connection 1) of `Puck`: waived: mended in Puck, until 2026-06-30")
        )
        #expect(lines.contains("- K-UNKNOWN the rule K-UNKNOWN holds: the beginning was not captured"))
    }

    @Test func devicesAreCounted() throws {
        let lines = try lines(SampleReport().report)
        #expect(lines.contains("| `Puck` | kettle | Puck | 1 | 1 | 1 | 1 | 1 | 1 | 1 |"))
        #expect(lines.contains("| the capture |  |  |  | 0 | 0 | 0 | 1 | 0 | 0 |"))
    }

    /// Every row of a table has as many cells as its header, whatever the content.
    @Test(arguments: SampleReport.strangeNames)
    func tablesKeepTheirShape(_ name: String) throws {
        var width = 0
        for line in try lines(SampleReport(name: name, observed: name).report) {
            guard line.hasPrefix("|") else {
                width = 0
                continue
            }
            let bars = line.replacing("\\\\", with: "").replacing("\\|", with: "").count { $0 == "|" }
            if width == 0 { width = bars }
            #expect(bars == width, "\(line)")
        }
    }

    @Test(arguments: [
        ("a`b", "`` a`b ``"), ("``", "``` `` ```"), ("a|b", "`a\\|b`"), ("plain", "`plain`"), ("a\nb", "`a\\nb`"),
        ("a`\u{301}b", "`` a`\u{301}b ``"),
    ])
    func codeIsFenced(_ name: String, _ code: String) throws {
        let text = try MarkdownReport(SampleReport(name: name).report).text()
        #expect(text.contains("| \(code) | kettle |"))
    }

    @Test func manyFailuresFitASummary() throws {
        var sample = SampleReport()
        let finding = sample.finding(observed: String(repeating: "<", count: 10_000))
        for number in 0..<500 {
            sample.add(rule: "K-\(number)", .fail, Array(repeating: finding, count: 10))
        }
        let text = try MarkdownReport(sample.report).text()
        #expect(text.utf8.count < 512 << 10)
        #expect(text.contains("\nand 452 more\n"))
    }
}
