import Bytes
import Captures
import Conformance
import Conversation
import Foundation
import Output
import PDUTestKit
import PluginKit
import TestKit
import Testing
import Workbench

/// Live traffic is checked like a capture.
struct FollowedSourceTests {
    private func path(_ name: String, _ file: String = "capture.btsnoop") -> String {
        Repository.path("captures/\(name)/\(file)")
    }

    private func job(_ name: String) throws -> CheckJob {
        var job = CheckJob()
        job.plugins = try PluginLibrary.builtIn().plugins
        let tables = path(name, "gatt.json")
        if FileManager.default.fileExists(atPath: tables) { job.importedTables = try GATTFiles.read(tables) }
        return job
    }

    /// The failures in the order of their reports, the number of packets passed on, and the outcome.
    private func judge(
        _ name: String
    ) async throws -> (reported: [FoundFailure], packets: Int, outcome: CheckJob.Outcome) {
        let reader = try CaptureReader(path: path(name))
        reader.chunkSize = 4096
        var reported: [FoundFailure] = []
        let job = try job(name)
        let check = LiveCheck(reader.name, job) { failures, _ in reported += failures }
        let follower = ConversationTracker(job.plugins, imported: job.importedTables)
        let source = FollowedSource(reader, follower, [check])
        var packets = 0
        while let batch = try await source.next() { packets += batch.packets.count }
        try source.finish()
        return (reported, packets, try #require(check.outcome))
    }

    @Test(arguments: ["aquavate-sync", "aquavate-truncated-chunk", "lifecount-session"])
    func theReportIsThatOfTheCapture(_ name: String) async throws {
        let (_, packets, outcome) = try await judge(name)
        let report = try await job(name).run(CaptureReader(path: path(name))) { _ in true }.report
        #expect(packets == report.frames)
        #expect(try JSONReport(outcome.report).text() == JSONReport(report).text())
    }

    @Test func everyFailureOfTheReportWasTold() async throws {
        let (reported, _, outcome) = try await judge("aquavate-truncated-chunk")
        let kept = outcome.report.results.flatMap { result in
            result.tally.findings.map { "\(outcome.report.rules[result.rule].id) \($0.moments) \($0.contrast)" }
        }
        #expect(reported.map { "\($0.rule.id) \($0.finding.moments) \($0.finding.contrast)" }.sorted() == kept.sorted())
        #expect(reported.contains { $0.rule.id == "AQ-060" && $0.device?.address == "24:0a:c4:12:a3:f4" })
    }

    /// The output lines of a session's failures.
    private func lines(_ name: String, _ change: (inout CheckOptions) throws -> Void) async throws -> [Substring] {
        var options = CheckOptions(day: CivilDate("2026-07-01")!)
        try change(&options)
        let reported = try await judge(name).reported
        let start = try #require(CaptureReader(path: path(name)).next()?.packets.first?.time)
        return FindingLines().text(reported.filter(options.concern), since: start).split(separator: "\n")
    }

    @Test func aLineHasTheWordsOfTheReport() async throws {
        let lines = try await lines("aquavate-truncated-chunk") { _ in }
        #expect(
            lines.contains(
                "FAIL AQ-060  24:0a:c4:12:a3:f4, connection 1, frame 7, 24:0a:c4:12:a3:f4 → central, at 0.045 s: expected length >= 6 && length == 6 + 14 * u8(4); observed length = 244, u8(4) = 0x14 (firmware/include/ble_service.h)"
            ))
        #expect(
            lines.contains {
                $0.hasPrefix(
                    "WARN AQ-213  24:0a:c4:12:a3:f4, connection 1, frame 6, central → 24:0a:c4:12:a3:f4, at 0.037 s: ")
            })
    }

    @Test func whatIsWaivedOrOfTheOtherSideIsNotTold() async throws {
        let name = "aquavate-truncated-chunk"
        let waived = try await lines(name) { $0.waivers = try CheckOptions.readWaivers(path(name, "waivers.yaml")) }
        #expect(!waived.contains { $0.hasPrefix("FAIL") })
        #expect(waived.contains { $0.hasPrefix("WARN AQ-213") })
        let ofClient = try await lines(name) { $0.role = .client }
        #expect(!ofClient.contains { $0.hasPrefix("FAIL AQ-060") })
        #expect(ofClient.contains { $0.hasPrefix("FAIL AQ-212") })
    }
}
