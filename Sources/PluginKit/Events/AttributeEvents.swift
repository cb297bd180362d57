public import Bluetooth
public import Profile

/// A request or a command to the device's server.
public struct AttributeRequest: Hashable, Sendable {
    public var opcode: ATT.Opcode
    /// Handle of the attribute, or the first handle of a range; 0 for requests without a handle.
    public var handle: Handle
    /// Last handle of a range; nil for requests about one attribute.
    public var end: Handle?
    /// The characteristic whose value the attribute is; nil for other attributes.
    public var characteristic: CharacteristicIndex?
    /// Attribute type that discovery searches for.
    public var type: UUID?
    /// Number of bytes to write; nil for requests that write nothing.
    public var valueLength: Int?
    /// Whether the client may use the attribute: it discovered it on this connection, or on an earlier one whose table
    /// it may keep (Vol 3, Part G, 2.5.2). Nil if it may know the attribute from before the capture.
    public var isKnown: Bool?

    public init(_ opcode: ATT.Opcode, handle: Handle) {
        self.opcode = opcode
        self.handle = handle
    }
}

/// The response of the device's server to a request.
public struct AttributeResponse: Hashable, Sendable {
    public var request: AttributeRequest
    /// The frame of the request.
    public var requested: FrameReference
    /// ATT error (Vol 3, Part F, 3.4.1.1); nil for success.
    public var error: UInt8?
    /// Whether requests overlap, so that the request that this response answers is a guess.
    public var isAmbiguous = false

    public init(to request: AttributeRequest, at requested: FrameReference, error: UInt8?) {
        self.request = request
        self.requested = requested
        self.error = error
    }
}

/// The Rx MTUs of both sides; the smaller one becomes the ATT_MTU.
public struct MTUExchange: Hashable, Sendable {
    public var client: UInt16
    public var server: UInt16

    public init(client: UInt16, server: UInt16) {
        self.client = client
        self.server = server
    }
}

/// The device's attributes as discovered on this connection.
public struct AttributeTable: Sendable {
    public var services: [Service] = []
    /// Whether discovery searched all handles for primary services.
    public var hasAllServices = false

    public init() {}

    public struct Service: Hashable, Sendable {
        public var uuid: UUID
        public var start: Handle
        public var end: Handle
        public var characteristics: [Characteristic] = []
        /// Whether discovery searched all handles of the service for characteristics.
        public var hasAllCharacteristics = false
        /// The response that declared the service; nil if it was not captured.
        public var declared: FrameReference?

        public init(uuid: UUID, start: Handle, end: Handle) {
            self.uuid = uuid
            self.start = start
            self.end = end
        }
    }

    public struct Characteristic: Hashable, Sendable {
        public var uuid: UUID
        /// Name in the profile; nil for a characteristic that the profile does not declare.
        public var name: String?
        public var declaration: Handle
        public var value: Handle
        public var properties: GATT.Properties
        public var descriptors: [Descriptor] = []
        /// Whether discovery searched all handles between the value and the next declaration.
        public var hasAllDescriptors = false
        /// The response that declared the characteristic; nil if it was not captured.
        public var declared: FrameReference?

        public init(uuid: UUID, name: String?, declaration: Handle, value: Handle, properties: GATT.Properties) {
            self.uuid = uuid
            self.name = name
            self.declaration = declaration
            self.value = value
            self.properties = properties
        }
    }

    public struct Descriptor: Hashable, Sendable {
        public var uuid: UUID
        public var handle: Handle
        /// The response that listed the descriptor; nil if it was not captured.
        public var listed: FrameReference?

        public init(uuid: UUID, handle: Handle) {
            self.uuid = uuid
            self.handle = handle
        }
    }

    /// The characteristics of all services, in handle order.
    public var characteristics: [Characteristic] { services.flatMap(\.characteristics) }
}

/// The outcome of a write. Events are settled: a rule handles a write when its outcome is known, and before all events
/// that follow the write in the capture.
public enum WriteOutcome: Hashable, Sendable {
    /// Write Response, or Execute Write Response.
    case accepted
    /// Error Response with an ATT error (Vol 3, Part F, 3.4.1.1): the write changed nothing.
    case refused(UInt8)
    /// A Write Command, which has no response.
    case unconfirmed
    /// No response was captured within 30 s (Vol 3, Part F, 3.3.3) and before the connection closed, or requests
    /// overlap and the response may answer another request.
    case unknown

    public var isRefused: Bool { if case .refused = self { true } else { false } }
}

/// A read or write of a Client Characteristic Configuration.
public struct ConfigurationAccess: Sendable {
    /// `read` or `write`.
    public var operation: OperationKind
    public var characteristic: CharacteristicIndex
    public var bytes: ValueBytes
    /// The outcome of a write; nil for a read.
    public var outcome: WriteOutcome?
    /// Whether the value enables notifications; nil if the access carries no value.
    public var notifies: Bool? { bytes.configurationBits.map { $0 & 1 != 0 } }

    public init(
        operation: OperationKind, characteristic: CharacteristicIndex, bytes: ValueBytes, outcome: WriteOutcome? = nil
    ) {
        self.operation = operation
        self.characteristic = characteristic
        self.bytes = bytes
        self.outcome = outcome
    }

    /// Whether this is a write that the server did not refuse.
    public var isEffectiveWrite: Bool { outcome?.isRefused == false }
}

extension ValueBytes {
    /// The configuration that a write of these bytes sets: bit 0 enables notifications, bit 1 indications. A server may
    /// take a single octet as the low octet and leave the high one unchanged (Vol 3, Part F, 3.4.5.1), which has
    /// reserved bits only. Nil if the value is empty.
    package var configurationBits: UInt16? { u16(0) ?? u8(0).map(UInt16.init) }
}

/// A new Client Characteristic Configuration in force (Vol 3, Part G, 3.3.3.3).
public struct Subscription: Hashable, Sendable {
    public var characteristic: CharacteristicIndex
    public var notifies: Bool
    public var indicates: Bool

    public init(characteristic: CharacteristicIndex, notifies: Bool, indicates: Bool) {
        self.characteristic = characteristic
        self.notifies = notifies
        self.indicates = indicates
    }
}
