public import Bluetooth
import Profile

extension Event {
    public enum Content {
        // Connections.

        /// A connection opened, or the capture begins within it.
        case opened
        case parameters(ConnectionParameters)
        case closed(ConnectionClosing)
        /// A part of the connection was not captured or cannot be read: rules that depend on it are inconclusive.
        case gap(CaptureGap)
        case encryption(isOn: Bool)

        // PDUs, handled by rules of the specification.

        case att(ATTTraffic)
        case smp(SMP.Opcode)
        /// A frame of the signaling channel, with one command on LE.
        case signal
        /// A PDU of another L2CAP channel.
        case channel(L2CAP.ChannelID)
        /// The channel of the enhanced ATT bearer with this number was closed.
        case bearerClosed(UInt8)
        case command(HCI.Opcode)
        /// The subevent of LE Meta events; nil for others.
        case event(HCI.EventCode, HCI.LESubevent?)
        case control(LL.ControlOpcode)
        indirect case advertised(Advertisement)

        // The server of a device, in the terms of its profile.

        /// A pairing step of the device or its client.
        case security(SecurityStep)
        /// Advertised data that the profile has a type for; once per advertising event.
        indirect case advertisedContent(AdvertisedContent)
        /// A read of the Device Name (Vol 3, Part C, 12.1).
        case deviceName([UInt8])
        /// Both sides have stated their MTU.
        case mtu(MTUExchange)
        case request(AttributeRequest)
        case response(AttributeResponse)
        /// The device's attributes as far as discovered, when discovery pauses or ends.
        indirect case table(AttributeTable)
        /// A read or write of a Client Characteristic Configuration.
        indirect case configuration(ConfigurationAccess)
        /// A write of a Client Characteristic Configuration was accepted: the configuration is now in force.
        case subscription(Subscription)
        /// A characteristic value was read, written, notified or indicated.
        case value(AttributeValue)
        /// A complete application message, assembled from several values.
        indirect case message(AssembledContent)

        var value: AttributeValue? { if case .value(let value) = self { value } else { nil } }
    }
}

/// An ATT PDU with its context in the conversation.
public struct ATTTraffic: Sendable {
    public let opcode: ATT.Opcode
    /// Nil for an unknown opcode.
    public let kind: ATT.PDUKind?
    /// The attribute that it concerns, for a response that of its request; 0 for none.
    public let handle: Handle
    /// The previous request of the same side was still unanswered.
    public let isOverlapping: Bool
    /// It answers a request that was not captured.
    public let isUnasked: Bool
    /// The bearer: 0 for the fixed channel, else the number of an enhanced one.
    public let bearer: UInt8

    package init(opcode: ATT.Opcode, handle: Handle, isOverlapping: Bool, isUnasked: Bool, bearer: UInt8) {
        self.opcode = opcode
        kind = ATT.Opcode.table.shape(of: opcode)?.kind
        self.handle = handle
        self.isOverlapping = isOverlapping
        self.isUnasked = isUnasked
        self.bearer = bearer
    }
}
