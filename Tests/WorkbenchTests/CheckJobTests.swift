import BluetoothTypes
import Bytes
import Captures
import Conformance
import Foundation
import GATT
import TestKit
import Testing
import Workbench

/// `check` over files: batches, going through a capture twice, and how it ends.
struct CheckJobTests {
    private func check(_ path: String, chunkSize: Int = 256 << 10) async throws -> CheckReport {
        var job = CheckJob()
        job.plugins = try PluginLibrary.builtIn().plugins
        let reader = try CaptureReader(path: path)
        reader.chunkSize = chunkSize
        return try await job.run(reader) { _ in true }.report
    }

    private func json(_ report: CheckReport) throws -> String { try JSONReport(report).text() }

    @Test(arguments: ["aquavate-sync", "aquavate-prd", "lifecount-session"])
    func goodSessionsBreakNothing(_ name: String) async throws {
        let report = try await check(Repository.path("captures/\(name)/capture.btsnoop"))
        #expect(report.results.allSatisfy { $0.verdict != .fail })
        #expect(report.results.contains { $0.verdict == .pass })
        #expect(report.outcome(isStrict: false) == .obeyed)
    }

    @Test(arguments: [4096, 5000])
    func batchesMakeNoDifference(_ chunkSize: Int) async throws {
        let path = Repository.path("captures/aquavate-sync/capture.btsnoop")
        #expect(try await json(check(path, chunkSize: chunkSize)) == json(check(path)))
    }

    @Test func whatCameBeforeItsDiscoveryIsJudged() async throws {
        func bottle(_ number: UInt8) -> BluetoothTypes.UUID {
            BluetoothTypes.UUID(value: 0x6F75_616B_7661_7465_2D00_000000000000 + UInt128(number))
        }
        let layout = ServerLayout(
            .service(bottle(0), .characteristic(bottle(1), [.read, .notify], descriptors: 0x2902)))
        let session = HCISession()
        let link = session.connect(to: DeviceAddress(Address("c0:00:00:00:00:01")!, .random))
        let value = hex("45407F69 9C01 9C01 E204 53 07 0300")
        for _ in 0..<200 { link.notify(layout[bottle(1)], value) }
        link.discover(layout)
        let folder = try TemporaryFolder()
        let path = try folder.file("late.btsnoop", session.recording.btsnoop())
        for chunkSize in [4096, 256 << 10] {
            let report = try await check(path, chunkSize: chunkSize)
            let result = report.results.first { report.rules[$0.rule].id == "AQ-031" }
            #expect(result?.tally.passes == 200)
        }
    }

    @Test func aCaptureWithNothingInItIsUndecided() async throws {
        let folder = try TemporaryFolder()
        let report = try await check(folder.file("empty.btsnoop", HCISession().recording.btsnoop()))
        #expect(report.outcome(isStrict: true) == .undecided)
    }

    @Test func theSummaryNamesRulesAndFrames() async throws {
        let path = Repository.path("captures/aquavate-truncated-chunk/capture.btsnoop")
        var job = CheckJob()
        job.plugins = try PluginLibrary.builtIn().plugins
        job.importedTables = try GATTFiles.read(Repository.path("captures/aquavate-truncated-chunk/gatt.json"))
        let report = try await job.run(CaptureReader(path: path)) { _ in true }.report
        let text = CheckSummary(report, CheckOptions(day: CivilDate("2026-07-01")!)).text()
        #expect(text.contains("FAIL AQ-060  a chunk has 6 bytes and 14 for each of its records"))
        #expect(text.contains("connection 1, frame 7"))
        #expect(text.contains("known quirk Q-01"))
        #expect(!text.contains("\u{1B}"))
    }
}
