import Captures
import Conformance
import Foundation
import PDUTestKit
import TestKit
import Testing
import Workbench

/// Recordings of an independent puck and app. Exactly the listed rules fail.
@Suite(.enabled(if: FoundRecording.areThere, "../shared/findings/recordings is not there"))
struct RecordingsTests {
    @Test(arguments: FoundRecording.all, [false, true])
    func aRecordingBreaksTheRulesThatItIsAboutAlone(_ recording: FoundRecording, asksOracle: Bool) async throws {
        let report = try await recording.check(asksOracle: asksOracle)
        #expect(report.broken == recording.broken.sorted())
    }

    /// The recorder wrote directions from the controller's view, which made the client look like a puck too.
    @Test func aReversedRecordingHasOnePuck() async throws {
        let report = try await FoundRecording("tap-inverted").check(asksOracle: true)
        #expect(report.devices.filter { $0.plugin == "aquavate" }.map(\.address) == ["02:42:00:00:00:01"])
    }

    @Test func everyRecordingIsInTheTable() {
        let names = Repository.captures(in: FoundRecording.folder).map { URL(filePath: $0).deletingPathExtension() }
        #expect(names.map(\.lastPathComponent).sorted() == FoundRecording.all.map(\.name).sorted())
    }
}

/// A recording with its failing rules: `FAIL` for errors, `WARN` for warnings.
struct FoundRecording: Sendable, CustomStringConvertible {
    var name: String
    /// `FAIL AQ-219`.
    var broken: [String]

    var description: String { name }

    static let folder = "../shared/findings/recordings"
    static var areThere: Bool { !Repository.captures(in: folder).isEmpty }

    static let all = [
        // Both sides conform.
        FoundRecording("early-sync"),
        FoundRecording("crossing-ack"),
        FoundRecording("crossing-ack-both"),
        FoundRecording("delete"),
        FoundRecording("legacy-calibration"),
        FoundRecording("legacy-both"),
        // One side breaks a rule. The first puck's serial number ends with 7E:12, its name with 7E10; those of the
        // others end with 7E:10.
        FoundRecording("tap-inverted", "WARN AQ-005"),
        FoundRecording("ack-after-reconnect", "FAIL AQ-219"),
        FoundRecording("ack-missing", "FAIL AQ-214"),
        FoundRecording("advertises-again-after-6s", "WARN AQ-009"),
        FoundRecording("advertises-while-connected", "FAIL AQ-008"),
        FoundRecording("delete-without-effect", "WARN AQ-109"),
        FoundRecording("idle-48s", "WARN AQ-104"),
        FoundRecording("opcode-withdrawn", "WARN AQ-207"),
        // The puck's measurements take 0.3 s.
        FoundRecording("stale-read-after-reconnect", "FAIL AQ-101"),
        // Clients that break client rules.
        FoundRecording("refused-write-zero", "WARN CORE-GATT-08"),
        FoundRecording(
            "refused-writes", "WARN CORE-GATT-08", "FAIL AQ-206", "FAIL AQ-207", "FAIL AQ-214", "WARN AQ-216",
            "FAIL AQ-217", "FAIL AQ-220", "FAIL AQ-222", "WARN AQ-223", "FAIL AQ-225",
            // Values that match no type of the profile; rules in code report them too.
            "FAIL AQUAVATE-BOTTLE-CONFIG-WRITE", "FAIL AQUAVATE-COMMAND-WRITE"),
        FoundRecording("requests-overlap", "FAIL CORE-ATT-01", "FAIL AQ-302", "FAIL AQ-225"),
    ]

    fileprivate init(_ name: String, _ broken: String...) {
        self.name = name
        self.broken = broken
    }

    func check(asksOracle: Bool) async throws -> CheckReport {
        var job = CheckJob()
        job.plugins = try PluginLibrary.builtIn().plugins
        job.asksOracle = asksOracle
        let path = Repository.path("\(Self.folder)/\(name).btsnoop")
        return try await job.run(CaptureReader(path: path)) { _ in true }.report
    }
}

extension CheckReport {
    /// The failing rules, with their verdicts.
    fileprivate var broken: [String] {
        let lines = results.compactMap { result -> String? in
            switch result.verdict {
            case .fail: "FAIL \(rules[result.rule].id)"
            case .warning: "WARN \(rules[result.rule].id)"
            default: nil
            }
        }
        return Set(lines).sorted()
    }
}
