import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit
import Profile

struct CommandIsAllowed: SpecificationRule {
    static let info = RuleInfo(
        "CORE-HCI-01", "A host sends a command only when the controller takes one more.", role: .client,
        source: "Vol 4, Part E, 4.4", hint: "Wait for Num_HCI_Command_Packets above 0 in the next event.")
    static let basis = RuleBasis.pdu
    var scope: RuleScope { .capture }
    var interests: Set<RuleInterest> { [.commands, .events, .connections, .link] }

    /// Number of commands that each controller accepts, by adapter; known after its first event.
    private var allowed: [UInt16: Int] = [:]

    /// Needs no credit, and causes no event (Vol 4, Part E, 7.3.40).
    private static let hostNumberOfCompletedPackets = HCI.Opcode(rawValue: 0x0C35)

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        // Recorders count the dropped packets of all adapters together.
        if case .gap = event.content { return allowed.removeAll() }
        guard let adapter = event.frame.metadata.hci?.adapter else { return }
        switch event.content {
        case .command(let opcode):
            if opcode.isOfBTstack || opcode == Self.hostNumberOfCompletedPackets { return }
            guard let left = allowed[adapter] else { return }
            allowed[adapter] = max(0, left - 1)
            // A reset is the last resort if a controller does not respond.
            if opcode == .reset { return }
            report.expect(
                left > 0, expected: "an event that allows one more", observed: opcode.name ?? hex(opcode.rawValue))
        case .event(.commandComplete, _):
            guard let complete = try? HCI.CommandComplete(decoding: Array(event.payload)) else { return }
            allowed[adapter] = Int(complete.allowedCommands)
        case .event(.commandStatus, _):
            guard let status = try? HCI.CommandStatus(decoding: Array(event.payload)) else { return }
            allowed[adapter] = Int(status.allowedCommands)
        default: break
        }
    }
}

struct DisconnectHasReason: SpecificationRule {
    static let info = RuleInfo(
        "CORE-HCI-02", "A host disconnects for one of the reasons that Disconnect knows.", role: .client,
        source: "Vol 4, Part E, 7.1.6", hint: "0x13, Remote User Terminated Connection, is the usual one.")
    static let basis = RuleBasis.pdu
    var scope: RuleScope { .capture }
    var interests: Set<RuleInterest> { [.commands] }

    private static let reasons: [UInt8] = [0x05, 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B]

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .command(.disconnect) = event.content,
            let command = try? HCI.Disconnect(decoding: Array(event.payload))
        else { return }
        report.expect(
            Self.reasons.contains(command.reason.rawValue), expected: "0x05, 0x13 to 0x15, 0x1a, 0x29 or 0x3b",
            observed: hex(command.reason.rawValue))
    }
}

struct ScanWindowFitsInterval: SpecificationRule {
    static let info = RuleInfo(
        "CORE-HCI-03", "Scan interval and window are 0x0004 to 0x4000, and the window is no longer than the interval.",
        role: .client, source: "Vol 4, Part E, 7.8.10 and 7.8.12", hint: "In 0.625 ms: 2.5 ms to 10.24 s.")
    static let basis = RuleBasis.pdu
    var scope: RuleScope { .capture }
    var interests: Set<RuleInterest> { [.commands] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        let times: (interval: UInt16, window: UInt16)
        switch event.content {
        case .command(.leSetScanParameters):
            guard let command = try? HCI.LESetScanParameters(decoding: Array(event.payload)) else { return }
            times = (command.interval, command.window)
        case .command(.leCreateConnection):
            guard let command = try? HCI.LECreateConnection(decoding: Array(event.payload)) else { return }
            times = (command.scanInterval, command.scanWindow)
        default: return
        }
        report.expect(
            (0x0004...0x4000).contains(times.interval) && (0x0004...times.interval).contains(times.window),
            expected: "0x0004 <= window <= interval <= 0x4000",
            observed: "window \(hex(times.window)), interval \(hex(times.interval))")
    }
}

struct AdvertisingIntervalIsLegal: SpecificationRule {
    static let info = RuleInfo(
        "CORE-HCI-04", "Advertising intervals are 0x0020 to 0x4000, the shortest first.", role: .peripheral,
        source: "Vol 4, Part E, 7.8.5", hint: "In 0.625 ms: 20 ms to 10.24 s.")
    static let basis = RuleBasis.pdu
    var scope: RuleScope { .capture }
    var interests: Set<RuleInterest> { [.commands] }

    /// ADV_DIRECT_IND with high duty cycle has no interval.
    private static let highDutyCycle: UInt8 = 1

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .command(.leSetAdvertisingParameters) = event.content,
            let command = try? HCI.LESetAdvertisingParameters(decoding: Array(event.payload)),
            command.type != Self.highDutyCycle
        else { return }
        let isFine = 0x0020 <= command.intervalMin && command.intervalMin <= command.intervalMax
        report.expect(
            isFine && command.intervalMax <= 0x4000, expected: "0x0020 <= shortest <= longest <= 0x4000",
            observed: "\(hex(command.intervalMin)) to \(hex(command.intervalMax))")
    }
}

struct ConnectionTimingIsLegal: SpecificationRule {
    static let info = RuleInfo(
        "CORE-HCI-05", "LE Create Connection and LE Connection Update ask for legal parameters.", role: .client,
        source: "Vol 4, Part E, 7.8.12 and 7.8.18",
        hint: "Interval 6 to 3200, latency to 499, timeout 10 to 3200 and above (1 + latency) x interval x 2.")
    static let basis = RuleBasis.pdu
    var scope: RuleScope { .capture }
    var interests: Set<RuleInterest> { [.commands] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        let timing: HCI.ConnectionTiming?
        switch event.content {
        case .command(.leCreateConnection):
            timing = (try? HCI.LECreateConnection(decoding: Array(event.payload)))?.timing
        case .command(.leConnectionUpdate):
            timing = (try? HCI.LEConnectionUpdate(decoding: Array(event.payload)))?.timing
        default: return
        }
        guard let timing else { return }
        let parameters = ConnectionParameters(
            interval: timing.intervalMax, latency: timing.maxLatency, timeout: timing.supervisionTimeout)
        report.expect(
            timing.intervalMin >= 6 && timing.intervalMin <= timing.intervalMax && parameters.isInRange
                && parameters.isTimeoutLongEnough, expected: "legal parameters",
            observed: "shortest interval \(timing.intervalMin), \(parameters.text)")
    }
}
