/// What a field is called, how its value is shown and where it is specified: one per kind of field, shared by all
/// its occurrences.
///
/// Names are Wireshark's display-filter names where Wireshark has one (`btatt.handle`), labels are the
/// specification's words ("Handle").
public final class Field: Sendable {
    /// Display-filter name, e.g. `btatt.handle`.
    public let name: String
    /// The specification's name, e.g. "Handle".
    public let label: String
    /// How the value is written.
    public let format: Format
    /// Unit of the value after scaling, e.g. "ms"; nil when it has none.
    public let unit: String?
    /// Physical value = raw value × scale, in `unit`.
    public let scale: Double
    /// The bits of the enclosing integer that hold the field; 0 when it is an integer by itself.
    public let mask: UInt64
    /// Names of values (opcodes, error codes, enumerations).
    public let names: ValueNames?
    /// Whether the value is key material, which output masks unless it is asked for.
    public let isSecret: Bool

    /// Name and label as the beginning of a JSON object: every frame of NDJSON output has dozens of them.
    public let json: [UInt8]

    /// How a field's value is written.
    public enum Format: Sendable, Hashable {
        /// A container: a protocol layer or a structure.
        case group
        /// Unsigned number in decimal.
        case decimal
        /// Two's complement number of the field's length, in decimal.
        case signed
        /// Unsigned number as 0x and so many digits.
        case hex(Int)
        /// IEEE 754 binary64, already decoded.
        case number
        /// Nanoseconds, two's complement, shown as seconds with nine decimals.
        case time
        /// One bit: 1 or 0.
        case boolean
        /// Bytes as hex pairs.
        case bytes
        /// UTF-8 text; what is not UTF-8 is escaped.
        case text
        /// 48-bit device address, little-endian on the wire, shown as `aa:bb:cc:dd:ee:ff`.
        case address
        /// 128-bit UUID, little-endian on the wire.
        case uuid128
    }

    public init(
        _ name: String, _ label: String, _ format: Format, unit: String? = nil, scale: Double = 1, mask: UInt64 = 0,
        names: ValueNames? = nil, isSecret: Bool = false
    ) {
        self.name = name
        self.label = label
        var json = TextWriter(capacity: 64)
        json.write("{\"name\":" as StaticString)
        json.writeJSON(name)
        json.write(",\"label\":" as StaticString)
        json.writeJSON(label)
        self.json = json.bytes
        self.format = format
        self.unit = unit
        self.scale = scale
        self.mask = mask
        self.names = names
        self.isSecret = isSecret
    }
}

/// Gives the name of a value, nil for a value that has none.
public struct ValueNames: Sendable {
    public let name: @Sendable (UInt64) -> String?

    public init(_ name: @escaping @Sendable (UInt64) -> String?) {
        self.name = name
    }

    /// Names by value.
    public init(_ table: [UInt64: String]) {
        self.name = { table[$0] }
    }

    public subscript(value: UInt64) -> String? { name(value) }
}
