package import ATT
package import Conversation
package import PluginKit

/// A rule of the Bluetooth specification that holds for any device. An instance judges one connection, one advertiser or
/// one capture, as `scope` says; it keeps no more than it needs, and knows no files and no clock.
package protocol CoreRule: Sendable {
    static var info: RuleInfo { get }
    static var scope: CoreScope { get }
    static var basis: RuleBasis { get }
    /// What it wants to see, and nothing else comes to it.
    static var interests: [TrafficInterest] { get }
    init()
    mutating func see(_ event: borrowing TrafficEvent, _ report: inout CoreRuleReport)
    /// The connection ended some time ago, or the capture does: settles what is still open.
    mutating func finish(_ link: ConnectionState, _ end: CaptureEnd, _ report: inout CoreRuleReport)
}

extension CoreRule {
    package static var scope: CoreScope { .connection }
    package mutating func finish(_ link: ConnectionState, _ end: CaptureEnd, _ report: inout CoreRuleReport) {}
}

/// The traffic that a finding of a core rule rests on. Where a part of it is missing, the finding is inconclusive.
package enum RuleBasis: Sendable {
    /// PDUs that were captured: no other one could excuse them.
    case pdu
    /// PDUs that were captured, and who sent them: a sender that was inferred is certain while nothing is missing.
    case sender
    /// A response with its request: nothing may be missing in between.
    case response
    /// A PDU with those before it: nothing may be missing in between, and its direction must be known.
    case exchange
    /// All PDUs since the connection began.
    case connection
}

/// What one instance of a core rule judges.
package enum CoreScope: Sendable {
    case connection
    /// All advertisements of one address.
    case advertiser
    /// The capture: commands and events between a host and its controller.
    case capture
}

/// Events that a core rule wants to see.
package enum TrafficInterest: Hashable, Sendable {
    /// ATT PDUs of an opcode.
    case att(ATT.Opcode)
    case allATT
    case smp
    case signals
    /// PDUs of other L2CAP channels.
    case channels
    case commands
    case events
    case control
    case advertising
    /// Openings, closings and gaps of connections, their parameters and encryption.
    case link
}

/// Takes down what a core rule says.
package struct CoreRuleReport {
    package private(set) var passes = 0
    package private(set) var undecided: [String] = []
    package private(set) var findings: [Finding] = []
    package private(set) var moment = FrameReference(frame: 0, time: 0)
    private var payload: ArraySlice<UInt8> = []

    /// Bytes of a PDU that a finding keeps.
    private static let byteLimit = 512

    init() {}

    /// Whether nothing was said.
    var isEmpty: Bool { passes == 0 && findings.isEmpty && undecided.isEmpty }

    mutating func turn(to moment: FrameReference, _ payload: ArraySlice<UInt8>) {
        self.moment = moment
        self.payload = payload
    }

    mutating func clear() {
        passes = 0
        if !undecided.isEmpty { undecided.removeAll() }
        if !findings.isEmpty { findings.removeAll() }
    }
}

extension CoreRuleReport {
    /// The rule was obeyed.
    package mutating func pass() { passes += 1 }

    /// The rule was broken: by the event, or where `moments` say. Without `bytes`, they are the event's PDU.
    package mutating func fail(
        expected: String, observed: String, at moments: [FrameReference] = [], bytes: [UInt8]? = nil
    ) {
        findings.append(
            Finding(
                moments: moments.isEmpty ? [moment] : moments, bytes: bytes ?? Array(payload.prefix(Self.byteLimit)),
                expected: expected, observed: observed))
    }

    /// It cannot be told whether the rule was obeyed, for this reason.
    package mutating func inconclusive(_ reason: String) { undecided.append(reason) }
}
