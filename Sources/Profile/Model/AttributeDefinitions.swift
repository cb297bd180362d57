public import Bluetooth

/// Section `gatt`: a service of the device.
package struct ServiceDefinition: Sendable {
    package var uuid: UUID
    package var name: String
    package var title: String
    package var doc: String?
    /// The dialect that has it; nil for all.
    package var dialect: String?
    /// Whether every device of the kind has it.
    package var isOptional = false
    package var characteristics: [CharacteristicDefinition] = []
    package var place: SourcePlace

    package init(uuid: UUID, name: String, title: String, place: SourcePlace) {
        self.uuid = uuid
        self.name = name
        self.title = title
        self.place = place
    }
}

/// A characteristic of a service.
package struct CharacteristicDefinition: Sendable {
    package var uuid: UUID
    package var name: String
    package var title: String
    package var doc: String?
    package var properties: GATT.Properties
    /// What its value is, by operation.
    package var readings: [OperationKind: PayloadChoice] = [:]
    /// Lengths that a value may have; nil for what the type says.
    package var length: ClosedRange<Int>?
    package var descriptors: [DescriptorDefinition] = []
    /// Whether it has the Client Characteristic Configuration that notify and indicate imply.
    package var hasConfiguration = true
    /// The characteristic or the message whose last value its values answer.
    package var request: String?
    package var isOptional = false
    /// What a client needs to read, write and subscribe.
    package var security = Security.open
    /// Value handles that it is known to have had, the newest firmware's first.
    package var knownHandles: [Handle] = []
    package var place: SourcePlace

    /// How a connection has to be protected (Vol 3, Part C, 10.2.1).
    package enum Security: String, Sendable, CaseIterable {
        case open
        /// Encrypted, by any pairing.
        case encrypted
        /// Encrypted, by pairing with protection against a man in the middle.
        case authenticated
    }

    package init(uuid: UUID, name: String, title: String, properties: GATT.Properties, place: SourcePlace) {
        self.uuid = uuid
        self.name = name
        self.title = title
        self.properties = properties
        self.place = place
    }
}

/// A descriptor of a characteristic, beside the Client Characteristic Configuration that notify and indicate imply.
package struct DescriptorDefinition: Sendable {
    package var uuid: UUID
    package var name: String
    package var title: String
    package var reading: PayloadChoice?
    package var place: SourcePlace

    package init(uuid: UUID, name: String, title: String, reading: PayloadChoice? = nil, place: SourcePlace) {
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
package struct PayloadChoice: Sendable {
    package var alternatives: [Alternative]

    package struct Alternative: Sendable {
        /// Over `length`, bytes of the value, what was written before and the device's table; nil for always.
        package var condition: Expression?
        package var type: String
        package var place: SourcePlace

        package init(condition: Expression? = nil, type: String, place: SourcePlace) {
            self.condition = condition
            self.type = type
            self.place = place
        }
    }

    package init(_ alternatives: [Alternative]) {
        self.alternatives = alternatives
    }
}

/// Section `advertising`: data in an AD structure that have a type.
package struct AdvertisedValue: Sendable {
    /// Service data of a UUID or manufacturer data of a company; the type begins after the UUID or company identifier.
    package var carrier: GAP.DataOwner
    package var reading: PayloadChoice
    package var place: SourcePlace

    package init(_ carrier: GAP.DataOwner, reading: PayloadChoice, place: SourcePlace) {
        self.carrier = carrier
        self.reading = reading
        self.place = place
    }
}
