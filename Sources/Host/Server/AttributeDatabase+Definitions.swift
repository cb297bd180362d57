package import Bluetooth

extension AttributeDatabase {
    /// A service to be put into a database; handles are chosen where none are given.
    package struct Service: Hashable, Sendable {
        package var type: UUID
        package var isPrimary: Bool
        /// Handle of the declaration.
        package var handle: Handle?
        /// Services of the same database that this one includes.
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

    /// A characteristic to be put into a database.
    package struct Characteristic: Hashable, Sendable {
        package var type: UUID
        package var properties: GATT.Properties
        package var value: [UInt8]
        package var kind: Kind
        /// Who may read; nil: anyone, if the properties allow reading.
        package var read: Access?
        /// Who may write; nil: anyone, if the properties allow writing.
        package var write: Access?
        /// Who may subscribe.
        package var subscribe: Access
        /// Lengths of a value that may be written, in bytes.
        package var lengths: ClosedRange<Int>
        /// Handle of the declaration; the value's is the next.
        package var handle: Handle?
        /// Beside the Client Characteristic Configuration, which comes first where the properties need it.
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

    /// A descriptor to be put into a database.
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

    /// The Generic Attribute service with all that a client needs to cache the database (Vol 3, Part G, 7).
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
