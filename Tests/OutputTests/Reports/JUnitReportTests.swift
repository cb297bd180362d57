import Bytes
import Conformance
import Output
import PluginKit
import Testing

struct JUnitReportTests {
    private func suites(_ report: CheckReport, isStrict: Bool = false) throws -> [XMLNode] {
        let text = try JUnitReport(report, isStrict: isStrict).text()
        #expect(JUnitSchema.faults(in: text) == [])
        return try #require(XMLNode.read(text)).children
    }

    private func cases(of suite: XMLNode) -> [String: XMLNode] {
        suite["testcase"].reduce(into: [:]) { $0[$1.attributes["name"] ?? ""] = $1 }
    }

    @Test func everyVerdictHasItsPlace() throws {
        let suites = try suites(SampleReport().report)
        #expect(suites.map { $0.attributes["name"] } == ["capture", "Puck"])
        let cases = cases(of: suites[1])
        #expect(cases.count == 6)
        #expect(cases["K-PASS the rule K-PASS holds (connection 1)"]?.children.isEmpty == true)
        #expect(cases["K-WARN the rule K-WARN holds (connection 1)"]?.children.isEmpty == true)
        func reason(_ rule: String) -> String? {
            cases["\(rule) the rule \(rule) holds (connection 1)"]?["skipped"].first?.attributes["message"]
        }
        #expect(reason("K-WAIVED") == "waived: mended in Puck, until 2026-06-30")
        #expect(reason("K-UNKNOWN") == "inconclusive: the beginning was not captured")
        #expect(reason("K-NOTHING") == "not applicable: no matching traffic")
        #expect(self.cases(of: suites[0]).keys.sorted() == ["C-WHOLE the rule C-WHOLE holds"])
    }

    @Test func reportsOfSeveralCapturesAreOneDocument() throws {
        var other = SampleReport().report
        other.file = "b.pcap"
        let text = try JUnitReports([SampleReport().report, other]).text()
        #expect(JUnitSchema.faults(in: text) == [])
        let suites = try #require(XMLNode.read(text)).children
        #expect(
            suites.map { $0.attributes["name"] } == [
                "captures/kettle.btsnoop", "captures/kettle.btsnoop: Puck", "b.pcap", "b.pcap: Puck",
            ])
        #expect(suites.map { $0.attributes["id"] } == ["0", "1", "2", "3"])
        let json = try JSONValue(reading: Array(JSONReports([SampleReport().report, other]).text().utf8))
        guard case .array(let reports) = json else {
            Issue.record("no array")
            return
        }
        #expect(reports.count == 2)
        // Of the sample, each verdict once, and two that pass.
        #expect(CheckSummary.sum(of: [SampleReport().report, other]).hasPrefix("2 captures: 2 fail, "))
        #expect(CheckSummary.sum(of: [SampleReport().report, other]).contains(", 4 pass, "))
    }

    @Test func failuresCarryTheEvidence() throws {
        let cases = cases(of: try suites(SampleReport().report)[1])
        let failure = try #require(cases["K-FAIL the rule K-FAIL holds (connection 1)"]?["failure"].first)
        #expect(failure.attributes["message"] == "expected temperature <= 100; observed temperature = 101")
        for line in [
            "at:       connection 1, frame 44 (see frame 41), at 0.044 s", "expected: temperature <= 100",
            "observed: temperature = 101", "bytes:    " + String(repeating: "ab", count: 40),
            "frames:   41 (2026-03-01T12:00:00.041000Z), 44 (2026-03-01T12:00:00.044000Z)",
            "source:   kettle.md, 4", "quirk:    Q-7, a known fault of the firmware", "hint:     look <here>",
            "and 1 more time",
        ] {
            #expect(failure.text.contains(line + "\n"), "\(line)")
        }
    }

    @Test func theRecordingComesFirst() throws {
        let capture = try suites(SampleReport(isLate: true).report)[0]
        let properties = capture["properties"][0].children.map { ($0.attributes["name"], $0.attributes["value"]) }
        #expect(properties.contains { $0 == ("capture-quality.cut_packets", "3") })
        #expect(capture["system-out"][0].text.hasPrefix("Capture quality\n  truncated packets: 3\n"))
        #expect(capture["system-out"][0].text.contains("the waiver of K-OTHER in line 1 is unused"))
    }

    @Test func strictWarningsAreFailures() throws {
        let suite = try suites(SampleReport().report, isStrict: true)[1]
        #expect(suite.attributes["failures"] == "2")
        #expect(suite["system-out"][0].text.isEmpty)
        let lenient = try suites(SampleReport().report)[1]
        #expect(lenient.attributes["failures"] == "1")
        #expect(lenient["system-out"][0].text.contains("K-WARN the rule K-WARN holds (connection 1)"))
    }

    @Test func timesAreThoseOfTheCapture() throws {
        let suite = try suites(SampleReport().report)[0]
        #expect(suite.attributes["timestamp"] == "2026-03-01T12:00:00")
        #expect(suite.attributes["hostname"] == "localhost")
        let text = try JUnitReport(SampleReport().report).text()
        #expect(try JUnitReport(SampleReport().report).text() == text)
    }

    @Test func anEmptyReportIsOne() throws {
        let suites = try suites(CheckReport())
        #expect(suites.map { $0.attributes["tests"] } == ["0"])
        #expect(suites[0].attributes["timestamp"] == "1970-01-01T00:00:00")
    }

    @Test(arguments: [
        "<testsuites><testsuite/></testsuites>", "<testsuite/>", "<testsuites>", "<testsuites><other/></testsuites>",
        "<testsuites a=\"b\"/>", "<testsuites>text</testsuites>",
    ])
    func theSchemaRefuses(_ text: String) {
        #expect(JUnitSchema.faults(in: text) != [])
    }

    /// A replacement that makes a valid document invalid.
    @Test(arguments: [
        ("time=\"0\"", "time=\"-\""), ("id=\"1\"", "id=\"2\""), ("failures=\"1\"", "failures=\"2\""),
        ("<system-err></system-err>", ""), ("<failure", "<failed"), (" classname=\"gattbench.Puck\"", ""),
        ("name=\"Puck\"", "name=\" \""), ("12:00:00\"", "12:00:00Z\""),
        ("K-WARN the rule K-WARN", "K-PASS the rule K-PASS"),
    ])
    func theSchemaFinds(_ good: String, _ bad: String) throws {
        let text = try JUnitReport(SampleReport().report).text()
        let broken = text.replacing(good, with: bad)
        #expect(broken != text)
        #expect(JUnitSchema.faults(in: broken) != [])
    }
}
