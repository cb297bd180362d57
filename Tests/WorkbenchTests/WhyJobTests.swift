import Captures
import Causes
import Conversation
import PDUTestKit
import Testing
import Workbench

/// Captures in which nothing failed, and the live explanation beside that of a file.
struct WhyJobTests {
    private static let captures = Repository.captures(in: "captures")

    private static func job() throws -> WhyJob {
        var job = WhyJob()
        job.plugins = try PluginLibrary.builtIn().plugins
        return job
    }

    private static func explain(_ path: String) async throws -> IncidentList {
        try await job().run(CaptureReader(path: Repository.path(path))) { _ in true }
    }

    /// Sessions of devices that work.
    @Test(arguments: ["aquavate-sync", "aquavate-calibration", "lifecount-session", "battery-charging", "soil-sensor"])
    func nothingFailedInASessionThatWentWell(_ name: String) async throws {
        let path = try #require(Self.captures.first { $0.hasPrefix("captures/\(name)/") })
        let list = try await Self.explain(path)
        #expect(list.frames > 0)
        #expect(list.incidents.map { "\($0.what) \($0.cause ?? "-") \($0.text)" } == [])
    }

    /// Frames of incidents exist, in order, and each incident has a text.
    @Test(arguments: captures)
    func incidentsReferToFrames(_ path: String) async throws {
        let list = try await Self.explain(path)
        for incident in list.incidents {
            #expect(!incident.frames.isEmpty && incident.frames == incident.frames.sorted())
            #expect(incident.frames.allSatisfy { (1...list.frames).contains($0) })
            #expect(!incident.text.isEmpty)
            #expect((incident.cause == nil) == (incident.confidence == nil))
        }
    }

    /// Live traffic has the incidents of the file, if no device is recognized late.
    @Test(arguments: captures)
    func liveTrafficHasTheSameIncidents(_ path: String) async throws {
        let job = try Self.job()
        let reader = try CaptureReader(path: Repository.path(path))
        reader.chunkSize = 512
        var found: [Incident] = []
        let explanation = LiveExplanation(job.plugins) { found += $0 }
        let source = FollowedSource(reader, ConversationTracker(job.plugins), [explanation])
        while try await source.next() != nil {}
        try source.finish()
        let list = try await Self.explain(path)
        #expect(
            found.map(\.frames).sorted { $0.lexicographicallyPrecedes($1) }
                == list.incidents.map(\.frames).sorted { $0.lexicographicallyPrecedes($1) })
        #expect(explanation.hasCause == (list.outcome == .explained))
    }

    @Test func oneConnectionCanBeAskedAbout() async throws {
        for path in Self.captures {
            let all = try await Self.explain(path)
            guard let number = all.incidents.compactMap(\.connection).first else { continue }
            var job = try Self.job()
            job.connection = number
            let list = try await job.run(CaptureReader(path: Repository.path(path))) { _ in true }
            #expect(!list.incidents.isEmpty && list.incidents.allSatisfy { $0.connection == number })
        }
    }
}
