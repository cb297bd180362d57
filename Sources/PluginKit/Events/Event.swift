public import Bytes
public import Profile

/// An event of a device or its client, in capture order and in the terms of the profile.
///
/// Events are settled: rules handle a write once its outcome is known (`WriteOutcome`).
public final class Event {
    public let moment: FrameReference
    /// The state of the connection at the event; number 0 for an advertisement.
    public let connection: Connection
    /// Values written earlier on this connection, and the device's characteristics.
    public let context: DeviceContext
    public let content: Content
    /// The characteristic value that the event carries; nil for other events.
    public let value: AttributeValue?
    /// The value as a type of the plugin, created when a rule first asks for it.
    @usableFromInline
    var typed: AnyObject?
    @usableFromInline
    var isTyped = false

    public init(
        _ content: Content, at moment: FrameReference, on connection: Connection = Connection(),
        context: DeviceContext = DeviceContext()
    ) {
        self.content = content
        if case .value(let value) = content { self.value = value } else { value = nil }
        self.moment = moment
        self.connection = connection
        self.context = context
    }

    /// The value as a type of the plugin, created once for all rules; nil for events without a value and for bytes that
    /// do not match their type.
    @inlinable
    public func typedValue<Value: TypedValue>(as type: Value.Type = Value.self) -> Value? {
        if !isTyped {
            isTyped = true
            typed = value.flatMap { Value($0) }
        }
        return typed as? Value
    }

    /// The latest time at which a pending PDU can have been received: after the loss of a connection nothing is
    /// received, and the controller reports the loss one supervision timeout later.
    public var heard: Timestamp {
        if case .closed(let closing) = content { moment.time - closing.silence } else { moment.time }
    }

    /// Whether this is a write, of a value or of a configuration, that the server refused.
    public var isRefusedWrite: Bool {
        if let value { return value.isRefused }
        return if case .configuration(let access) = content { access.outcome?.isRefused ?? false } else { false }
    }

    public enum Content {
        /// A connection of the device opened, or the capture begins within it.
        case opened(ConnectionOpening)
        case parameters(ConnectionParameters)
        case closed(ConnectionClosing)
        /// A part of the connection was not captured or cannot be read: rules that depend on it are inconclusive.
        case gap(CaptureGap)
        case encryption(isOn: Bool)
        case security(SecurityStep)
        indirect case advertised(Advertisement)
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
    }
}

/// A characteristic value as a type of the plugin: a final class, so that all rules share one instance.
public protocol TypedValue: AnyObject {
    /// Nil for bytes that do not match their type.
    init?(_ value: AttributeValue)
}
