import Bytes
import Conformance
import Foundation
import TestKit
import Testing

struct JSONReportTests {
    @Test func saysWhatTheCommandLinePromises() throws {
        let visit = KettleVisit()
        let frame = visit.status(1, 101, 1)
        let report = try visit.checked().report
        let text = try JSONReport(report).text()
        let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let summary = try #require(json["summary"] as? [String: Int])
        #expect(summary["fail"] == report.results.count { $0.verdict == .fail })
        #expect(summary.values.reduce(0, +) == report.results.count)
        let results = try #require(json["results"] as? [[String: Any]])
        let result = try #require(results.first { $0["rule"] as? String == "K-CHECK" })
        #expect(result["verdict"] as? String == "fail")
        #expect(result["connection"] as? Int == 1)
        #expect(result["frames"] as? [Int] == [frame])
        #expect(result["expected"] as? String == "temperature <= 100 && u8(0) != 255")
        #expect(result["observed"] as? String == "temperature = 101, u8(0) = 0x01")
        #expect(result["quirk"] as? String == "Q-7")
        #expect((result["findings"] as? [[String: Any]])?.first?["bytes"] as? String == "016501")
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
