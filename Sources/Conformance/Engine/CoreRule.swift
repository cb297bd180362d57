package import Bluetooth
package import Conversation
package import PluginKit

/// A rule of the Bluetooth specification that applies to any device. An instance checks one connection, one advertiser
/// or one capture, depending on `scope`. It keeps as little state as possible, and uses neither files nor clocks.
///
/// A core rule reports only about itself, so it does not name a rule in the report.
package protocol CoreRule: AnyObject, SendableMetatype {
    static var info: RuleInfo { get }
    static var scope: CoreScope { get }
    static var basis: RuleBasis { get }
    /// The events that the rule handles.
    static var interests: [TrafficInterest] { get }
    init()
    func handle(_ event: TrafficEvent, _ report: inout RuleReport)
    /// Settles pending cases at the end of the connection or the capture. A lost connection ended one supervision
    /// timeout before the loss was reported. Not called for a rule that handled no event.
    func finish(_ link: ConnectionState, _ end: CaptureEnd, _ report: inout RuleReport)
}

extension CoreRule {
    package static var scope: CoreScope { .connection }
    package func finish(_ link: ConnectionState, _ end: CaptureEnd, _ report: inout RuleReport) {}
}

/// The traffic on which a finding of a core rule is based. If a part of it is missing, the finding is inconclusive.
package enum RuleBasis: Sendable {
    /// Captured PDUs alone: no missing PDU could excuse them.
    case pdu
    /// Captured PDUs and their senders: an inferred sender is certain while nothing is missing.
    case sender
    /// A response and its request: nothing in between may be missing.
    case response
    /// A PDU and earlier ones: nothing in between may be missing, and the direction of the PDU must be known.
    case exchange
    /// All PDUs since the connection began.
    case connection
}

/// The traffic that one instance of a core rule checks.
package enum CoreScope: Sendable {
    case connection
    /// All advertisements of one address.
    case advertiser
    /// The capture: commands and events between a host and its controller.
    case capture
}

/// Events that a core rule handles.
package enum TrafficInterest: Hashable, Sendable {
    /// ATT PDUs of an opcode.
    case att(ATT.Opcode)
    case allATT
    case smp
    case signals
    /// PDUs of other L2CAP channels.
    case channels
    /// Closings of enhanced ATT bearers.
    case bearers
    case commands
    case events
    case control
    case advertising
    /// Openings, closings and gaps of connections, their parameters and their encryption.
    case link
}

extension [TrafficInterest] {
    /// ATT PDUs of these kinds.
    static func att(_ kinds: ATT.PDUKind...) -> Self {
        ATT.Opcode.table.rows.filter { kinds.contains($0.shape.kind) }.map { .att($0.opcode) }
    }

    /// ATT PDUs sent by clients.
    static var attFromClient: Self { att(.request, .command, .confirmation) }
    /// ATT PDUs sent by servers.
    static var attFromServer: Self { att(.response, .notification, .indication) }
}
