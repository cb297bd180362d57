public import Bluetooth

/// Section `gatt`: a service of the device.
package struct ServiceDefinition: Sendable {
    package var uuid: UUID
    package var name: String
    package var title: String
    package var doc: String?
    /// The dialect to which the service belongs; nil for all.
    package var dialect: String?
    /// Whether devices may lack the service.
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
    /// Type of the value, by operation.
    package var readings: [OperationKind: PayloadChoice] = [:]
    /// Allowed lengths of a value; nil if only the type limits them.
    package var length: ClosedRange<Int>?
    package var descriptors: [DescriptorDefinition] = []
    /// Whether the characteristic has the Client Characteristic Configuration descriptor that notify and indicate
    /// imply.
    package var hasConfiguration = true
    /// The characteristic or message whose last value this characteristic's values answer.
    package var request: String?
    package var isOptional = false
    /// Security required to read, write and subscribe.
    package var security = Security.open
    /// Known value handles, newest firmware first.
    package var knownHandles: [Handle] = []
    package var place: SourcePlace

    /// Required protection of the connection (Vol 3, Part C, 10.2.1).
    package enum Security: String, Sendable, CaseIterable {
        case open
        /// Encrypted after any pairing.
        case encrypted
        /// Encrypted after pairing with MITM protection.
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

/// Operation on a value. Write Request and Write Command carry the same value.
public typealias OperationKind = ATT.ValueOperation

/// Selects the type of a value: the first alternative whose condition holds.
package struct PayloadChoice: Sendable {
    package var alternatives: [Alternative]

    package struct Alternative: Sendable {
        /// Condition over `length`, bytes of the value, values written before and the device's attribute table; nil
        /// always holds.
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

/// Section `advertising`: AD structure data with a type.
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
