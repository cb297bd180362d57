import BluetoothTypes
import Bytes

/// The descriptors' fields have Wireshark's names where it has some: who filters for them knows those.
extension StandardServices {
    /// «Characteristic Extended Properties» (Vol 3, Part G, 3.3.3.1).
    struct ExtendedProperties: NumberValue {
        static let bits = [
            Field(
                "btatt.characteristic_extended_properties.reliable_write", "Reliable Write", .boolean, mask: 0x0001),
            Field(
                "btatt.characteristic_extended_properties.writable_auxiliaries", "Writable Auxiliaries", .boolean,
                mask: 0x0002),
        ]
        static let field = Field(
            "btatt.characteristic_extended_properties", "Extended Properties", .hex(4), names: ValueNames(parts: bits))
        /// Bit 0: may be written reliably; 1: its user description may be written.
        var value: UInt16
    }

    /// «Characteristic User Description» (Vol 3, Part G, 3.3.3.2).
    struct UserDescription: TextValue {
        static let text = TextFields(
            text: Field("btatt.characteristic_user_description", "User Description", .text),
            padding: Field(standard: "user_description.padding", "Padding", .bytes))
        var bytes: [UInt8]
    }

    /// «Client Characteristic Configuration» (Vol 3, Part G, 3.3.3.3).
    struct ClientConfiguration: NumberValue {
        static let bits = [
            Field("btatt.characteristic_configuration_client.reserved", "Reserved", .hex(4), mask: 0xFFFC),
            Field("btatt.characteristic_configuration_client.indication", "Indication", .boolean, mask: 0x0002),
            Field("btatt.characteristic_configuration_client.notification", "Notification", .boolean, mask: 0x0001),
        ]
        static let field = Field(
            "btatt.characteristic_configuration_client", "Configuration", .hex(4),
            names: ValueNames([
                0: "off", 1: "notifications", 2: "indications", 3: "notifications and indications",
            ]))
        /// Bit 0: the client wants notifications; 1: indications.
        var value: UInt16
    }

    /// «Server Characteristic Configuration» (Vol 3, Part G, 3.3.3.4).
    struct ServerConfiguration: NumberValue {
        static let bits = [
            Field("btatt.characteristic_configuration_server.reserved", "Reserved", .hex(4), mask: 0xFFFE),
            Field("btatt.characteristic_configuration_server.broadcast", "Broadcast", .boolean, mask: 0x0001),
        ]
        static let field = Field(
            "btatt.characteristic_configuration_server", "Configuration", .hex(4),
            names: ValueNames([0: "off", 1: "broadcasts"]))
        /// Bit 0: the value is broadcast in advertising data.
        var value: UInt16
    }

    /// «Characteristic Aggregate Format»: the presentation formats of the parts (Vol 3, Part G, 3.3.3.6).
    struct AggregateFormat: StandardValue {
        /// Handles of Presentation Format descriptors, in the order of the parts.
        var formats: [Handle]

        private static let handleField = Field(standard: "aggregate_format.handle", "Format at", .hex(4))
        static let fields = [handleField]

        init(reading reader: inout ByteReader) throws(DecodeError) {
            formats = []
            while !reader.isAtEnd { formats.append(try reader.read(Self.handleField)) }
        }

        func write(to writer: inout ByteWriter) {
            for handle in formats { writer.write(handle) }
        }
    }

    /// «Valid Range»: the least and the greatest value, both in the characteristic's own format (GSS).
    struct ValidRange: BytesValue {
        static let field = Field(standard: "valid_range.range", "Lower and Upper Value", .bytes)
        /// The lower value, then the upper one, of equal length.
        var bytes: [UInt8]
    }

    /// «Report Reference»: which report of the report map a characteristic holds (HID Service 2.5.3.2).
    struct ReportReference: StandardValue {
        /// 0 where the report map has no identifiers.
        var identifier: UInt8
        /// 1 input, 2 output, 3 feature.
        var type: UInt8

        private static let identifierField = Field("btatt.report_reference.report_id", "Report ID", .hex(2))
        private static let typeField = Field(
            "btatt.report_reference.report_type", "Report Type", .hex(2),
            names: ValueNames([1: "input", 2: "output", 3: "feature"]))
        static let fields = [identifierField, typeField]

        init(reading reader: inout ByteReader) throws(DecodeError) {
            identifier = try reader.read(Self.identifierField)
            type = try reader.read(Self.typeField)
        }

        func write(to writer: inout ByteWriter) {
            writer.write(identifier)
            writer.write(type)
        }
    }
}
