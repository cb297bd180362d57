public import Bytes

extension GATT {
    /// The value of a Characteristic declaration (Vol 3, Part G, 3.3.1).
    public struct CharacteristicDeclaration: WireFormat, Hashable {
        public var properties: Properties
        /// Handle of the characteristic value.
        public var valueHandle: Handle
        public var type: UUID

        public init(properties: Properties, valueHandle: Handle, type: UUID) {
            self.properties = properties
            self.valueHandle = valueHandle
            self.type = type
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            let bits: UInt8 = try reader.read(Fields.properties)
            reader.recordBits(bits, Fields.propertyBits)
            properties = Properties(rawValue: bits)
            valueHandle = try reader.read(ATT.Fields.handle)
            type = try ATT.readUUID(&reader)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(properties.rawValue)
            writer.write(valueHandle)
            writer.write(type)
        }
    }

    /// The value of an Include declaration (Vol 3, Part G, 3.2).
    public struct IncludeDeclaration: WireFormat, Hashable {
        /// Handle of the included service's declaration.
        public var start: Handle
        /// Handle of the included service's last attribute.
        public var end: Handle
        /// The included service's UUID; nil for a 128-bit UUID, which the declaration omits.
        public var service: UUID?

        public init(start: Handle, end: Handle, service: UUID?) {
            self.start = start
            self.end = end
            self.service = service
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            start = try reader.read(ATT.Fields.handle)
            end = try reader.read(ATT.Fields.groupEndHandle)
            service = reader.isAtEnd ? nil : try ATT.readUUID(&reader)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(start)
            writer.write(end)
            if let service { writer.write(service) }
        }
    }

    /// Reads the value of a declaration, independent of the PDU. Returns false for other types without reading.
    public static func readDeclaration(_ type: UUID, _ reader: inout ByteReader) throws(DecodeError) -> Bool {
        switch type {
        case .characteristic: _ = try CharacteristicDeclaration(reading: &reader)
        case .include: _ = try IncludeDeclaration(reading: &reader)
        case .primaryService, .secondaryService: _ = try ATT.readUUID(&reader)
        default: return false
        }
        return true
    }

    /// Whether a declaration's value may have this length (Vol 3, Part G, 3.1 to 3.3.1); false for other types.
    public static func isDeclaration(_ type: UUID, length: Int) -> Bool {
        switch type {
        case .characteristic: length == 5 || length == 19
        case .include: length == 4 || length == 6
        case .primaryService, .secondaryService: length == 2 || length == 16
        default: false
        }
    }

    /// The fields of declarations, under Wireshark's names.
    public enum Fields {
        static let properties = Field(
            "btatt.characteristic_properties", "Characteristic Properties", .hex(2))

        static let propertyBits: [Field] = [
            bit("extended_properties", "Extended Properties", .extended),
            bit("authenticated_signed_writes", "Authenticated Signed Writes", .authenticatedSignedWrites),
            bit("indicate", "Indicate", .indicate),
            bit("notify", "Notify", .notify),
            bit("write", "Write", .write),
            bit("write_without_response", "Write without Response", .writeWithoutResponse),
            bit("read", "Read", .read),
            bit("broadcast", "Broadcast", .broadcast),
        ]

        public static let all = [properties] + propertyBits

        private static func bit(_ name: String, _ label: String, _ property: Properties) -> Field {
            Field("btatt.characteristic_properties.\(name)", label, .boolean, mask: UInt64(property.rawValue))
        }
    }
}
