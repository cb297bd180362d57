import Captures
import Conformance
import Conversation
import Foundation
import Output
import PDUTestKit
import TestKit
import Testing
import Workbench

/// The shards of a check report the same as one check of the whole capture.
struct CheckShardTests {
    private static let captures = Repository.captures(in: "captures") + Repository.captures(in: "../shared/captures")

    @Test(arguments: captures)
    func shardsReportTheSame(_ capture: String) throws {
        let plugins = try PluginLibrary.builtIn().plugins
        let follower = ConversationTracker(plugins)
        let whole = ConformanceCheck(plugins: plugins)
        let shards = CheckShard.all().map { ConformanceCheck(plugins: plugins, shard: $0) }
        let more = CheckShard.all(5).map { ConformanceCheck(plugins: plugins, shard: $0) }
        let reader = try CaptureReader(path: Repository.url(capture).path)
        while let packets = try reader.next() {
            var batch = TrackedBatch()
            batch.fill(packets)
            follower.follow(&batch)
            for check in [whole] + shards + more { check.check(batch) }
        }
        #expect(shards.count > 1)
        let report = whole.finish()
        #expect(try JSONReport(ConformanceCheck.finish(shards)).text() == JSONReport(report).text())
        #expect(try JSONReport(ConformanceCheck.finish(more)).text() == JSONReport(report).text())
        #expect(report.frames > 0 || report.results.allSatisfy { $0.verdict.name == "not_applicable" })
    }
}
