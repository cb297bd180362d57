import Bytes
import Conformance
import DeviceTesting
import Output
import PDUTestKit
import PluginKit
import TestKit
import Testing
import Transports
import Workbench

/// Runs a plugin's situations against a client.
struct ClientSuite {
    var options: ClientTestOptions
    let library: PluginLibrary

    /// - Parameter change: Replaces the plugin's own client.
    init(_ plugin: String, changing change: (@Sendable (any DeviceClient) -> any DeviceClient)? = nil) throws {
        library = try PluginLibrary.load([plugin], environment: [:])
        var tested = try #require(library[plugin]?.plugin)
        if let change, let behaviour = tested.behaviour {
            tested = DevicePlugin(tested.profile, behaviour: ChangedClient(own: behaviour, change: change))
        }
        options = ClientTestOptions(plugin: tested, transport: .radio)
    }

    func job(isInterrupted: @escaping () -> Bool = { false }) throws -> ClientTestJob {
        try ClientTestJob(options, library, isInterrupted: isInterrupted)
    }

    func run() throws -> (cases: [CaseResult], report: CheckReport) {
        var cases: [CaseResult] = []
        let report = try job().run(hands: NoUpperTester("a test")) { cases.append($0) }
        return (cases, report)
    }
}

/// A plugin's behaviour with another client.
private struct ChangedClient: PluginBehaviour {
    let own: any PluginBehaviour
    let change: @Sendable (any DeviceClient) -> any DeviceClient

    init(own: any PluginBehaviour, change: @escaping @Sendable (any DeviceClient) -> any DeviceClient) {
        self.own = own
        self.change = change
    }

    func makeRules(dialect: String?) -> [any Rule] { own.makeRules(dialect: dialect) }
    func makeTwin(_ settings: TwinSettings) throws(TwinFault) -> (any DeviceTwin)? { try own.makeTwin(settings) }
    func makeClient(_ settings: TwinSettings) -> (any DeviceClient)? { own.makeClient(settings).map(change) }
    var stimuli: [StimulusDefinition] { own.stimuli }
    var tasks: [StimulusDefinition] { own.tasks }
    var quirks: [QuirkDefinition] { own.quirks }
}

/// The plugins' own clients pass all situations; clients with a fault fail one or break a rule.
@Suite struct ClientSuiteTests {
    /// A run that could not compare the client's stored records does not pass.
    @Test func recordsThatCannotBeReadAreNotCompared() throws {
        var suite = try ClientSuite("aquavate")
        suite.options.selection.ids = ["sync.nothing"]
        suite.options.stored = "/no/such/drinks.csv"
        let report = try suite.run().report
        #expect(report.omissions.map(\.kind) == [.notCompared])
        #expect(report.outcome(isStrict: false) == .undecided)
    }

    @Test(arguments: ["aquavate", "lifecount", "batterytrace"])
    func ownClientPasses(_ plugin: String) throws {
        let (cases, report) = try ClientSuite(plugin).run()
        let failed = cases.filter { $0.verdict == .fail }
        #expect(failed.isEmpty, "\(failed.map { "\($0.id): \($0.brokenRules) \($0.findings.first?.contrast ?? "")" })")
        #expect(report.outcome(isStrict: false) == .obeyed)
        #expect(cases.contains { $0.verdict == .pass })
    }

    /// A check that only a person can make is skipped, and its question becomes the reason.
    @Test func whatAClientShowsIsAsked() throws {
        let (cases, _) = try ClientSuite("aquavate").run()
        let skipped = cases.filter { if case .notApplicable = $0.verdict { true } else { false } }
        #expect(skipped.map(\.id) == ["contact.boot_values", "contact.texts"])
        #expect(skipped.allSatisfy { $0.verdict.reason?.contains("nobody sees the client") == true })
    }

