import Bytes

/// A value of an attribute that the Bluetooth SIG has defined.
protocol StandardValue: WireFormat, Hashable {
    /// Every field that reading records.
    static var fields: [Field] { get }
}

/// A value that is one number.
protocol NumberValue: StandardValue {
    associatedtype Number: FixedWidthInteger & BitwiseCopyable
    static var field: Field { get }
    /// The fields that share the number's bits.
    static var bits: [Field] { get }
    var value: Number { get }
    init(value: Number)
}

extension NumberValue {
    static var bits: [Field] { [] }
    static var fields: [Field] { [field] + bits }

    init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(value: try reader.read(Self.field))
        reader.recordBits(value, Self.bits)
    }

    func write(to writer: inout ByteWriter) {
        writer.write(value)
    }
}

/// A value that is UTF-8 text. The specification has no NUL in it; what follows one, as some devices send it, is kept
/// apart from the text.
protocol TextValue: StandardValue {
    static var text: TextFields { get }
    /// The value as it was sent.
    var bytes: [UInt8] { get }
    init(bytes: [UInt8])
}

/// The fields of a text.
struct TextFields {
    let text: Field
    /// The first NUL and what follows it.
    let padding: Field

    init(text: Field, padding: Field) {
        self.text = text
        self.padding = padding
    }

    init(_ message: String, _ label: String) {
        text = Field(standard: message + ".text", label, .text)
        padding = Field(standard: message + ".padding", "Padding", .bytes)
    }
}

extension TextValue {
    static var fields: [Field] { [text.text, text.padding] }

    init(reading reader: inout ByteReader) throws(DecodeError) {
        let bytes = reader.restBytes
        try reader.skip(Self.text.text, count: bytes.firstIndex(of: 0) ?? bytes.count)
        reader.skipRest(Self.text.padding)
        self.init(bytes: bytes)
    }

    func write(to writer: inout ByteWriter) {
        writer.write(bytes)
    }
}

/// A value whose bytes mean something only to those who know the device.
protocol BytesValue: StandardValue {
    static var field: Field { get }
    var bytes: [UInt8] { get }
    init(bytes: [UInt8])
}

extension BytesValue {
    static var fields: [Field] { [field] }

    init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(bytes: reader.readRest(Self.field))
    }

    func write(to writer: inout ByteWriter) {
        writer.write(bytes)
    }
}

// MARK: - Making fields

extension Field {
    /// A field of this plugin; `name` is the message's name, a dot and the field's.
    init(
        standard name: String, _ label: String, _ format: Format, unit: String? = nil, scale: Double = 1,
        mask: UInt64 = 0, names: ValueNames? = nil
    ) {
        self.init("standard." + name, label, format, unit: unit, scale: scale, mask: mask, names: names)
    }

    /// One bit of a number.
    static func flag(_ name: String, _ label: String, bit: UInt64) -> Field {
        Field(standard: name, label, .boolean, mask: 1 << bit)
    }
}

extension ValueNames {
    /// The name of a number that is made of parts: the labels of the flags that are set, and of the parts that are not
    /// zero with their values' names.
    init(parts: [Field]) {
        self.init { number in
            let names = parts.compactMap { part -> String? in
                let value = (number & part.mask) >> UInt64(part.mask.trailingZeroBitCount)
                if value == 0 { return nil }
                return part.format == .boolean ? part.label : "\(part.label) \(part.names?[value] ?? "\(value)")"
            }
            if names.isEmpty { return number == 0 ? "none" : nil }
            return names.joined(separator: " + ")
        }
    }

    /// Names of values of a signed number.
    init(signed table: [Int64: String]) {
        self.init { table[Int64(bitPattern: $0)] }
    }
}
