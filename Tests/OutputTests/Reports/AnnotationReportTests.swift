import Conformance
import Output
import Testing

struct AnnotationReportTests {
    /// A workflow command, parsed as by GitHub's runner.
    private struct Command {
        var level: String
        var title: String
        var message: String

        init?(_ line: Substring) {
            guard let match = line.wholeMatch(of: #/::(error|warning|notice) title=([^:,]*)::(.*)/#) else { return nil }
            level = String(match.1)
            title = Self.unescaped(match.2)
            message = Self.unescaped(match.3)
        }

        private static func unescaped(_ text: Substring) -> String {
            let escapes = [("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")]
            return escapes.reduce(String(text)) { $0.replacing($1.0, with: $1.1) }
        }
    }

    private func commands(_ report: CheckReport, isStrict: Bool = false) throws -> [Command] {
        let lines = try AnnotationReport(report, isStrict: isStrict).text().split(separator: "\n")
        return try lines.map { try #require(Command($0), "\($0)") }
    }

    @Test func theRecordingComesFirst() throws {
        let first = try #require(try commands(SampleReport(isLate: true).report).first)
        #expect((first.level, first.title) == ("notice", "Capture quality"))
        #expect(first.message == "truncated packets: 3")
    }

    @Test func brokenRulesAreAnnotations() throws {
        let commands = try commands(SampleReport().report)
        #expect(commands.map(\.level) == ["notice", "error", "warning", "notice"])
        #expect(commands[1].title == "K-FAIL the rule K-FAIL holds (Puck)")
        #expect(
            commands[1].message == """
                connection 1, frame 44 (see frame 41), at 0.044 s: expected temperature <= 100; observed temperature = 101
                source: kettle.md, 4
                follows from it: K-WARN the rule K-WARN holds, frame 44 and 1 more time
                and 1 more time
                known quirk Q-7
                hint: look <here>
                """)
        #expect(
            try self.commands(SampleReport().report, isStrict: true).map(\.level) == [
                "notice", "error", "error", "notice",
            ])
    }

    @Test func asManyAsGitHubShows() throws {
        var sample = SampleReport()
        for number in 0..<30 { sample.add(rule: "K-\(number)", .fail, [sample.finding(observed: "x")]) }
        let errors = try commands(sample.report).filter { $0.level == "error" }
        #expect(errors.count == 10)
        #expect(errors.last?.message == "and 22 more")
    }

    /// Omitted checks count as errors.
    @Test func omissionsAreErrorsToo() throws {
        var sample = SampleReport()
        for number in 0..<6 { sample.add(rule: "K-\(number)", .fail, [sample.finding(observed: "x")]) }
        var report = sample.report
        report.omissions = (0..<12).map { Omission(.required, plugin: "kettle", text: "omission \($0)") }
        let errors = try commands(report).filter { $0.level == "error" }
        #expect(errors.count == 10)
        #expect(errors.dropLast().allSatisfy { $0.title == "Not checked" })
        #expect(errors.last?.message == "and 10 more")
    }

    @Test(arguments: SampleReport.strangeNames)
    func nobodyElseGivesCommands(_ name: String) throws {
        #expect(try commands(SampleReport(name: name, observed: name).report).count == 4)
    }
}
