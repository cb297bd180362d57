import Bytes

// Meanings of the raw numbers of fields, for the reader, lint and the encoder.

extension [EnumerationCase] {
    /// What makes a byte a Boolean: type `bool`.
    package static let boolean = [EnumerationCase(value: 0, name: "false"), EnumerationCase(value: 1, name: "true")]

    /// Whether it is that.
    package var isBoolean: Bool { map(\.name) == ["false", "true"] && map(\.value) == [0, 1] }

    /// The name of a value; nil where it has none.
    public func name(of value: UInt64) -> String? { first { $0.value == value }?.name }
}

extension EnumerationCase {
    /// What outputs call the value: its title, with the other name that people know.
    package var display: String {
        let title = title ?? name.asWords
        return alias.map { "\(title) (\($0))" } ?? title
    }
}

extension FieldDefinition {
    package var isChecksum: Bool { if case .checksum = kind { true } else { false } }
}

extension String {
    /// A name of the profile as words.
    package var asWords: String { replacing("_", by: " ") }
}

extension BitsDefinition {
    /// Whether it is a single bit without names.
    package var isBoolean: Bool {
        bits.count == 1 && cases.isEmpty && !isSigned && scale == nil && special.isEmpty
    }

    /// The value of a part's bits.
    package func value(of raw: UInt64) -> Value {
        if isBoolean { return .boolean(raw != 0) }
        if !cases.isEmpty { return .named(raw, cases.name(of: raw)) }
        return isSigned ? .integer(.signed(raw, bits: bits.count)) : .number(raw)
    }
}

extension Value {
    /// A raw number, whatever its size.
    public static func number(_ raw: UInt64) -> Value {
        Int64(exactly: raw).map { .integer($0) } ?? .unsigned(raw)
    }
}

extension Int64 {
    /// The number that so many bits stand for in two's complement.
    package static func signed(_ raw: UInt64, bits: Int) -> Int64 {
        Int64(truncatingIfNeeded: raw << UInt64(64 - bits)) >> Int64(64 - bits)
    }
}
