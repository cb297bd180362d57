import Bytes
import Conformance
import DeviceTesting
import Output
import PDUTestKit
import PluginKit
import TestKit
import Testing
import Workbench

/// The situations of the dialect `prd`: the plugin's own client passes them, and clients with a fault do not.
@Suite struct PRDClientSuiteTests {
    private static func suite(
        _ change: (@Sendable (any DeviceClient) -> any DeviceClient)? = nil
    ) throws -> ClientSuite {
        var suite = try ClientSuite("aquavate", changing: change)
        suite.options.dialect = "prd"
        return suite
    }

    @Test func ownClientPasses() throws {
        let (cases, report) = try Self.suite().run()
        let failed = cases.filter { $0.verdict != .pass }
        #expect(failed.isEmpty, "\(failed.map { "\($0.id): \($0.brokenRules) \($0.findings.first?.contrast ?? "")" })")
        #expect(report.outcome(isStrict: false) == .obeyed)
        let tags = Set(cases.map { $0.id.prefix { $0 != "[" } })
        #expect(tags.isSuperset(of: ["prd.contact.first", "prd.sync.link_lost", "prd.reconnection.foreground"]))
    }

    @Test(arguments: PRDClientFault.allCases)
    func clientWithAFaultFails(_ fault: PRDClientFault) throws {
        let (cases, report) = try Self.suite { FaultyPRDClient(client: $0, fault: fault) }.run()
        let broken = Set(cases.flatMap(\.brokenRules)).union(cases.filter { $0.verdict == .fail }.map(\.id))
        #expect(report.outcome(isStrict: false) == .broken)
        #expect(broken.contains { $0.hasPrefix(fault.evidence) }, "\(fault): \(broken.sorted())")
    }

    /// Reads of Drink History are what the client has to store, and a number without fields acknowledges them.
    @Test func storedRecordsAreCompared() throws {
        let folder = try TemporaryFolder()
        var suite = try Self.suite()
        suite.options.selection.ids = ["prd.sync.all[records=20]"]
        suite.options.stored = try folder.file("none.csv", Array("record_id,timestamp\n".utf8))
        let missing = try #require(try suite.run().cases.last)
        #expect(missing.id == "stored" && missing.verdict == .fail)
        #expect(missing.findings.first?.contrast.contains("record_id 1, timestamp") == true)
    }
}

/// A fault in the client of a puck of the requirements.
enum PRDClientFault: String, CaseIterable, Sendable {
    /// It acknowledges records before it has stored them.
    case lateStorage
    /// It never reads the number of pending records.
    case noCount
    case noAcknowledgement
    /// It acknowledges records that it has not read.
    case acknowledgesAhead
    /// It does not look for the puck when it comes to the foreground.
    case noReconnection

    /// Prefix of the rule or situation that detects the fault.
    var evidence: String {
        switch self {
        case .lateStorage, .noCount, .noAcknowledgement: "prd.sync.all"
        case .acknowledgesAhead: "AQ-238"
        case .noReconnection: "prd.reconnection.foreground"
        }
    }
}

/// A client of a puck of the requirements with one fault in its behaviour.
private struct FaultyPRDClient: DeviceClient {
    var client: any DeviceClient
    let fault: PRDClientFault
    /// Events of stored records that it reports too late.
    private var late: [ClientAction] = []
    /// Whether it believes that all records are fetched.
    private var hasAcknowledged = false

    init(client: any DeviceClient, fault: PRDClientFault) {
        self.client = client
        self.fault = fault
    }

    var deadline: Timestamp? { client.deadline }

    mutating func handle(_ input: ClientInput, at now: Timestamp) -> [ClientAction] {
        if fault == .noReconnection, case .task(let task) = input, task.name == "foreground" { return [] }
        let actions = client.handle(input, at: now)
        switch fault {
        case .lateStorage: return storingLate(actions, after: input)
        case .noCount: return actions.flatMap { withoutCount($0, at: now) }
        case .noAcknowledgement: return actions.filter { !Self.acknowledges($0) }
        case .acknowledgesAhead: return actions.map(acknowledgingAhead)
        case .noReconnection: return actions
        }
    }

    private static func acknowledges(_ action: ClientAction) -> Bool {
        if case .write("sync_status", let bytes) = action { bytes.count == 4 } else { false }
    }

    private mutating func storingLate(_ actions: [ClientAction], after input: ClientInput) -> [ClientAction] {
        guard case .committed = input else { return actions }
        let stored = actions.filter {
            if case .event(let note) = $0 { note.name == "drink_received" } else { false }
        }
        defer { late = stored }
        return late + actions.filter { !stored.contains($0) }
    }

    /// Believes in 20 records until it has acknowledged some.
    private mutating func withoutCount(_ action: ClientAction, at now: Timestamp) -> [ClientAction] {
        if Self.acknowledges(action) { hasAcknowledged = true }
        guard action == .read("sync_status") else { return [action] }
        let count: [UInt8] = [hasAcknowledged ? 0 : 20, 0]
        return handle(.read("sync_status", .success(count)), at: now)
    }

    private func acknowledgingAhead(_ action: ClientAction) -> ClientAction {
        guard Self.acknowledges(action), case .write(let name, var bytes) = action else { return action }
        bytes[0] &+= 5
        return .write(name, bytes)
    }
}
