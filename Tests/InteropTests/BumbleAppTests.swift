import Conformance
import DeviceTesting
import Output
import PDUTestKit
import PluginKit
import TestKit
import Testing
import Transports
import Workbench

/// Bumble as a client of the puck, in the plugin's situations.
@Suite(.enabled(if: Bumble.python != nil, "\(Bumble.isMissing)"))
struct BumbleAppTests {
    @Test func anAppWithoutAFaultPasses() async throws {
        let (cases, broken) = try await run(fault: nil, ["contact.first[puck=motion]", "sync.all[records=21]"])
        #expect(
            cases.map(\.verdict) == [.pass, .pass, .pass], "\(cases.flatMap(\.findings).map(\.contrast)) \(broken)")
    }

    /// Each fault, and the situation or rule that detects it.
    @Test(arguments: [
        ("time", "contact.first[puck=motion]"), ("local", "AQ-210"), ("command", "AQ-205"),
        ("acknowledge", "sync.all[records=21]"), ("twice", "AQ-214"), ("count", "AQ-211"), ("chunk", "AQ-212"),
        ("subscribe", "AQ-203"), ("query", "AQ-217"), ("lost", "stored"), ("copied", "stored"), ("opcode", "AQ-207"),
        ("parallel", "CORE-ATT-01"),
    ])
    func anAppWithAFaultFails(fault: String, evidence: String) async throws {
        let situation =
            switch fault {
            case "time", "local": "contact.first[puck=motion]"
            // A single chunk: with two, the second acknowledgement of the first chunk would acknowledge the second one.
            case "twice", "opcode": "sync.all[records=1]"
            // A puck that responds at once never has two pending requests.
            case "parallel": "sync.slow[late=200 ms]"
            default: "sync.all[records=21]"
            }
        let (_, broken) = try await run(fault: fault, [situation])
        #expect(broken.contains(evidence), "\(broken)")
    }

    /// The results of situations with Bumble as the client, and the IDs of the failing cases and rules.
    private func run(
        fault: String?, _ situations: [String]
    ) async throws -> (cases: [CaseResult], broken: Set<String>) {
        let folder = try TemporaryFolder()
        let radio = try RunningRadio()
        let script = try Bumble.start("bumble_app.py", [radio.clients[1]] + [fault].compactMap(\.self))
        let library = try PluginLibrary.load(["aquavate"], environment: [:])
        var options = ClientTestOptions(
            plugin: try #require(library["aquavate"]?.plugin), transport: try TransportSpec(radio.clients[0]))
        options.selection.ids = situations
        options.run.timeout = .seconds(45)
        options.stored = folder.path("drinks.csv")
        var cases: [CaseResult] = []
        let user = AppUser(script, stored: folder.path("drinks.csv"))
        let report = try ClientTestJob(options, library) { false }.run(hands: user) { cases.append($0) }
        script.type("")
        _ = script.finish()
        try await radio.end()
        let failed = report.results.filter { $0.verdict == .fail }.map { report.rules[$0.rule].id }
        return (cases, Set(failed))
    }
}

/// The user of Bumble's app, who immediately performs the actions of a situation.
private final class AppUser: UpperTester {
    private let script: Bumble.Script
    private let stored: String
    private var waits = 0

    init(_ script: Bumble.Script, stored: String) {
        self.script = script
        self.stored = stored
    }

    func begin(_ action: HandAction) {
        script.type(action.isQuestion ? "stored \(stored)" : action.stimulus.name)
        // The app writes its file while the question is open.
        waits = action.isQuestion ? 10 : 0
    }

    func isDone() -> Bool {
        waits -= 1
        return waits < 0
    }
}
