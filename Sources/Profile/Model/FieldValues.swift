import Bytes

// Interpretation of fields' raw numbers, shared by the profile reader, lint and the encoder.

extension [EnumerationCase] {
    /// The cases of type `bool`.
    package static let boolean = [EnumerationCase(value: 0, name: "false"), EnumerationCase(value: 1, name: "true")]

    /// Whether these are the cases of type `bool`.
    package var isBoolean: Bool { map(\.name) == ["false", "true"] && map(\.value) == [0, 1] }

    /// The name of a value; nil if it has none.
    public func name(of value: UInt64) -> String? { first { $0.value == value }?.name }
}

extension EnumerationCase {
    /// Display name: the title, with the alias in parentheses.
    package var display: String {
        let title = title ?? name.asWords
        return alias.map { "\(title) (\($0))" } ?? title
    }
}

extension FieldDefinition {
    package var isChecksum: Bool { if case .checksum = kind { true } else { false } }
}

extension String {
    /// A profile name as words.
    package var asWords: String { replacing("_", by: " ") }
}

extension BitsDefinition {
    /// Whether the part is a plain single bit, without named values, scale or special values.
    package var isBoolean: Bool {
        bits.count == 1 && cases.isEmpty && !isSigned && scale == nil && special.isEmpty
    }

    /// Interprets the raw bits of a part.
    package func value(of raw: UInt64) -> Value {
        if isBoolean { return .boolean(raw != 0) }
        if !cases.isEmpty { return .named(raw, cases.name(of: raw)) }
        return isSigned ? .integer(.signed(raw, bits: bits.count)) : .number(raw)
    }
}

extension Value {
    /// An unsigned number: `.unsigned` above `Int64.max`, otherwise `.integer`.
    public static func number(_ raw: UInt64) -> Value {
        Int64(exactly: raw).map { .integer($0) } ?? .unsigned(raw)
    }
}

extension Int64 {
    /// Sign-extends the two's complement number in the lowest `bits` bits.
    package static func signed(_ raw: UInt64, bits: Int) -> Int64 {
        Int64(truncatingIfNeeded: raw << UInt64(64 - bits)) >> Int64(64 - bits)
    }
}
