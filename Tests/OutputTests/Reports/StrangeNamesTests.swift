import Bytes
import Conformance
import Output
import TestKit
import Testing

/// Device names cannot break a report.
struct StrangeNamesTests {
    /// Characters that must not occur in human-readable text.
    private func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control: scalar != "\n"
        case .format: scalar.value != 0x200D
        case .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }

    @Test(arguments: SampleReport.strangeNames)
    func everyFormatStaysValid(_ name: String) throws {
        var sample = SampleReport(name: name, observed: name)
        sample.add(device: name, address: "c0:ff:ee:00:00:02")
        sample.add(device: name, address: nil)
        sample.add(rule: "K-FAIL", .fail, [sample.finding(observed: name)], device: 1, connection: 2)
        sample.add(rule: "K-FAIL", .fail, [sample.finding(observed: name)], device: 2, connection: 3)
        let report = sample.report
        #expect(JUnitSchema.faults(in: try JUnitReport(report).text()) == [])
        #expect(try SARIFSchema.faults(in: SARIFReport(report).text()) == [])
        #expect(TAPDocument(try TAPReport(report).text()).faults == [])
        for format: any ReportFormat in [
            JUnitReport(report), SARIFReport(report), TAPReport(report), MarkdownReport(report),
            AnnotationReport(report),
        ] {
            let text = try format.text()
            #expect(!text.unicodeScalars.contains(where: isHarmful))
            #expect(text.utf8.count < 200_000)
        }
    }

    /// JSON output preserves the device's exact text.
    @Test(arguments: SampleReport.strangeNames)
    func jsonIsExact(_ name: String) throws {
        let json = try JSONValue(
            reading: Array(JSONReport(SampleReport(name: name, observed: name).report).text().utf8))
        #expect(SARIFSchema.list(json["devices"]).first?["title"] == .string(name))
        let result = SARIFSchema.list(json["results"]).first { $0["rule"] == .string("K-FAIL") }
        #expect(result?["observed"] == .string(name))
    }

    @Test(arguments: [
        ("plain", "plain"), ("a\nb\tc\rd", "a\\nb\\tc\\rd"), ("\u{0}\u{1B}\u{7F}\u{85}", "\\u{0}\\u{1B}\\u{7F}\\u{85}"),
        ("\u{202E}a", "\\u{202E}a"), ("日本 👩‍👧", "日本 👩‍👧"), ("\u{378}\u{E000}", "\\u{378}\\u{E000}"),
        ("123456789", "12345678… (9 characters)"),
    ])
    func textsAreLegible(_ text: String, _ legible: String) {
        #expect(text.legible(limit: 8) == legible || text.legible(limit: 2000) == legible)
    }
}
