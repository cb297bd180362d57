import Captures
import Conformance
import Foundation
import Output
import PDUTestKit
import PluginKit
import TestKit
import Testing
import Workbench

/// Reports of captures: ours and, if available, those of other tools.
struct CapturedReportsTests {
    private static let own = Repository.captures(in: "captures")
    private static let reference = Repository.captures(in: "../shared/captures")

    private func check(_ capture: String) async throws -> CheckReport {
        var job = CheckJob()
        job.plugins = try PluginLibrary.builtIn().plugins
        let path = Repository.url(capture)
        let tables = path.deletingLastPathComponent().appending(path: "gatt.json").path
        if FileManager.default.fileExists(atPath: tables) { job.importedTables = try GATTFiles.read(tables) }
        return try await job.run(CaptureReader(path: path.path)) { _ in true }.report
    }

    @Test(arguments: own + reference)
    func everyFormatIsValid(_ capture: String) async throws {
        let report = try await check(capture)
        #expect(JUnitSchema.faults(in: try JUnitReport(report).text()) == [])
        #expect(try SARIFSchema.faults(in: SARIFReport(report).text()) == [])
        #expect(TAPDocument(try TAPReport(report).text()).faults == [])
        let outline = RunOutline(report)
        #expect(RunComparison(outline, against: outline).changes.allSatisfy { $0.kind == .still })
    }

    /// A capture with more failures, and the same attribute table.
    @Test func whatHasBecomeWorse() async throws {
        let before = try await check("captures/aquavate-sync/capture.btsnoop")
        let now = try await check("captures/aquavate-first-firmware/capture.btsnoop")
        let comparison = RunComparison(RunOutline(now), against: RunOutline(before))
        #expect(comparison.hasNewFailures(isStrict: false))
        #expect(comparison.changes.filter { $0.kind == .broken }.map(\.rule).contains("AQ-212"))
        #expect(comparison.onlyNow.isEmpty && comparison.onlyBefore.isEmpty)
        #expect(!RunComparison(RunOutline(before), against: RunOutline(now)).hasNewFailures(isStrict: true))
    }
}
