package import Bluetooth
package import Conversation
package import PluginKit

/// A rule of the Bluetooth specification that holds for any device. An instance checks one connection, one advertiser or
/// one capture, as `scope` says; it keeps no more than it needs, and knows no files and no clock.
///
/// It reports about itself alone, so it names no rule to the report.
package protocol CoreRule: AnyObject, SendableMetatype {
    static var info: RuleInfo { get }
    static var scope: CoreScope { get }
    static var basis: RuleBasis { get }
    /// What it wants to see, and nothing else comes to it.
    static var interests: [TrafficInterest] { get }
    init()
    func see(_ event: TrafficEvent, _ report: inout RuleReport)
    /// The connection ended some time ago, or the capture does: settles what is still open. Not called of a rule to which
    /// nothing came.
    func finish(_ link: ConnectionState, _ end: CaptureEnd, _ report: inout RuleReport)
}

extension CoreRule {
    package static var scope: CoreScope { .connection }
    package func finish(_ link: ConnectionState, _ end: CaptureEnd, _ report: inout RuleReport) {}
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

/// What one instance of a core rule checks.
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
    /// Enhanced ATT bearers that are closed.
    case bearers
    case commands
    case events
    case control
    case advertising
    /// Openings, closings and gaps of connections, their parameters and encryption.
    case link
}

extension [TrafficInterest] {
    /// ATT PDUs of these kinds.
    static func att(_ kinds: ATT.PDUKind...) -> Self {
        ATT.Opcode.table.rows.filter { kinds.contains($0.shape.kind) }.map { .att($0.opcode) }
    }

    /// All that a client sends.
    static var attFromClient: Self { att(.request, .command, .confirmation) }
    /// All that a server sends.
    static var attFromServer: Self { att(.response, .notification, .indication) }
}
