import BluetoothCrypto
import Bytes
import Captures
import Causes
import Conformance
import Foundation
import PDUTestKit
import PluginKit
import Redaction
import TestKit
import Testing

@testable import Workbench

/// The captures of the repository that need no file beside them.
private let captures: [String] = {
    let folder = Repository.path("captures")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().flatMap { name -> [String] in
        let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(name)")) ?? []
        if files.contains("options") { return [] }
        return files.filter { $0.hasPrefix("capture.") }.map { "captures/\(name)/\($0)" }
    }
}()

/// A redacted capture breaks the same rules in the same frames as the original, and the same failed for the same causes.
@Suite struct RedactedCheckTests {
    /// Results of `check`, by rule, connection and frames.
    private func results(_ path: String) async throws -> [String] {
        var job = CheckJob()
        job.plugins = try PluginLibrary.builtIn().plugins
        let report = try await job.run(CaptureReader(path: path)) { _ in true }.report
        return report.results.map { result in
            let frames = result.tally.findings.flatMap(\.moments).map(\.frame)
            return "\(report.rules[result.rule].id) \(result.connection ?? 0) \(result.verdict) \(frames)"
        }.sorted()
    }

    /// Incidents of `why`, by what failed, cause and frames.
    private func incidents(_ path: String) async throws -> [String] {
        var job = WhyJob()
        job.plugins = try PluginLibrary.builtIn().plugins
        return try await job.run(CaptureReader(path: path)) { _ in true }.incidents.map {
            "\($0.what) \($0.cause ?? "-") \($0.frames)"
        }
    }

    @Test(arguments: captures)
    func checkAndWhySayTheSame(capture: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("share.pcapng")
        var job = RedactJob()
        job.plugins = try PluginLibrary.builtIn().plugins
        job.options = RedactionOptions(secret: .init(0x5EC4_E700), weeks: 60)
        let reader = try CaptureReader(path: Repository.path(capture))
        guard reader.isSeekable else { return }
        _ = try await job.run(reader, to: path, as: .pcapng)
        let (before, after) = (try await results(Repository.path(capture)), try await results(path))
        #expect(before == after)
        let (failed, failedAfter) = (try await incidents(Repository.path(capture)), try await incidents(path))
        #expect(failed == failedAfter)
    }
}
