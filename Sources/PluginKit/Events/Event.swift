public import Bytes
package import Captures
public import Profile

/// An event of a capture: a PDU, a change of a connection, or what a PDU means for an attribute that a profile
/// describes.
///
/// Events come in capture order and are settled: rules handle a write once its outcome is known (`WriteOutcome`). One
/// instance serves many events: a rule reads it while it handles the event, and keeps no reference.
public final class Event {
    public private(set) var moment: FrameReference
    /// The connection, as of the event; number 0 for events outside connections, such as advertisements.
    public private(set) var connection: Connection
    public private(set) var content: Content
    /// Index of the kind of content among the lists of an `InterestIndex`.
    private(set) var kind: Int
    /// The characteristic value that the event carries; nil for other events.
    public private(set) var value: AttributeValue?
    /// Values written earlier on this connection, and the device's characteristics.
    public private(set) var context: DeviceContext
    /// The client's subscriptions before the event; nil for events without a device.
    package private(set) var subscriptions: Subscriptions?
    /// The direction of the frame: from the host of the capture or the central (`sent`), or from the other side.
    package private(set) var direction = Direction.unknown
    /// The PDU: from its opcode or code on for ATT, SMP and signaling; the parameters for HCI; from its opcode on for
    /// link layer control; the AD structures for advertisements.
    package private(set) var payload: ArraySlice<UInt8> = []
    /// Where the conversation finds more about the frame, for rules of the specification; nil for events of devices.
    package let source: AnyObject?
    /// The PDU, parsed when a rule first asks for it.
    var parsed: ParsedPDU?
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
        kind = content.kind
        self.moment = moment
        self.connection = connection
        self.context = context
        source = nil
        value = content.value
    }

    /// Creates the event that a reader uses for all events of a capture.
    package init(_ source: AnyObject, on connection: Connection) {
        content = .signal
        kind = Content.signal.kind
        moment = FrameReference(frame: 0, time: .epoch)
        self.connection = connection
        context = DeviceContext()
        self.source = source
    }

    /// Replaces an event of the capture by the next one.
    package func set(
        _ content: consuming Content, at moment: FrameReference, _ direction: Direction, on connection: Connection,
        _ payload: consuming ArraySlice<UInt8>
    ) {
        kind = content.kind
        self.content = content
        self.moment = moment
        self.moment.sender = connection.sender(of: direction)
        self.direction = direction
        if self.connection !== connection { self.connection = connection }
        self.payload = payload
        if parsed != nil { parsed = nil }
    }

    /// Forgets the batch of the last event.
    package func removePayload() { payload = [] }

    /// Replaces an event about a device by the next one.
    package func set(
        _ content: consuming Content, at moment: FrameReference, on connection: Connection, context: DeviceContext,
        _ subscriptions: Subscriptions? = nil
    ) {
        kind = content.kind
        value = content.value
        self.content = content
        self.moment = moment
        if self.subscriptions !== subscriptions { self.subscriptions = subscriptions }
        if self.connection !== connection { self.connection = connection }
        if self.context !== context { self.context = context }
        if isTyped { (typed, isTyped) = (nil, false) }
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
}

/// A characteristic value as a type of the plugin: a final class, so that all rules share one instance.
public protocol TypedValue: AnyObject {
    /// Nil for bytes that do not match their type.
    init?(_ value: AttributeValue)
}
