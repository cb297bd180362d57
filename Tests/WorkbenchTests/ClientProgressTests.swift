import PluginKit
import Testing

@testable import Workbench

/// The exit code of `emulate --task` that follows from a client's notes.
struct ClientProgressTests {
    private static let plugin = "aquavate"
    private static let failure = TwinNote("sync_failed", ["reason": .text("lost")])
    private static let discovery = TwinNote("discovery_failed", ["reason": .text("lost")])
    private static let refusal = TwinNote("failed", ["reason": .text("no answer")])
    private static let connected = TwinNote("connected", ["peer": .text("C0:FF:EE:00:00:01")])

    private static let cases: [(notes: [TwinNote], problem: ClientProblem?)] = [
        // The run has ended before the search.
        ([], .noDevice(plugin: plugin)),
        ([TwinNote("not_found")], .noDevice(plugin: plugin)),
        ([TwinNote("disconnected")], .noDevice(plugin: plugin)),
        ([TwinNote("not_found"), connected, TwinNote("sync_done"), TwinNote("disconnected")], nil),
        ([connected, discovery, TwinNote("disconnected")], .failed(procedure: "discovery", reason: "lost")),
        ([connected, discovery, connected, TwinNote("discovered")], nil),
        ([connected, failure, TwinNote("disconnected")], .failed(procedure: "sync", reason: "lost")),
        ([connected, failure, connected, TwinNote("sync_done")], nil),
        ([connected, refusal], .failed(procedure: "connection", reason: "no answer")),
        ([connected, refusal, connected, TwinNote("ready")], nil),
    ]

    @Test(arguments: cases.indices)
    func notesLeadToTheProblem(index: Int) {
        var progress = ClientProgress()
        for note in Self.cases[index].notes { progress.record(note) }
        #expect(progress.problem(of: Self.plugin) == Self.cases[index].problem)
    }

    /// A new connection repeats failed tasks, but not those that the dialect does not have.
    @Test func aTaskThatTheDialectLacksStaysFailed() {
        var progress = ClientProgress()
        for note in [Self.connected, Self.failure, .unsupported("tare", dialect: "prd")] { progress.record(note) }
        progress.removeFailures()
        let reason = "the dialect prd has no way to do this"
        #expect(progress.problem(of: Self.plugin) == .failed(procedure: "tare", reason: reason))
    }
}
