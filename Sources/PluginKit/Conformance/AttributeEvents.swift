public import Bluetooth
public import Profile

/// A request or a command to the device's server.
public struct AttributeRequest: Hashable, Sendable {
    public var opcode: ATT.Opcode
    /// The attribute that it is about; of a range, its first handle; 0 for none.
    public var handle: Handle
    /// Last handle of a range; nil for requests about one attribute.
    public var end: Handle?
    /// The characteristic that the attribute is the value of; nil for other attributes.
    public var characteristic: CharacteristicIndex?
    /// Type that discovery asked for.
    public var type: UUID?
    /// Bytes that it writes.
    public var valueLength: Int?
    /// Whether the client knows the attribute by right: by discovery in this connection, or from an earlier one whose table
    /// it may keep (Vol 3, Part G, 2.5.2). Nil where it may know it from before the capture.
    public var isKnown: Bool?

    public init(_ opcode: ATT.Opcode, handle: Handle) {
        self.opcode = opcode
        self.handle = handle
    }
}

/// How the device's server answered a request.
public struct AttributeResponse: Hashable, Sendable {
    public var request: AttributeRequest
    /// When the request came.
    public var requested: FrameReference
    /// ATT error (Vol 3, Part F, 3.4.1.1); nil for success.
    public var error: UInt8?
    /// Requests overlap: which of them it answers is not known.
    public var isAmbiguous = false

    public init(to request: AttributeRequest, at requested: FrameReference, error: UInt8?) {
        self.request = request
        self.requested = requested
        self.error = error
    }
}

/// The two sides' MTUs; that of the connection is the smaller one.
public struct MTUExchange: Hashable, Sendable {
    public var client: UInt16
    public var server: UInt16

    public init(client: UInt16, server: UInt16) {
        self.client = client
        self.server = server
    }
}

/// What discovery has told of the device's attributes in this connection.
public struct AttributeTable: Sendable {
    public var services: [Service] = []
    /// Whether discovery went through all handles for primary services.
    public var hasAllServices = false

    public init() {}

    public struct Service: Hashable, Sendable {
        public var uuid: UUID
        public var start: Handle
        public var end: Handle
        public var characteristics: [Characteristic] = []
        /// Whether discovery went through all its handles for characteristics.
        public var hasAllCharacteristics = false
        /// The response that declared it; nil where it was not captured.
        public var declared: FrameReference?

        public init(uuid: UUID, start: Handle, end: Handle) {
            self.uuid = uuid
            self.start = start
            self.end = end
        }
    }

    public struct Characteristic: Hashable, Sendable {
        public var uuid: UUID
        /// Name in the profile; nil for one that it does not know.
        public var name: String?
        public var declaration: Handle
        public var value: Handle
        public var properties: GATT.Properties
        public var descriptors: [Descriptor] = []
        /// Whether discovery went through all handles between its value and the next declaration.
        public var hasAllDescriptors = false
        /// The response that declared it; nil where it was not captured.
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
        /// The response that listed it; nil where it was not captured.
        public var listed: FrameReference?

        public init(uuid: UUID, handle: Handle) {
            self.uuid = uuid
            self.handle = handle
        }
    }

    /// All characteristics, in the order of their handles.
    public var characteristics: [Characteristic] { services.flatMap(\.characteristics) }
}

/// The outcome of a write. Events are settled: a rule sees a write when its outcome is known, before all that came after it.
public enum WriteOutcome: Hashable, Sendable {
    /// Write Response, or Execute Write Response.
    case accepted
    /// Error Response with an ATT error (Vol 3, Part F, 3.4.1.1): the write has changed nothing.
    case refused(UInt8)
    /// A Write Command asks for no response.
    case unconfirmed
    /// No response was captured within 30 s (Vol 3, Part F, 3.3.3) and before the connection closed, or requests overlap, so
    /// that the response may be one to another request.
    case unknown

    public var isRefused: Bool { if case .refused = self { true } else { false } }
}

/// A Client Characteristic Configuration is read or written.
public struct ConfigurationAccess: Sendable {
    /// `read` or `write`.
    public var operation: OperationKind
    public var characteristic: CharacteristicIndex
    public var bytes: ValueBytes
    /// Of a write.
    public var outcome: WriteOutcome?
    /// Whether it has notifications turned on; nil for an access without a value.
    public var notifies: Bool? { bytes.configurationBits.map { $0 & 1 != 0 } }

    public init(
        operation: OperationKind, characteristic: CharacteristicIndex, bytes: ValueBytes, outcome: WriteOutcome? = nil
    ) {
        self.operation = operation
        self.characteristic = characteristic
        self.bytes = bytes
        self.outcome = outcome
    }

    /// Whether it is a write that the server did not refuse.
    public var isEffectiveWrite: Bool { outcome?.isRefused == false }
}

extension ValueBytes {
    /// What a write of these bytes configures: bit 0 turns notifications on, bit 1 indications. A server may take one octet as
    /// the low one of the two, which leaves the other as it was (Vol 3, Part F, 3.4.5.1): that one has reserved bits only. nil for
    /// a write of nothing.
    package var configurationBits: UInt16? { u16(0) ?? u8(0).map(UInt16.init) }
}

/// What a Client Characteristic Configuration says from now on (Vol 3, Part G, 3.3.3.3).
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
