import Conformance
import DeviceTesting
import PDUTestKit
import PluginKit
import TestKit
import Testing
import Transports
import Workbench

/// `test peripheral` against a device on Bumble, with and without an injected fault: bumble_thermostat.py.
@Suite(.serialized, .enabled(if: Bumble.python != nil, "\(Bumble.isMissing)"))
struct BumbleFaultTests {
    @Test func deviceWithoutFaultPasses() async throws {
        let run = try await ThermostatRun("none")
        #expect(run.failed == [:])
        #expect(run.report.outcome(isStrict: true) == .obeyed)
        #expect(run.passed > 45)
    }

    /// An injected fault, and the cases and rules that detect it.
    struct Fault: Sendable, CustomTestStringConvertible {
        /// The fault's name in bumble_thermostat.py.
        var name: String
        /// Cases that fail by their expectations or by rules; no others may fail.
        var cases: Set<String>
        /// The rules that fail.
        var rules: Set<String> = []

        var testDescription: String { name }
    }

    private static let mtus = [23, 65, 185, 247, 517].map { "mtu.\($0)" }
    /// Cases that read the serial number.
    private static let serialReads = Set(
        ["read.serial", "read.serial.blob", "read.serial.by_type", "write.serial", "security.open"] + mtus)

    private static let faults = [
        Fault(name: "property", cases: ["table.properties", "read.measurement"]),
        Fault(name: "length", cases: serialReads, rules: ["THERMOSTAT-SERIAL-VALUE"]),
        Fault(name: "error-code", cases: ["read.measurement", "read.alarm", "read.command", "read.control"]),
        // In the encrypted connections of other cases, a bond may have kept the subscription.
        Fault(name: "unsubscribed", cases: ["security.open"], rules: ["CORE-GATT-01"]),
        Fault(name: "kept-configuration", cases: ["cccd.measurement", "cccd.alarm", "cccd.control"]),
        Fault(name: "mtu", cases: ["mtu.23"], rules: ["CORE-ATT-12"]),
        Fault(
            name: "blob-offset",
            cases: ["read.manual", "read.manual.blob", "read.manual.by_type", "write.manual", "security.open"],
            rules: ["THERMOSTAT-MANUAL-VALUE"]),
        Fault(name: "cancelled-write", cases: ["write.target.cancelled", "write.offset.cancelled"]),
        Fault(
            name: "echo",
            cases: Set(
                ["target", "command", "offset", "control"].flatMap { name in
                    ["cancelled", "queued", "too_long"].map { "write.\(name).\($0)" }
                }), rules: ["CORE-ATT-23"]),
        Fault(name: "indication", cases: ["cccd.alarm", "cccd.alarm.wrong"], rules: ["CORE-ATT-03"]),
    ]

    @Test(arguments: faults)
    func plantedFaultIsFound(_ fault: Fault) async throws {
        let run = try await ThermostatRun(fault.name)
        #expect(Set(run.failed.keys) == fault.cases)
        #expect(run.failed.values.reduce(into: Set()) { $0.formUnion($1) } == fault.rules)
        #expect(run.report.outcome(isStrict: false) == .broken)
    }

    /// Faults for which these cases must be among the failing ones.
    private static let furtherFaults = [
        Fault(name: "open-read", cases: ["security.offset"]),
        Fault(name: "open-write", cases: ["security.offset"]),
        Fault(name: "silent-reply", cases: ["reply.T-01", "reply.T-02"]),
        Fault(name: "slow-reply", cases: ["reply.T-01", "reply.T-02"]),
        Fault(name: "wrong-reply", cases: ["reply.T-01", "reply.T-02"]),
        Fault(name: "forgotten-target", cases: ["write.target.kept"]),
        Fault(name: "ignored-target", cases: ["write.target.kept"]),
        Fault(name: "duplicate-handle", cases: ["table.discovery"]),
        Fault(name: "missing-characteristic", cases: ["table.characteristics"]),
        Fault(name: "missing-configuration", cases: ["table.descriptors"]),
        Fault(name: "written-serial", cases: ["write.serial"]),
        Fault(name: "unknown-request", cases: ["request.unknown"]),
        Fault(name: "disconnecting", cases: ["write.target.length"]),
        Fault(name: "range", cases: ["cccd.measurement"], rules: ["T-03"]),
        Fault(name: "alarm-length", cases: ["cccd.alarm"]),
    ]

    /// Together with `faults`, these are 25.
    @Test(arguments: furtherFaults)
    func furtherFaultIsFound(_ fault: Fault) async throws {
        let run = try await ThermostatRun(fault.name)
        let failed = run.failed
        #expect(fault.cases.isSubset(of: failed.keys), "\(failed)")
        #expect(fault.rules.isSubset(of: failed.values.joined()), "\(failed)")
        // A fault in one attribute does not affect cases about others.
        #expect(failed.count < 20, "\(failed)")
    }

    /// The specification leaves the order of services to the server, so another order is a warning.
    @Test func otherOrderIsAWarning() async throws {
        let run = try await ThermostatRun("order", cases: ["table.*"])
        #expect(run.failed == [:])
        #expect(run.cases.filter { $0.verdict == .warning }.map(\.id) == ["table.order"])
        #expect(run.report.outcome(isStrict: true) == .broken)
    }

    /// Defects of Bumble 0.0.236's own server, which the thermostat corrects.
    @Test func bumblesOwnServerFails() async throws {
        let run = try await ThermostatRun(
            "stock", cases: ["read.measurement", "write.measurement", "request.cut_short", "request.handles"])
        #expect(
            Set(run.failed.keys) == [
                // It does not check whether a value is readable or writable (Vol 3, Part F, 3.2.5).
                "read.measurement", "write.measurement",
                // A request that it cannot parse gets no response instead of Invalid PDU (Vol 3, Part F, 3.4.1.1).
                "request.cut_short",
            ])
    }
}

/// The cases derived from bumble_thermostat.yaml, run against bumble_thermostat.py over a radio in this process.
private struct ThermostatRun {
    let cases: [CaseResult]
    let report: CheckReport

    /// - Parameter cases: Patterns; the default leaves out many connections and the random case.
    init(
        _ fault: String,
        cases: [String] = [
            "table.*", "read.*", "write.*", "value.*", "cccd.*", "security.*", "reply.*", "mtu.*", "request.*",
        ]
    ) async throws {
        let profile = Repository.path("Tests/InteropTests/bumble_thermostat.yaml")
        let library = try PluginLibrary.load([profile], environment: [:])
        let radio = try RunningRadio(isImmediate: true)
        let device = try Bumble.start("bumble_thermostat.py", [radio.clients[0], fault])
        var options = PeripheralTestOptions(
            plugin: try #require(library["thermostat"]?.plugin), transport: try TransportSpec(radio.clients[1]))
        options.selection.ids = cases
        var results: [CaseResult] = []
        let job = try PeripheralTestJob(options, library) { false }
        report = try job.run(hands: NoUpperTester("a test")) { results.append($0) }.report
        self.cases = results
        device.stop()
        let output = device.finish().output
        #expect(output.isEmpty, "\(output)")
        try await radio.end()
    }

    var passed: Int { cases.count { $0.verdict == .pass } }

    /// The failing cases, each with the rules that its traffic breaks.
    var failed: [String: [String]] {
        Dictionary(uniqueKeysWithValues: cases.filter { $0.verdict == .fail }.map { ($0.id, $0.brokenRules) })
    }
}
