import BluetoothTypes
import Bytes

extension StandardServices {
    /// «Characteristic Presentation Format»: how to show a value (Vol 3, Part G, 3.3.3.5).
    struct PresentationFormat: StandardValue {
        /// Data type; see `formatNames`.
        var format: UInt8
        /// Power of ten that an integer is to be multiplied by.
        var exponent: Int8
        /// UUID of the unit.
        var unit: UInt16
        /// Who gives the description its meaning: 1 for the Bluetooth SIG.
        var namespace: UInt8
        var description: UInt16

        init(reading reader: inout ByteReader) throws(DecodeError) {
            format = try reader.read(Self.formatField)
            exponent = try reader.read(Self.exponentField)
            unit = try reader.read(Self.unitField)
            let namespace: UInt8 = try reader.read(Self.namespaceField)
            self.namespace = namespace
            description = try reader.read(namespace == 1 ? Self.descriptionField : Self.otherDescriptionField)
        }

        func write(to writer: inout ByteWriter) {
            writer.write(format)
            writer.write(exponent)
            writer.write(unit)
            writer.write(namespace)
            writer.write(description)
        }
    }
}

extension StandardServices.PresentationFormat {
    private static let formatField = Field(
        "btatt.characteristic_presentation.format", "Format", .hex(2), names: formatNames)
    private static let exponentField = Field("btatt.characteristic_presentation.exponent", "Exponent", .signed)
    private static let unitField = Field(
        "btatt.characteristic_presentation.unit", "Unit", .hex(4),
        names: ValueNames { AssignedNumbers.unit(UUID(UInt32(truncatingIfNeeded: $0))) })
    private static let namespaceField = Field(
        "btatt.characteristic_presentation.namespace", "Namespace", .hex(2), names: ValueNames([1: "Bluetooth SIG"]))
    private static let descriptionField = Field(
        "btatt.characteristic_presentation.namespace_description", "Description", .hex(4), names: descriptionNames)
    private static let otherDescriptionField = Field(
        "btatt.characteristic_presentation.namespace_description", "Description", .hex(4))

    static let fields = [
        formatField, exponentField, unitField, namespaceField, descriptionField, otherDescriptionField,
    ]

    /// Data types (assigned numbers, 2.4.1).
    private static let formatNames = ValueNames([
        0x01: "boolean", 0x02: "uint2", 0x03: "uint4", 0x04: "uint8", 0x05: "uint12", 0x06: "uint16", 0x07: "uint24",
        0x08: "uint32", 0x09: "uint48", 0x0A: "uint64", 0x0B: "uint128", 0x0C: "sint8", 0x0D: "sint12",
        0x0E: "sint16", 0x0F: "sint24", 0x10: "sint32", 0x11: "sint48", 0x12: "sint64", 0x13: "sint128",
        0x14: "float32", 0x15: "float64", 0x16: "medfloat16", 0x17: "medfloat32", 0x18: "uint16[2]", 0x19: "utf8s",
        0x1A: "utf16s", 0x1B: "struct", 0x1C: "medASN1",
    ])

    /// Descriptions of the Bluetooth SIG (assigned numbers, 2.4.2); 1 to 255 are ordinals.
    private static let descriptionNames = ValueNames { number in
        switch number {
        case 0x0001...0x00FF: "no. \(number)"
        default: namedDescriptions[number]
        }
    }

    private static let namedDescriptions: [UInt64: String] = [
        0x0000: "unknown", 0x0100: "front", 0x0101: "back", 0x0102: "top", 0x0103: "bottom", 0x0104: "upper",
        0x0105: "lower", 0x0106: "main", 0x0107: "backup", 0x0108: "auxiliary", 0x0109: "supplementary",
        0x010A: "flash", 0x010B: "inside", 0x010C: "outside", 0x010D: "left", 0x010E: "right", 0x010F: "internal",
        0x0110: "external",
    ]
}
