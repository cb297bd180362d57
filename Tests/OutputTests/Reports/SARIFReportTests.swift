import Bytes
import Conformance
import Output
import PDUTestKit
import TestKit
import Testing

/// Validates a report against docs/sarif.schema.json, and against requirements of SARIF 2.1.0 beyond the schema.
enum SARIFSchema {
    static func faults(in text: String) throws -> [String] {
        let schema = try JSONSchema(JSONValue(reading: Repository.bytes("docs/sarif.schema.json")))
        let log = try JSONValue(reading: Array(text.utf8))
        var faults = schema.faults(in: log)
        let run = run(log)
        let rules = list(run?["tool"]?["driver"]?["rules"]).map { $0["id"] }
        if Set(rules).count != rules.count { faults.append("two rules of one id") }
        var fingerprints: Set<JSONValue?> = []
        for result in list(run?["results"]) {
            guard case .integer(let index)? = result["ruleIndex"], rules.indices.contains(index),
                rules[index] == result["ruleId"]
            else {
                faults.append("ruleIndex is not that of the rule (3.27.6)")
                continue
            }
            if !fingerprints.insert(result["partialFingerprints"]?["ruleDeviceConnection/v1"]).inserted {
                faults.append("two results of one fingerprint")
            }
        }
        return faults
    }

    static func run(_ log: JSONValue) -> JSONValue? { list(log["runs"]).first }

    static func list(_ value: JSONValue?) -> [JSONValue] { value?.elements ?? [] }
}

struct SARIFReportTests {
    private func results(_ report: CheckReport) throws -> [JSONValue] {
        let text = try SARIFReport(report).text()
        #expect(try SARIFSchema.faults(in: text) == [])
        return SARIFSchema.list(SARIFSchema.run(try JSONValue(reading: Array(text.utf8)))?["results"])
    }

    @Test func brokenRulesAreResults() throws {
        let results = try results(SampleReport().report)
        #expect(results.map { $0["ruleId"] } == [.string("K-FAIL"), .string("K-WARN"), .string("K-WAIVED")])
        #expect(results.map { $0["level"] } == [.string("error"), .string("warning"), .string("error")])
        #expect(results[0]["suppressions"] == .array([]))
        let suppression = SARIFSchema.list(results[2]["suppressions"]).first
        #expect(suppression?["justification"] == .string("mended in Puck"))
        #expect(suppression?["properties"]?["expires"] == .string("2026-06-30"))
        #expect(results[1]["occurrenceCount"] == .integer(3))
    }

    @Test func placesAreFrames() throws {
        let result = try results(SampleReport().report)[0]
        let place = SARIFSchema.list(result["locations"]).first?["physicalLocation"]
        #expect(place?["artifactLocation"]?["uri"] == .string("captures/kettle.btsnoop"))
        #expect(place?["region"]?["startLine"] == .integer(44))
        #expect(place?["region"]?["properties"]?["frame"] == .integer(44))
        #expect(place?["region"]?["properties"]?["time"] == .string("2026-03-01T12:00:00.044000Z"))
        #expect(place?["region"]?["properties"]?["bytes"] == .string(String(repeating: "ab", count: 40)))
        let related = SARIFSchema.list(result["relatedLocations"])
        #expect(related.map { $0["physicalLocation"]?["region"]?["startLine"] } == [.integer(41)])
        #expect(
            result["message"]?["text"]
                == .string(
                    "Puck: expected temperature <= 100; observed temperature = 101 (connection 1, frame 44 (see frame 41), at 0.044 s); source: kettle.md, 4; known quirk Q-7"
                ))
    }

    @Test func fingerprintsOutliveTheFrames() throws {
        func fingerprints(_ sample: SampleReport) throws -> [JSONValue?] {
            try results(sample.report).map { $0["partialFingerprints"] }
        }
        let first = try fingerprints(SampleReport())
        // Other frames, another observation, another connection number: the same fault.
        var later = SampleReport(observed: "temperature = 120")
        for index in later.report.results.indices where later.report.results[index].connection != nil {
            later.report.results[index].connection = 7
        }
        #expect(try fingerprints(later) == first)
        #expect(try fingerprints(SampleReport(name: "Other")) != first)
    }

    @Test func theRecordingIsTold() throws {
        let text = try SARIFReport(SampleReport(isLate: true).report).text()
        let run = SARIFSchema.run(try JSONValue(reading: Array(text.utf8)))
        let reported = SARIFSchema.list(SARIFSchema.list(run?["invocations"]).first?["toolExecutionNotifications"])
        #expect(reported.first?["descriptor"]?["id"] == .string("capture-quality/cut_packets"))
        #expect(reported.first?["message"]?["text"] == .string("truncated packets: 3"))
        let quality = try #require(text.firstRange(of: "\"quality\""))
        #expect(quality.lowerBound < (try #require(text.firstRange(of: "\"results\""))).lowerBound)
    }

    @Test(arguments: [
        ("a b/ü#?.pcap", "a%20b/%C3%BC%23%3F.pcap"), ("/tmp/c:d.log", "file:///tmp/c%3Ad.log"), ("c:d", "c%3Ad"),
    ])
    func pathsAreURIs(_ path: String, _ uri: String) throws {
        var report = SampleReport().report
        report.file = path
        let result = try #require(try results(report).first)
        let location = SARIFSchema.list(result["locations"]).first?["physicalLocation"]?["artifactLocation"]
        #expect(location?["uri"] == .string(uri))
    }

    @Test func anEmptyReportIsOne() throws {
        #expect(try results(CheckReport()).isEmpty)
    }

    /// A replacement that makes a valid document invalid.
    @Test(arguments: [
        ("\"2.1.0\"", "\"2.0.0\""), ("\"ruleIndex\": 1", "\"ruleIndex\": 2"),
        ("\"kind\": \"fail\"", "\"kind\": \"failed\""),
        ("\"startLine\": 44", "\"startLine\": 0"), ("\"executionSuccessful\"", "\"successful\""),
        ("\"text\": \"Puck:", "\"texts\": \"Puck:"), ("\"level\": \"error\"", "\"level\": \"bad\""),
        ("\"id\": \"K-WARN\"", "\"id\": \"K-FAIL\""),
    ])
    func theSchemaFinds(_ good: String, _ bad: String) throws {
        let text = try SARIFReport(SampleReport().report).text()
        let broken = text.replacing(good, with: bad)
        #expect(broken != text)
        #expect(try SARIFSchema.faults(in: broken) != [])
    }
}
