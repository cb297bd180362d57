public import Bytes
public import Profile

/// An event of a device or its client, in the order of the capture and in the terms of the profile.
public struct RuleEvent {
    public let moment: FrameReference
    /// What is known of the connection; of an advertisement, nothing.
    public let link: LinkState
    /// What was written before on this connection, and which characteristics the device has.
    public let context: DeviceContext
    public let content: Content
    /// The value of a characteristic that it tells; nil for other events. Of most events it is all there is to know.
    public let value: AttributeValue?

    public init(
        _ content: Content, at moment: FrameReference, link: LinkState = LinkState(),
        context: DeviceContext = DeviceContext()
    ) {
        self.content = content
        if case .value(let value) = content { self.value = value } else { value = nil }
        self.moment = moment
        self.link = link
        self.context = context
    }

    /// Until when what is due can have come: what is sent after the loss of a connection is not heard, which the
    /// controller reports a supervision timeout later.
    public var heard: Timestamp {
        if case .closed(let closing) = content { moment.time - closing.silence } else { moment.time }
    }

    /// Whether it is a write, of a value or of a configuration, that the server has refused.
    public var isRefusedWrite: Bool {
        if let value { return value.isRefused }
        return if case .configuration(let access) = content { access.outcome?.isRefused ?? false } else { false }
    }

    public enum Content {
        /// A connection of the device begins, or the capture begins amid it.
        case opened(ConnectionOpening)
        case parameters(ConnectionParameters)
        case closed(ConnectionClosing)
        /// Something of the connection was not captured or cannot be read: what depends on it cannot be decided.
        case gap(CaptureGap)
        case encryption(isOn: Bool)
        case security(SecurityStep)
        indirect case advertised(Advertisement)
        /// An advertisement has data of a type of the profile; once for each advertising event.
        indirect case advertisedContent(AdvertisedContent)
        /// The Device Name is read (Vol 3, Part C, 12.1).
        case deviceName([UInt8])
        /// Both sides have told their MTU.
        case mtu(MTUExchange)
        case request(AttributeRequest)
        case response(AttributeResponse)
        /// What discovery has told of the device's attributes, when it pauses or ends.
        indirect case table(AttributeTable)
        /// A Client Characteristic Configuration is written or read.
        indirect case configuration(ConfigurationAccess)
        /// A write of a Client Characteristic Configuration was accepted: from now on it holds.
        case subscription(Subscription)
        /// The value of a characteristic is read, written or told.
        case value(AttributeValue)
        /// A message of the application is complete, in several values.
        indirect case message(AssembledContent)
    }
}

/// What is known of a connection at the moment of an event.
public struct LinkState: Hashable, Sendable {
    /// Whether its beginning was captured.
    public var isBeginningCaptured = true
    /// Whether nothing of it is known to be missing so far, its beginning aside.
    public var isGapless = true
    public var isEncrypted = false
    /// Whether a host has its controller encrypt the connection, and no event has told yet that it is done.
    public var isStartingEncryption = false
    /// ATT_MTU in bytes: that of the bearer that the event came on.
    public var mtu = 23
    /// Whether both sides have told their MTU.
    public var isMTUExchanged = false

    public init() {}

    /// Whether what has come may have been sent on the encrypted connection: events and data have endpoints of their own on
    /// USB, either may come first (Vol 4, Part B, 2.1).
    public var mayBeEncrypted: Bool { isEncrypted || isStartingEncryption }

    /// Whether what did not come before can be taken for not done.
    public var isComplete: Bool { isBeginningCaptured && isGapless }
}
