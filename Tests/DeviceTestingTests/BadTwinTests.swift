import Bluetooth
import Bytes
import Conformance
import DeviceTesting
import PluginKit
import Profile
import Testing
import Workbench

/// Misbehaviour that no test case anticipates.
enum Misconduct: CaseIterable {
    /// Powers off permanently at the first request.
    case vanishes
    /// Never answers a request for a value.
    case hangs
    /// Refuses every request for a value.
    case refuses
    /// Sends a thousand notifications each second, once subscribed.
    case floods
    /// Ends the connection at every request for a value.
    case disconnects
}

/// A twin with one misbehaviour.
private struct BadTwin: DeviceTwin {
    var twin: any DeviceTwin
    let misconduct: Misconduct
    /// All characteristics, so that the twin receives each request for a value.
    let names: Set<String>
    private var isGone = false
    private var flooded: String?
    private var due: Timestamp?

    init(_ twin: any DeviceTwin, _ misconduct: Misconduct, _ names: Set<String>) {
        self.twin = twin
        self.misconduct = misconduct
        self.names = names
    }

    var answered: Set<String> { misconduct == .floods ? twin.answered : names }
    var deadline: Timestamp? { isGone ? nil : [twin.deadline, due].compactMap(\.self).min() }
    var address: Address? { twin.address }

    mutating func handle(_ input: TwinInput, at now: Timestamp) -> [TwinAction] {
        if isGone { return [] }
        switch input {
        case .read(_, let client, let ticket), .write(_, _, let client, let ticket?):
            switch misconduct {
            case .vanishes:
                isGone = true
                return [.fallSilent]
            case .hangs: return []
            case .refuses: return [.answer(ticket, .refused(0x0E))]
            case .disconnects: return [.disconnect(client)]
            case .floods: break
            }
        case .subscribed(let name, let kinds, _) where misconduct == .floods && !kinds.isEmpty:
            flooded = name
            due = now
        case .disconnected: due = nil
        default: break
        }
        let actions = twin.handle(input, at: now)
        guard let flooded, let due, due <= now else { return actions }
        self.due = now + .milliseconds(10)
        return actions + Array(repeating: .notify(flooded, Array(repeating: 0, count: 12)), count: 10)
    }
}

private struct BadBehaviour: PluginBehaviour {
    let base: any PluginBehaviour
    let misconduct: Misconduct
    let names: Set<String>

    func makeRules(dialect: String?) -> [any Rule] { base.makeRules(dialect: dialect) }
    func makeTwin(_ settings: TwinSettings) throws(TwinFault) -> (any DeviceTwin)? {
        try base.makeTwin(settings).map { BadTwin($0, misconduct, names) }
    }
    var stimuli: [StimulusDefinition] { base.stimuli }
    var quirks: [QuirkDefinition] { base.quirks }
    var tasks: [StimulusDefinition] { base.tasks }
}

/// Every case ends with a verdict in bounded time, even if the device misbehaves.
@Suite struct BadTwinTests {
    private func run(
        _ misconduct: Misconduct, tags: [String] = [], timeout: Duration? = nil
    ) throws -> (job: PeripheralTestJob, cases: [CaseResult]) {
        var run = try TwinRun("lifecount")
        let profile = run.options.plugin.profile
        let names = Set(profile.profile.services.flatMap(\.characteristics).map(\.name))
        let behaviour = try #require(run.options.plugin.behaviour)
        run.options.selection.tags = tags
        run.options.run.timeout = timeout
        run.options.twin = DevicePlugin(
            profile, behaviour: BadBehaviour(base: behaviour, misconduct: misconduct, names: names))
        let job = try run.job()
        var cases: [CaseResult] = []
        _ = try job.run(hands: NoUpperTester("a test")) { cases.append($0) }
        return (job, cases)
    }

    @Test(arguments: Misconduct.allCases) func everyCaseHasAVerdict(_ misconduct: Misconduct) throws {
        let (job, cases) = try run(misconduct)
        #expect(cases.map(\.id) == job.cases.map(\.id))
        #expect(cases.contains { $0.verdict == .fail })
        // Cases that need no value pass as with a conforming device.
        #expect(cases.contains { $0.id == "table.services" && $0.verdict == .pass })
        #expect(cases.allSatisfy { $0.seconds < 3600 })
    }

    @Test func timeoutEndsACaseWhileTheDeviceIsSilent() throws {
        let cases = try run(.hangs, tags: ["read"], timeout: .seconds(5)).cases
        #expect(cases.contains { $0.verdict == .inconclusive("the case took too long") })
        #expect(cases.allSatisfy { $0.seconds <= 5 }, "\(cases.map(\.seconds))")
    }

    /// A missing response ends the case after the 30 s of Vol 3, Part F, 3.3.3.
    @Test func silenceFailsAfterTheTransactionTimeout() throws {
        let cases = try run(.hangs, tags: ["counter_info"]).cases
        let read = try #require(cases.first { $0.id == "read.counter_info" })
        #expect(read.verdict == .fail)
        #expect(read.findings.first?.observed == "no response within 30 s")
        #expect((30..<32).contains(read.seconds))
    }
}
