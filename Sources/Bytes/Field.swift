/// The declaration of a field: its name, its display format and the specification's label. One per kind of field,
/// shared by all its occurrences.
///
/// Names are Wireshark's display filter names where Wireshark has the field (`btatt.handle`). Labels are the
/// specification's words ("Handle").
///
/// A field is declared once, as a constant of its module or by a loaded profile, and is never freed. It is therefore a
/// plain pointer to immutable memory. Reading and recording it causes no reference counting, which otherwise takes a
/// quarter of the time of two threads that decode millions of frames.
@safe
public struct Field: @unchecked Sendable, Hashable {
    @usableFromInline let declaration: UnsafePointer<Declaration>

    @safe @usableFromInline struct Declaration {
        let name: String
        let label: String
        let format: Format
        let unit: String?
        let scale: Double
        let bias: Double
        let decimals: Int
        let mask: UInt64
        let size: Int
        let names: ValueNames?
        let isSecret: Bool
        let isRepeated: Bool
        let isMeasured: Bool
        let isSensitive: Bool
        let json: UnsafeRawBufferPointer
        /// The last part of the name with its closing quote, within `json`.
        let key: UnsafeRawBufferPointer
    }

    /// Display-filter name, e.g. `btatt.handle`.
    public var name: String { unsafe declaration.pointee.name }
    /// The specification's name, e.g. "Handle".
    public var label: String { unsafe declaration.pointee.label }
    /// Output format of the value.
    public var format: Format { unsafe declaration.pointee.format }
    /// Unit of the scaled value, e.g. "ms"; nil for none.
    public var unit: String? { unsafe declaration.pointee.unit }
    /// Physical value = raw value × scale + bias, in `unit`.
    public var scale: Double { unsafe declaration.pointee.scale }
    /// Physical value of the raw value 0, in `unit`.
    public var bias: Double { unsafe declaration.pointee.bias }
    /// Whether the physical value differs from the raw value.
    public var isScaled: Bool { scale != 1 || bias != 0 }
    /// Unit of the number in columns and filters: `unit`, or e.g. "1.25 ms" where that number is the raw value; nil for
    /// none.
    public var numberUnit: String? {
        guard let unit, isScaled, !isMeasured else { return unit }
        let step = (Int(exactly: scale).map(String.init) ?? String(scale)) + " " + unit
        return bias == 0 ? step : "\(step) from \(bias) \(unit) on"
    }
    /// Decimals of physical values: as many as `scale` and `bias` have, at most 9.
    public var decimals: Int { unsafe declaration.pointee.decimals }
    /// The field's bits in the enclosing integer; 0 for a whole integer.
    public var mask: UInt64 { unsafe declaration.pointee.mask }
    /// Size of an integer in bytes; 0 where the declaration does not state it.
    public var size: Int { unsafe declaration.pointee.size }
    /// Names of values (opcodes, error codes, enumerations).
    public var names: ValueNames? { unsafe declaration.pointee.names }
    /// Whether the value is key material; output masks it.
    public var isSecret: Bool { unsafe declaration.pointee.isSecret }
    /// Whether the field is an element of a list of any length. Output keeps the list even for a single element.
    public var isRepeated: Bool { unsafe declaration.pointee.isRepeated }
    /// Whether machine-readable output, columns and filters include the scaled value too. Fields of the specification
    /// have only the raw value there, as in tshark.
    public var isMeasured: Bool { unsafe declaration.pointee.isMeasured }
    /// Whether the value says something about a person or a place, as the profile marks it; `redact` replaces it.
    public var isSensitive: Bool { unsafe declaration.pointee.isSensitive }
    /// Whether it is a container without a value.
    @inlinable public var isGroup: Bool { if case .group = format { true } else { false } }
    /// Identity of the field.
    @inlinable public var address: UInt { unsafe UInt(bitPattern: declaration) }

