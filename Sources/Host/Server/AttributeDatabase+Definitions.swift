package import Bluetooth

extension AttributeDatabase {
    /// Definition of a service; handles are assigned automatically if nil.
    package struct Service: Hashable, Sendable {
        package var type: UUID
        package var isPrimary: Bool
        /// Handle of the declaration.
        package var handle: Handle?
        /// Types of the included services, in the same database.
        package var includes: [UUID]
        package var characteristics: [Characteristic]

        package init(
            _ type: UUID, isPrimary: Bool = true, handle: Handle? = nil, includes: [UUID] = [],
            _ characteristics: [Characteristic] = []
        ) {
            self.type = type
            self.isPrimary = isPrimary
            self.handle = handle
            self.includes = includes
            self.characteristics = characteristics
        }
    }

    /// Definition of a characteristic.
    package struct Characteristic: Hashable, Sendable {
        package var type: UUID
        package var properties: GATT.Properties
        package var value: [UInt8]
        package var kind: Kind
        /// Read permission; nil for open access if the properties allow reading.
        package var read: Access?
        /// Write permission; nil for open access if the properties allow writing.
        package var write: Access?
        /// Permission to subscribe.
        package var subscribe: Access
        /// Allowed lengths of a written value, in bytes.
        package var lengths: ClosedRange<Int>
        /// Handle of the declaration; the value's is the next.
        package var handle: Handle?
        /// Descriptors after the Client Characteristic Configuration, which comes first if the properties require it.
        package var descriptors: [Descriptor]

        package init(
            _ type: UUID, _ properties: GATT.Properties, value: [UInt8] = [], kind: Kind = .stored,
            read: Access? = nil, write: Access? = nil, subscribe: Access = .open,
            lengths: ClosedRange<Int> = 0...ATT.maximumValueLength, handle: Handle? = nil,
            descriptors: [Descriptor] = []
        ) {
            self.type = type
            self.properties = properties
            self.value = value
            self.kind = kind
            self.read = read
            self.write = write
            self.subscribe = subscribe
            self.lengths = lengths
            self.handle = handle
            self.descriptors = descriptors
        }
    }

    /// Definition of a descriptor.
    package struct Descriptor: Hashable, Sendable {
        package var type: UUID
        package var value: [UInt8]
        package var read: Access
        package var write: Access

        package init(_ type: UUID, value: [UInt8] = [], read: Access = .open, write: Access = .never) {
            self.type = type
            self.value = value
            self.read = read
            self.write = write
        }
    }
}

extension AttributeDatabase.Service {
    /// The Generic Access service (Vol 3, Part C, 12). The appearance is an assigned number.
    package static func genericAccess(name: String, appearance: UInt16 = 0) -> Self {
        Self(
            0x1800,
            [
                AttributeDatabase.Characteristic(.deviceName, .read, value: Array(name.utf8.prefix(248))),
                AttributeDatabase.Characteristic(
                    0x2A01, .read, value: [UInt8(truncatingIfNeeded: appearance), UInt8(appearance >> 8)]),
            ])
    }

    /// The Generic Attribute service with all characteristics that a client needs to cache the database (Vol 3, Part G,
    /// 7).
    package static let genericAttribute = Self(
        0x1801,
        [
            AttributeDatabase.Characteristic(.serviceChanged, .indicate),
            AttributeDatabase.Characteristic(.clientSupportedFeatures, [.read, .write]),
            AttributeDatabase.Characteristic(.databaseHash, .read),
        ])
}

extension UUID {
    /// «Client Supported Features» (Vol 3, Part G, 7.2).
    static let clientSupportedFeatures = UUID(0x2B29)
}
