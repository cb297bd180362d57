/// What a field is called, how its value is shown and where it is specified: one per kind of field, shared by all
/// its occurrences.
///
/// Names are Wireshark's display-filter names where Wireshark has one (`btatt.handle`), labels are the
/// specification's words ("Handle").
///
/// A field is declared once, as a constant of its module or by a profile that is loaded, and lives as long as the
/// program. So it is a plain pointer to what never changes: reading and recording it counts no references, which two threads that decode
/// millions of frames would otherwise spend a quarter of their time on.
@safe
public struct Field: @unchecked Sendable, Hashable {
    @usableFromInline let declaration: UnsafePointer<Declaration>

    /// What is known of a field.
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
        let json: UnsafeRawBufferPointer
        /// The last part of the name with the quote after it, within `json`.
        let key: UnsafeRawBufferPointer
    }

    /// Display-filter name, e.g. `btatt.handle`.
    public var name: String { unsafe declaration.pointee.name }
    /// The specification's name, e.g. "Handle".
    public var label: String { unsafe declaration.pointee.label }
    /// How the value is written.
    public var format: Format { unsafe declaration.pointee.format }
    /// Unit of the value after scaling, e.g. "ms"; nil when it has none.
    public var unit: String? { unsafe declaration.pointee.unit }
    /// Physical value = raw value × scale + bias, in `unit`.
    public var scale: Double { unsafe declaration.pointee.scale }
    /// Physical value of the raw value 0, in `unit`.
    public var bias: Double { unsafe declaration.pointee.bias }
    /// Whether the physical value is another than the raw one.
    public var isScaled: Bool { scale != 1 || bias != 0 }
    /// Unit of the number that columns and filters have: `unit`, or "1.25 ms" where that is the raw value; nil when it has
    /// none.
    public var numberUnit: String? {
        guard let unit, isScaled, !isMeasured else { return unit }
        let step = (Int(exactly: scale).map(String.init) ?? String(scale)) + " " + unit
        return bias == 0 ? step : "\(step) from \(bias) \(unit) on"
    }
    /// Decimals that physical values need: as many as `scale` and `bias` have, 9 at most.
    public var decimals: Int { unsafe declaration.pointee.decimals }
    /// The bits of the enclosing integer that hold the field; 0 when it is an integer by itself.
    public var mask: UInt64 { unsafe declaration.pointee.mask }
    /// Bytes of an integer; 0 where its declaration does not tell.
    public var size: Int { unsafe declaration.pointee.size }
    /// Names of values (opcodes, error codes, enumerations).
    public var names: ValueNames? { unsafe declaration.pointee.names }
    /// Whether the value is key material, which output masks.
    public var isSecret: Bool { unsafe declaration.pointee.isSecret }
    /// Whether it is one of a list of any length: a list stays one in output, though it has one element.
    public var isRepeated: Bool { unsafe declaration.pointee.isRepeated }
    /// Whether programs get the scaled value too, in columns and filters. Fields of the specification give them the raw
    /// one, as tshark does.
    public var isMeasured: Bool { unsafe declaration.pointee.isMeasured }
    /// Whether it is a container without a value of its own.
    @inlinable public var isGroup: Bool { if case .group = format { true } else { false } }
    /// What tells it from all other fields.
    @inlinable public var address: UInt { unsafe UInt(bitPattern: declaration) }

    @inlinable
    public static func == (one: Field, other: Field) -> Bool { one.address == other.address }

    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(address)
    }

    /// How a field's value is written.
    public enum Format: Sendable, Hashable {
        /// A container: a protocol layer or a structure.
        case group
        /// Unsigned number in decimal.
        case decimal
        /// Two's complement number of the field's length, in decimal.
        case signed
        /// Unsigned number in hexadecimal: 0x and this number of digits.
        case hex(Int)
        /// IEEE 754 binary64, already decoded.
        case number
        /// The same, decoded from an IEEE 754 number of fewer bytes: with the digits that those need.
        case float(bytes: Int)
        /// Unsigned number as its bytes in decimal with dots between them, the highest first.
        case dotted
        /// Point in time: steps of a length in nanoseconds since an epoch, which is in seconds since 1970 (UTC).
        case timestamp(epoch: Int64, step: Int64)
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
        /// 128-bit UUID, big-endian on the wire.
        case bigEndianUUID128
    }

    public init(
        _ name: String, _ label: String, _ format: Format, unit: String? = nil, scale: Double = 1, bias: Double = 0,
        mask: UInt64 = 0, size: Int = 0, names: ValueNames? = nil, isSecret: Bool = false, isRepeated: Bool = false,
        isMeasured: Bool = false
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
                json: text, key: UnsafeRawBufferPointer(rebasing: text[keyStart..<keyEnd])))
        unsafe declaration = UnsafePointer(memory)
    }

    /// Decimals of a step; where those are many, as for 1/1024, so many as tell two values apart.
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
    /// Writes a field's name and label as the beginning of a JSON object: every frame of NDJSON output has dozens of them.
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

/// Gives the name of a value, nil for a value that has none.
public struct ValueNames: Sendable {
    public let name: @Sendable (UInt64) -> String?
    /// The values that have names, in ascending order; nil where that is not known.
    public let values: [UInt64]?
    /// What programs call a value: the name where there is no other word for it.
    public let key: @Sendable (UInt64) -> String?

    public init(_ name: @escaping @Sendable (UInt64) -> String?) {
        self.name = name
        key = name
        values = nil
    }

    /// Names by value, and the words that programs have for the values where those are others.
    public init(_ table: [UInt64: String], keys: [UInt64: String] = [:]) {
        self.name = { table[$0] }
        key = { keys[$0] ?? table[$0] }
        values = table.keys.sorted()
    }

    public subscript(value: UInt64) -> String? { name(value) }
}