    @inlinable
    public static func == (one: Field, other: Field) -> Bool { one.address == other.address }

    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(address)
    }

    /// Output format of a field's value.
    public enum Format: Sendable, Hashable {
        /// A container: a protocol layer or a structure.
        case group
        /// Unsigned number in decimal.
        case decimal
        /// Two's complement number of the field's length, in decimal.
        case signed
        /// Unsigned number in hexadecimal: 0x and this many digits.
        case hex(Int)
        /// IEEE 754 binary64, already decoded.
        case number
        /// Like `number`, but decoded from a narrower IEEE 754 format; written with the digits that format needs.
        case float(bytes: Int)
        /// Unsigned number as dotted decimal bytes, most significant first.
        case dotted
        /// Point in time: steps of `step` nanoseconds since `epoch`, in seconds since 1970 (UTC).
        case timestamp(epoch: Int64, step: Int64)
        /// Nanoseconds, two's complement, shown as seconds with nine decimals.
        case time
        /// One bit: 1 or 0.
        case boolean
        /// Bytes as hex pairs.
        case bytes
        /// UTF-8 text; invalid UTF-8 is escaped.
        case text
        /// 48-bit device address, little-endian on the wire, shown as `aa:bb:cc:dd:ee:ff`.
        case address
        /// 128-bit UUID, little-endian on the wire.
        case uuid128
        /// 128-bit UUID, big-endian on the wire.
        case bigEndianUUID128
    }

    public init(
        _ name: String, _ label: String, _ format: Format, unit: String? = nil, scale: Double = 1, bias: Double = 0,
        mask: UInt64 = 0, size: Int = 0, names: ValueNames? = nil, isSecret: Bool = false, isRepeated: Bool = false,
        isMeasured: Bool = false, isSensitive: Bool = false
    ) {
        var json = TextWriter(capacity: 128)
        json.write("{\"name\":" as StaticString)
        let start = json.count + 1
        json.writeJSON(name)
        var keyStart = json.count
        let keyEnd = json.count
        while keyStart > start, json[keyStart - 1] != UInt8(ascii: ".") { keyStart -= 1 }
        json.write(",\"label\":" as StaticString)
        json.writeJSON(label)
        let text = unsafe json.copyForever()
        let memory = UnsafeMutablePointer<Declaration>.allocate(capacity: 1)
        unsafe memory.initialize(
            to: Declaration(
                name: name, label: label, format: format, unit: unit, scale: scale, bias: bias,
                decimals: max(Self.decimals(of: scale), Self.decimals(of: bias)), mask: mask,
                size: size, names: names, isSecret: isSecret, isRepeated: isRepeated, isMeasured: isMeasured,
                isSensitive: isSensitive, json: text, key: UnsafeRawBufferPointer(rebasing: text[keyStart..<keyEnd])))
        unsafe declaration = UnsafePointer(memory)
    }

    /// Decimals of a step. A step with many decimals, such as 1/1024, gets only enough to distinguish two values.
    private static func decimals(of scale: Double) -> Int {
        var step = abs(scale)
        var enough: Int?
        for decimals in 0...6 {
            if abs(step - step.rounded()) < 1e-9 { return decimals }
            if enough == nil, step >= 1 { enough = decimals }
            step *= 10
        }
        return enough ?? 9
    }
}

extension TextWriter {
    /// Writes a field's name and label as the beginning of a JSON object. A frame of NDJSON output has dozens of these.
    @inline(__always)
    public mutating func writeJSONHead(of field: Field) { unsafe write(field.declaration.pointee.json) }

    /// Writes the last part of a field's name as the key of a JSON object: `"level":`.
    @inline(__always)
    public mutating func writeJSONKey(of field: Field) {
        write(UInt8(ascii: "\""))
        unsafe write(field.declaration.pointee.key)
        write(UInt8(ascii: ":"))
    }
}

/// Names of a field's values; nil for a value without a name.
public struct ValueNames: Sendable {
    public let name: @Sendable (UInt64) -> String?
    /// The named values in ascending order; nil where they cannot be listed.
    public let values: [UInt64]?
    /// The machine-readable name of a value: the display name unless it has a separate key.
    public let key: @Sendable (UInt64) -> String?

    public init(_ name: @escaping @Sendable (UInt64) -> String?) {
        self.name = name
        key = name
        values = nil
    }

    /// Names by value, and machine-readable keys where they differ from the names.
    public init(_ table: [UInt64: String], keys: [UInt64: String] = [:]) {
        self.name = { table[$0] }
        key = { keys[$0] ?? table[$0] }
        values = table.keys.sorted()
    }

    public subscript(value: UInt64) -> String? { name(value) }
}
