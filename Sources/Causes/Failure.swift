package import Bluetooth
package import PluginKit

/// Something that did not end well: a connection, a pairing, a discovery, a subscription or another procedure.
package struct Failure: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// A connection that was wanted and did not come about, or a device that was sought and not found.
        case notConnected = "not_connected"
        /// A connection that ended although something was left to do, or for a reason that is a fault.
        case disconnected
        /// Pairing failed, or was not completed.
        case pairingFailed = "pairing_failed"
        /// Encryption was not started, or was lost.
        case encryptionFailed = "encryption_failed"
        /// A discovery ended without what it looked for.
        case discoveryFailed = "discovery_failed"
        /// A subscription delivers nothing.
        case subscriptionFailed = "subscription_failed"
        /// A request was refused, was not answered, or was not what the other side expects.
        case procedureFailed = "procedure_failed"
        /// A value arrived incomplete.
        case valueTruncated = "value_truncated"
        /// Data waited and was not sent.
        case dataStalled = "data_stalled"
        /// The controller refused a command of its host.
        case commandFailed = "command_failed"

        /// In words: `pairing failed`.
        package var words: String {
            switch self {
            case .valueTruncated: "value was cut"
            case .dataStalled: "data stalled"
            default: String(rawValue.map { $0 == "_" ? " " : $0 })
            }
        }
    }

    /// What the failing procedure said about itself.
    package enum Detail: Sendable {
        case none
        /// The connection ended, for the controller's reason (Vol 1, Part F); nil where no reason was captured.
        case reason(HCI.ErrorCode?)
        /// A command, a connection attempt or the start of encryption ended with a status (Vol 1, Part F).
        case status(HCI.ErrorCode, command: HCI.Opcode?)
        /// Pairing Failed, with its reason (Vol 3, Part H, 3.5.5).
        case pairing(SMP.FailureReason)
        /// An ATT request was refused (Vol 3, Part F, 3.4.1.1).
        case error(ATT.ErrorCode, request: ATT.Opcode, handle: Handle)
        /// An ATT request was not answered.
        case unanswered(ATT.Opcode, handle: Handle)
        /// About the attribute at a handle.
        case attribute(Handle)
        /// A device by its address.
        case device(DeviceAddress)
    }

    package var kind: Kind
    /// The frames of the failure, in order: the request and its error, the last frame before a loss and the
    /// disconnection. Never empty; the last one shows the failure.
    package var frames: [FrameReference]
    package var detail: Detail
    /// Whether no PDU shows that something failed, but only that something did not happen: where the session has another
    /// failure, it follows from that one.
    package var isPresumed: Bool

    package init(_ kind: Kind, _ frames: [FrameReference], _ detail: Detail = .none, isPresumed: Bool = false) {
        self.kind = kind
        self.frames = frames
        self.detail = detail
        self.isPresumed = isPresumed
    }
}