    /// The measured times are compared with the limits of plan 028.
    @Test func reconnectionIsMeasured() throws {
        var suite = try ClientSuite("aquavate")
        suite.options.selection.tags = ["plan028"]
        let (cases, _) = try suite.run()
        #expect(cases.count == 8)
        let measured = cases.flatMap(\.measurements)
        let foreground = try #require(
            measured.first { $0.text.hasPrefix("The app comes to the foreground: connected") })
        #expect(foreground.allowed == 5)
        #expect(try #require(foreground.measured) < 5)
        let background = try #require(measured.first { $0.text.contains("goes to the background") })
        #expect(try #require(background.measured) > 4.9)
    }

    @Test(arguments: ClientFault.Kind.allCases)
    func clientWithAFaultFails(_ kind: ClientFault.Kind) throws {
        let suite = try ClientSuite("aquavate") { FaultyClient(client: $0, kind: kind) }
        let (cases, report) = try suite.run()
        let broken = Set(cases.flatMap(\.brokenRules)).union(cases.filter { $0.verdict == .fail }.map(\.id))
        #expect(report.outcome(isStrict: false) == .broken)
        #expect(broken.contains { $0.hasPrefix(kind.evidence) }, "\(kind): \(broken.sorted())")
    }

    @Test func storedRecordsAreCompared() throws {
        let folder = try TemporaryFolder()
        var suite = try ClientSuite("aquavate")
        suite.options.selection.ids = ["sync.all[records=20]"]
        // The stored records are those that the twin's own client reports.
        let (_, clean) = try suite.run()
        #expect(clean.outcome(isStrict: false) == .obeyed)
        suite.options.stored = try folder.file("none.csv", Array("record_id,timestamp\n".utf8))
        let (empty, _) = try suite.run()
        let missing = try #require(empty.last)
        #expect(missing.id == "stored" && missing.verdict == .fail && missing.findings.count == 10)
        #expect(missing.findings[0].contrast.contains("record_id 1, timestamp"))
        suite.options.stored = try folder.file("other.csv", Array("id\n3\n".utf8))
        let (other, _) = try suite.run()
        #expect(
            other.last?.verdict == .inconclusive("\(suite.options.stored ?? "") has no column record_id, timestamp"))
    }
}

/// A fault in a puck's client.
enum ClientFault {
    enum Kind: String, CaseIterable, Sendable {
        case noTime, localTime, writeCommands, noAcknowledgement, doubleAcknowledgement, wrongCount, longChunks
        case activityBeyond
        case noSubscription, query, lateStorage, noReconnection, staysInBackground, changedScale, unknownOpcode

        /// Prefix of the rule or situation that detects the fault.
        var evidence: String {
            switch self {
            case .noTime: "contact.first"
            case .localTime: "AQ-210"
            case .writeCommands: "AQ-205"
            case .noAcknowledgement: "sync.all"
            case .doubleAcknowledgement: "AQ-214"
            case .wrongCount: "AQ-211"
            case .longChunks: "AQ-212"
            case .noSubscription: "AQ-203"
            case .query: "AQ-217"
            case .lateStorage: "sync.all"
            case .noReconnection: "reconnection.terminated"
            case .staysInBackground: "reconnection.background"
            case .changedScale: "AQ-222"
            case .unknownOpcode: "AQ-207"
            case .activityBeyond: "AQ-225"
            }
        }
    }
}

/// A client of a puck with one fault in its behaviour.
private struct FaultyClient: DeviceClient {
    var client: any DeviceClient
    let kind: ClientFault.Kind
    /// Actions that it performs too late.
    private var late: [ClientAction] = []

    init(client: any DeviceClient, kind: ClientFault.Kind) {
        self.client = client
        self.kind = kind
    }

    var deadline: Timestamp? { client.deadline }

    mutating func handle(_ input: ClientInput, at now: Timestamp) -> [ClientAction] {
        if case .task(let task) = input {
            if kind == .noReconnection, ["foreground", "launch"].contains(task.name) { return [] }
            if kind == .staysInBackground, task.name == "background" { return [] }
        }
        let actions = client.handle(input, at: now)
        if kind == .lateStorage {
            // The puck sends the next value after the acknowledgement.
            switch input {
            case .notified, .committed: break
            default: return actions
            }
            let notes = actions.filter {
                if case .event(let note) = $0 { note.name == "drink_received" } else { false }
            }
            defer { late = notes }
            return late + actions.filter { !notes.contains($0) }
        }
        return actions.flatMap(changed)
    }

    private func changed(_ action: ClientAction) -> [ClientAction] {
        guard case .write(let name, var bytes) = action else {
            if kind == .noSubscription, action == .subscribe("drink_data", true) { return [] }
            return [action]
        }
        // Sync Control: start index, count, command (0 query, 1 start, 2 ack), status, chunk size (section 4.3).
        let command = name == "sync_control" && bytes.count == 8 ? bytes[4] : nil
        switch kind {
        case .noTime where name == "command" && bytes[0] == 0x10: return []
        case .localTime where name == "command" && bytes[0] == 0x10: bytes[2] &+= 0x20
        case .unknownOpcode where name == "command": bytes[0] = 0x7E
        case .writeCommands: return [.writeCommand(name, bytes)]
        case .noAcknowledgement where command == 2: return []
        case .doubleAcknowledgement where command == 2: return [action, action]
        case .wrongCount where command == 1: bytes[2...3] = [0xFF, 0x7F]
        case .longChunks where command == 1: bytes[6] = 20
        case .activityBeyond where name == "command" && bytes[0] == 0x31: bytes[1] += 10
        case .query where command == 2: return [.write(name, [0, 0, 0, 0, 0, 0, 0, 0]), action]
        case .changedScale where name == "bottle_config": bytes[0] ^= 0x40
        default: break
        }
        return [.write(name, bytes)]
    }
}
