/// A decoded value: the result of decoding with a profile type, and the input for encoding.
public indirect enum Value: Sendable {
    case integer(Int64)
    /// Above `Int64.max`.
    case unsigned(UInt64)
    /// A real number, after scaling.
    case real(Double)
    case boolean(Bool)
    case text(String)
    case bytes([UInt8])
    /// A value of an enumeration, or a raw value with a special meaning; the name is nil for unknown numbers.
    case named(UInt64, String?)
    /// A point in time: the raw number, and the nanoseconds since 1970 (UTC) that it represents.
    case time(Int64, nanoseconds: Int64)
    case list([Value])
    case record(Record)
    /// An absent field.
    case absent
}

extension Value: Hashable {
    /// NaNs compare equal, so that a value equals itself.
    public static func == (one: Value, other: Value) -> Bool {
        switch (one, other) {
        case (.integer(let one), .integer(let other)): one == other
        case (.unsigned(let one), .unsigned(let other)): one == other
        case (.real(let one), .real(let other)): one == other || one.isNaN && other.isNaN
        case (.boolean(let one), .boolean(let other)): one == other
        case (.text(let one), .text(let other)): one == other
        case (.bytes(let one), .bytes(let other)): one == other
        case (.named(let one, let name), .named(let other, let otherName)): one == other && name == otherName
        case (.time(let one, let time), .time(let other, let otherTime)): one == other && time == otherTime
        case (.list(let one), .list(let other)): one == other
        case (.record(let one), .record(let other)): one == other
        case (.absent, .absent): true
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .integer(let number): hasher.combine(number)
        case .unsigned(let number): hasher.combine(number)
        case .real(let number): hasher.combine(number.isNaN ? Double.nan.bitPattern : (number + 0).bitPattern)
        case .boolean(let value): hasher.combine(value)
        case .text(let text): hasher.combine(text)
        case .bytes(let bytes): hasher.combine(bytes)
        case .named(let number, _): hasher.combine(number)
        case .time(let number, _): hasher.combine(number)
        case .list(let elements): hasher.combine(elements)
        case .record(let record): hasher.combine(record)
        case .absent: break
        }
    }
}

/// The fields of a structure, in order.
public struct Record: Sendable, Hashable {
    public var fields: [(name: String, value: Value)] = []

    package init() {}

    /// The value of a field; nil if there is no field with this name.
    public subscript(name: String) -> Value? {
        fields.first { $0.name == name }?.value
    }

    public static func == (one: Record, other: Record) -> Bool {
        one.fields.count == other.fields.count
            && zip(one.fields, other.fields).allSatisfy { $0.name == $1.name && $0.value == $1.value }
    }

    public func hash(into hasher: inout Hasher) {
        for field in fields {
            hasher.combine(field.name)
            hasher.combine(field.value)
        }
    }
}

extension Record: ExpressibleByDictionaryLiteral {
    /// Creates a record with the fields in the order of the literal.
    public init(dictionaryLiteral elements: (String, Value)...) {
        fields = elements.map { (name: $0.0, value: $0.1) }
    }
}
