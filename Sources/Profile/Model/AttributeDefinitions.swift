public import ATT
public import BluetoothTypes
public import GAP
public import GATT

/// Section `gatt`: a service of the device.
public struct ServiceDefinition: Sendable {
    public var uuid: UUID
    public var name: String
    public var title: String
    public var doc: String?
    /// The dialect that has it; nil for all.
    public var dialect: String?
    /// Whether every device of the kind has it.
    public var isOptional = false
    public var characteristics: [CharacteristicDefinition] = []
    public var place: SourcePlace

    public init(uuid: UUID, name: String, title: String, place: SourcePlace) {
        self.uuid = uuid
        self.name = name
        self.title = title
        self.place = place
    }
}

/// A characteristic of a service.
public struct CharacteristicDefinition: Sendable {
    public var uuid: UUID
    public var name: String
    public var title: String
    public var doc: String?
    public var properties: GATT.Properties
    /// What its value is, by operation.
    public var readings: [OperationKind: PayloadChoice] = [:]
    /// Lengths that a value may have; nil for what the type says.
    public var length: ClosedRange<Int>?
    public var descriptors: [DescriptorDefinition] = []
    /// Whether it has the Client Characteristic Configuration that notify and indicate imply.
    public var hasConfiguration = true
    /// The characteristic or the message whose last value its values answer.
    public var request: String?
    public var isOptional = false
    /// What a client needs to read, write and subscribe.
    public var security = Security.open
    /// Value handles that it is known to have had, the newest firmware's first.
    public var knownHandles: [Handle] = []
    public var place: SourcePlace

    /// How a connection has to be protected (Vol 3, Part C, 10.2.1).
    public enum Security: String, Sendable, CaseIterable {
        case open
        /// Encrypted, by any pairing.
        case encrypted
        /// Encrypted, by pairing with protection against a man in the middle.
        case authenticated
    }

    public init(uuid: UUID, name: String, title: String, properties: GATT.Properties, place: SourcePlace) {
        self.uuid = uuid
        self.name = name
        self.title = title
        self.properties = properties
        self.place = place
    }
}

/// A descriptor of a characteristic, beside the Client Characteristic Configuration that notify and indicate imply.
public struct DescriptorDefinition: Sendable {
    public var uuid: UUID
    public var name: String
    public var title: String
    public var reading: PayloadChoice?
    public var place: SourcePlace

    public init(uuid: UUID, name: String, title: String, reading: PayloadChoice? = nil, place: SourcePlace) {
        self.uuid = uuid
        self.name = name
        self.title = title
        self.reading = reading
        self.place = place
    }
}

/// Operation on a value. A write with response and one without carry the same value.
public typealias OperationKind = ATT.ValueOperation

/// Which type a value has: the first alternative whose condition holds.
public struct PayloadChoice: Sendable {
    public var alternatives: [Alternative]

    public struct Alternative: Sendable {
        /// Over `length`, bytes of the value, what was written before and the device's table; nil for always.
        public var condition: Expression?
        public var type: String
        public var place: SourcePlace

        public init(condition: Expression? = nil, type: String, place: SourcePlace) {
            self.condition = condition
            self.type = type
            self.place = place
        }
    }

    public init(_ alternatives: [Alternative]) {
        self.alternatives = alternatives
    }
}

/// Section `advertising`: data in an AD structure that have a type.
public struct AdvertisedValue: Sendable {
    /// Service data of a UUID or manufacturer data of a company; the type begins after the UUID or company identifier.
    public var carrier: GAP.DataOwner
    public var reading: PayloadChoice
    public var place: SourcePlace

    public init(_ carrier: GAP.DataOwner, reading: PayloadChoice, place: SourcePlace) {
        self.carrier = carrier
        self.reading = reading
        self.place = place
    }
}
