import Bytes
import Conformance
import Output
import TestKit
import Testing

struct JSONReportTests {
    @Test func saysWhatTheCommandLinePromises() throws {
        let visit = KettleVisit()
        let frame = visit.status(1, 101, 1)
        let report = try visit.checked().report
        let text = try JSONReport(report).text()
        let json = try JSONValue(reading: Array(text.utf8))
        let summary = try #require(json["summary"]?.members)
        #expect(summary["fail"] == .integer(report.results.count { $0.verdict == .fail }))
        #expect(summary.values.compactMap(\.number).reduce(0, +) == Double(report.results.count))
        let result = try #require(json["results"]?.elements.first { $0["rule"] == .string("K-CHECK") })
        #expect(result["verdict"] == .string("fail"))
        #expect(result["connection"] == .integer(1))
        #expect(result["frames"] == .array([.integer(frame)]))
        #expect(result["expected"] == .string("temperature <= 100 && u8(0) != 255"))
        #expect(result["observed"] == .string("temperature = 101, u8(0) = 0x01"))
        #expect(result["quirk"] == .string("Q-7"))
        #expect(result["findings"]?.elements.first?["bytes"] == .string("016501"))
    }

    @Test func isTheSameEveryTime() throws {
        func text() throws -> String {
            let visit = KettleVisit()
            visit.status(1, 101, 1)
            visit.status(0)
            return try JSONReport(visit.checked().report).text()
        }
        #expect(try text() == text())
    }
}
