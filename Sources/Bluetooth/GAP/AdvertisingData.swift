public import Bytes

extension GAP {
    /// One AD structure: length, type, value (Vol 3, Part C, 11).
    public struct AdvertisingStructure: WireFormat, Hashable {
        public var type: DataType
        /// At most 254 bytes.
        public var value: [UInt8]

        public init(_ type: DataType, _ value: [UInt8]) {
            self.type = type
            self.value = value
        }

        public init(_ type: DataType, _ value: some Value) {
            self.init(type, value.encoded)
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            let length: UInt8 = try reader.read(Fields.length)
            guard length > 0 else { throw reader.invalid(Fields.length, length: 1, expected: "1 at least, not 0") }
            var structure = try reader.slice(count: Int(length), lengthSetBy: Fields.length)
            type = try structure.read(Fields.type)
            value = structure.readRest(Fields.data)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(UInt8(truncatingIfNeeded: value.count + 1))
            writer.write(type)
            writer.write(value)
        }
    }

    /// The AD structures of advertising data or of an extended inquiry response.
    public struct AdvertisingData: Hashable, Sendable {
        public var structures: [AdvertisingStructure]

        public init(_ structures: [AdvertisingStructure]) {
            self.structures = structures
        }

        /// Decodes the structures in `bytes`; leaves out a truncated last one.
        public init(decoding bytes: [UInt8]) {
            structures = []
            let reader = ByteReader(bytes.span)
            var cursor = StructureCursor(reader.rest)
            while let next = cursor.next() {
                structures.append(AdvertisingStructure(next.type, Array(bytes[next.value])))
            }
        }

        /// The bytes of all structures.
        public var encoded: [UInt8] {
            ByteWriter.bytes { writer in for structure in structures { structure.write(to: &writer) } }
        }

        /// The value of the first structure of a type.
        public subscript(type: DataType) -> [UInt8]? { structures.first { $0.type == type }?.value }

        /// The decoded values of all structures of a type, without those that cannot be decoded.
        public func values<T: Value>(_ type: DataType, as value: T.Type = T.self) -> [T] {
            structures.filter { $0.type == type }.compactMap { try? T(decoding: $0.value) }
        }
    }
}

// MARK: - Building

extension GAP.AdvertisingStructure {
    public static func flags(_ flags: GAP.Flags) -> Self { Self(.flags, flags) }

    public static func completeLocalName(_ name: String) -> Self {
        Self(.completeLocalName, GAP.LocalName(name))
    }

    public static func shortenedLocalName(_ name: String) -> Self {
        Self(.shortenedLocalName, GAP.LocalName(name))
    }

    /// A list of 16-bit service UUIDs; leaves out UUIDs without a 16-bit form.
    public static func serviceUUIDs16(_ uuids: [UUID], isComplete: Bool = true) -> Self {
        Self(isComplete ? .completeUUIDs16 : .incompleteUUIDs16, GAP.UUIDs16(uuids.filter { $0.uuid16 != nil }))
    }

    /// A list of service UUIDs in their 128-bit form.
    public static func serviceUUIDs128(_ uuids: [UUID], isComplete: Bool = true) -> Self {
        Self(isComplete ? .completeUUIDs128 : .incompleteUUIDs128, GAP.UUIDs128(uuids))
    }

    /// In dBm.
    public static func txPowerLevel(_ level: Int8) -> Self {
        Self(.txPowerLevel, GAP.TxPowerLevel(level: level))
    }

    public static func appearance(_ appearance: Appearance) -> Self {
        Self(.appearance, GAP.AppearanceValue(appearance: appearance))
    }

    /// In 1.25 ms.
    public static func connectionIntervalRange(_ minimum: UInt16, _ maximum: UInt16) -> Self {
        Self(.connectionIntervalRange, GAP.ConnectionIntervalRange(minimum: minimum, maximum: maximum))
    }

    /// Service data, under the shortest form of the service's UUID.
    public static func serviceData(_ service: UUID, _ data: [UInt8]) -> Self {
        if let short = service.uuid16 {
            return Self(.serviceData16, GAP.ServiceData16(service: UUID(UInt32(short)), data: data))
        }
        if service.uuid32 != nil { return Self(.serviceData32, GAP.ServiceData32(service: service, data: data)) }
        return Self(.serviceData128, GAP.ServiceData128(service: service, data: data))
    }

    public static func manufacturerData(company: UInt16, _ data: [UInt8]) -> Self {
        Self(.manufacturerData, GAP.ManufacturerData(company: company, data: data))
    }
}
