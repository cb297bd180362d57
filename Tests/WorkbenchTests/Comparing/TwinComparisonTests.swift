import Captures
import Output
import PDUTestKit
import PluginKit
import TestKit
import Testing
import Transports
import Workbench

/// Runs of one twin in virtual time, recorded and compared.
struct TwinComparisonTests {
    /// The outline of a recorded run of the puck and its app.
    private func outline(_ scenario: String) async throws -> CaptureOutline {
        let library = try PluginLibrary.builtIn()
        let plugin = try #require(library["aquavate"]?.plugin)
        var options = EmulateOptions(plugin: plugin, transport: .radio)
        options.scenario = try ScenarioLibrary(library).scenario(scenario, of: plugin)
        options.speed = .virtual
        let folder = try TemporaryFolder()
        options.record = folder.path("run.btsnoop")
        var job = try WorldJob(options, keyboard: nil)
        let isInterrupted = { false }
        _ = try job.run(isInterrupted: isInterrupted) { _ in }
        var outlining = OutlineJob()
        outlining.plugins = library.plugins
        return try await outlining.run(CaptureReader(path: folder.path("run.btsnoop"))) { _ in true }
    }

    @Test(arguments: ["normal-day", "first-pairing", "flaky-link"])
    func twoRunsWithOneSeedHaveNoDifferences(scenario: String) async throws {
        let comparison = try CaptureComparison(try await outline(scenario), try await outline(scenario))
        #expect(!comparison.differs, "\(DifferenceReport(comparison).text())")
        #expect(comparison.connections.contains { $0.common > 10 })
    }

    /// Values that a profile describes are compared by field.
    @Test func valuesDifferInFields() async throws {
        let comparison = try CaptureComparison(
            try await outline("normal-day"), try await outline("low-battery"))
        #expect(comparison.differs)
        let fields = comparison.connections.flatMap(\.differences).filter { $0.kind == .value }.flatMap(\.fields)
        #expect(fields.contains { $0.name != "value" && $0.name != "Client Rx MTU" })
    }
}
