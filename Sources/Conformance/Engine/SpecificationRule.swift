import Bluetooth
package import PluginKit

/// A rule of the Bluetooth specification. It applies to any device, so it describes itself instead of being declared in
/// a profile, and it reports only about itself.
package protocol SpecificationRule: Rule, SendableMetatype {
    static var info: RuleInfo { get }
    static var basis: RuleBasis { get }
    init()
}

/// The traffic on which a finding of a rule of the specification is based. If a part of it is missing, the finding is
/// inconclusive.
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

extension Set<RuleInterest> {
    /// ATT PDUs of these kinds.
    static func att(_ kinds: ATT.PDUKind...) -> Self {
        Set(ATT.Opcode.table.rows.filter { kinds.contains($0.shape.kind) }.map { .att($0.opcode) })
    }

    /// ATT PDUs sent by clients.
    static var attFromClient: Self { att(.request, .command, .confirmation) }
    /// ATT PDUs sent by servers.
    static var attFromServer: Self { att(.response, .notification, .indication) }
}
