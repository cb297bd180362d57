import Bytes
import Conformance
import Output
import PluginKit
import Profile
import TestKit
import Testing

/// A rule of severity error whose failures are only warnings, as possible for AQ-207: every report shows the verdict.
struct ResultSeverityTests {
    private let report: CheckReport

    init() {
        var sample = SampleReport()
        sample.add(rule: "K-MILD", severity: .error, .warning, [sample.finding(observed: "late")])
        report = sample.report
    }

    private func results(_ text: String, at path: [String]) throws -> [JSONValue] {
        var value: JSONValue? = try JSONValue(reading: Array(text.utf8))
        for name in path { value = (value?.elements.first ?? value)?[name] }
        return value?.elements ?? []
    }

    @Test func jsonAndSARIF() throws {
        let json = try results(JSONReport(report).text(), at: ["results"]).first { $0["rule"] == .string("K-MILD") }
        #expect(json?["verdict"] == .string("warning"))
        #expect(json?["severity"] == .string("warning"))
        let sarif = try results(SARIFReport(report).text(), at: ["runs", "results"])
        let levels = sarif.reduce(into: [:]) { $0[$1["ruleId"]?.string ?? ""] = $1["level"]?.string }
        #expect(levels == ["K-FAIL": "error", "K-WARN": "warning", "K-WAIVED": "error", "K-MILD": "warning"])
    }

    @Test func summary() {
        let summary = CheckSummary(report).text()
        #expect(summary.contains("WARN K-MILD") && summary.contains("FAIL K-FAIL"))
    }

    @Test func textFormats() throws {
        let markdown = try MarkdownReport(report).text()
        #expect(markdown.contains("### WARN K-MILD:") && markdown.contains("### FAIL K-FAIL:"))
        let annotations = try AnnotationReport(report).text()
        #expect(annotations.contains("::warning title=K-MILD "))
        let tap = try TAPReport(report).text()
        let point = tap.split(separator: "\nnot ok ").first { $0.contains("K-MILD") }
        #expect(point?.contains("severity: \"warning\"") == true)
        let cases = try JUnitReport(report, isStrict: true).text().split(separator: "<testcase")
        #expect(cases.first { $0.hasPrefix(" name=\"K-MILD") }?.contains("type=\"warning\"") == true)
    }
}
