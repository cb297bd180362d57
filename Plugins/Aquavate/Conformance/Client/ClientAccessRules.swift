import Bluetooth
import PluginKit
import Profile

/// The client's use of attributes (sections 3 and 11.2).
struct ClientAccessRules: Rule {
    private let pucks: PuckTracker
    private let isShipped: Bool
    private var hasPaired = false
    /// Whether the puck has sent a Security Request.
    private var isSecurityWanted = false
    /// Whether the client has requested an MTU exchange.
    private var isMTUWanted = false

    init(_ dialect: Dialect, _ pucks: PuckTracker) {
        self.pucks = pucks
        isShipped = dialect == .shipped
    }

    var rules: [RuleIndex] { [.aq201, .aq202, .aq205, .aq239, .aq240] + (isShipped ? [.aq204] : []) }
    var interests: Set<RuleInterest> {
        [
            .link, .requests, .subscriptions, .values(of: .command), .values(of: .syncControl),
            .values(of: .drinkHistory),
        ]
    }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if let request = event.request {
            if request.opcode == .exchangeMTURequest { isMTUWanted = true }
            return check(request, &report)
        }
        if event.value != nil {
            guard let puck = pucks[event] else { return }
            if isShipped, let command = event.sentCommand { check(command, event, puck, &report) }
            if event.sentRequest?.isStart == true { checkMTU(event, puck, &report) }
            if case .history = event.puckValue { checkMTU(event, puck, &report) }
            return
        }
        if event.response != nil { return }
        switch event.content {
        case .closed: if !hasPaired { report.pass(.aq240) }
        case .security(let step):
            if step.isFromDevice, step.kind == .securityRequest { isSecurityWanted = true }
            guard !step.isFromDevice, step.kind == .pairingRequest else { return }
            hasPaired = true
            if isSecurityWanted { return report.inconclusive(.aq240, "the puck has asked for security") }
            report.fail(.aq240, expected: "no pairing", observed: "a Pairing Request")
        case .configuration(let access) where access.operation == .write: check(access, &report)
        default: return
        }
    }

    /// AQ-201, AQ-205
    private func check(_ request: AttributeRequest, _ report: inout RuleReport) {
        let isCommand = request.opcode.isCommand
        if request.characteristic != nil {
            if isCommand {
                report.fail(.aq205, expected: "a Write Request", observed: "a Write Command")
            } else if request.opcode == .writeRequest {
                report.pass(.aq205)
            }
        }
        guard request.opcode.hasHandle else { return }
        switch request.isKnown {
        case true?: report.pass(.aq201)
        case false?:
            report.fail(
                .aq201, expected: "discovery of handle \(request.handle) before", observed: "none in this connection",
                isOmission: true)
        case nil: report.inconclusive(.aq201, "the client may know the table from before")
        }
    }

    /// AQ-202
    private func check(_ access: ConfigurationAccess, _ report: inout RuleReport) {
        let bytes = access.bytes
        if bytes.count == 2, let bits = bytes.u16(0), bits <= 1 { return report.pass(.aq202) }
        report.fail(
            .aq202, expected: "0x0000 or 0x0001", observed: "0x" + String(bytes.u16(0) ?? 0, radix: 16))
    }

    /// AQ-204
    private func check(_ command: PuckCommand, _ event: Event, _ puck: PuckState, _ report: inout RuleReport) {
        let needed: CharacteristicIndex
        switch command.kind {
        case .calMeasurePoint?, .calSetData?, .deleteDrink?: needed = .currentState
        case .getActivitySummary?, .getMotionChunk?, .getBackpackChunk?: needed = .activityStats
        case .startCalibration?: needed = .calibrationState
        default: return
        }
        switch event.isSubscribed(to: needed) {
        case true?: report.pass(.aq204)
        case false?:
            report.fail(.aq204, expected: "a subscription to \(needed.name) before", observed: "none", isOmission: true)
        case nil: report.inconclusive(.aq204, "whether the client has subscribed was not captured")
        }
    }

    /// AQ-239
    private func checkMTU(_ event: Event, _ puck: PuckState, _ report: inout RuleReport) {
        if let mtu = event.connection.clientMTU {
            if mtu >= 185 { return report.pass(.aq239) }
            return report.fail(.aq239, expected: "an MTU of 185 or more", observed: "\(mtu)")
        }
        if isMTUWanted { return report.inconclusive(.aq239, "the puck has not told its MTU") }
        guard event.connection.isComplete else {
            return report.inconclusive(.aq239, "whether the MTU was exchanged was not captured")
        }
        report.fail(.aq239, expected: "an exchange of the MTU before", observed: "none", isOmission: true)
    }
}

/// The client's connection attempts after a lost connection (section 11.2).
struct ClientReconnectionRule: Rule {
    /// The last two openings at most. All but the first follow the loss of a connection with the same client.
    private var openings: [FrameReference] = []
    /// Whether the last connection was lost.
    private var wasLost = false
    /// The client of the last connection.
    private var client: Int?

    var rules: [RuleIndex] { [.aq236] }
    var scope: RuleScope { .device }
    var interests: Set<RuleInterest> { [] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        switch event.content {
        case .opened: check(event, &report)
        case .closed(let closing): wasLost = closing.isLoss
        default: return
        }
    }

    /// AQ-236: a pending connection request of the client's host connects as soon as the puck advertises again, which
    /// is not an attempt of the application. That happens once: a third connection within a second is an attempt.
    private mutating func check(_ event: Event, _ report: inout RuleReport) {
        let moment = event.moment
        if !wasLost || event.connection.client != client { openings = [] }
        client = event.connection.client
        defer { openings = openings.suffix(1) + [moment] }
        guard let last = openings.last else { return }
        if moment.seconds(since: last) >= 1 { return report.pass(.aq236) }
        guard openings.count == 2, moment.seconds(since: openings[0]) < 1 else {
            return report.inconclusive(.aq236, "a standing request of the client's host may have connected")
        }
        report.fail(
            .aq236, expected: "one connection attempt a second",
            observed: "three within \(moment.seconds(since: openings[0]).secondsText)",
            at: openings + [moment], bytes: [])
    }
}
