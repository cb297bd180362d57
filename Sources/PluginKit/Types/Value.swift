/// A value as people and Swift see it: what a profile's type makes of bytes, and what it makes bytes of.
package indirect enum Value: Sendable, Hashable {
    case integer(Int64)
    /// Above Int64's range.
    case unsigned(UInt64)
    /// A measured number, after scaling.
    case real(Double)
    case boolean(Bool)
    case text(String)
    case bytes([UInt8])
    /// A number of an enumeration, or a raw value with a meaning of its own; the name is nil for unknown numbers.
    case named(UInt64, String?)
    case list([Value])
    case record(Record)
    /// A field that is not there.
    case absent
}

/// The fields of a structure, in order.
package struct Record: Sendable, Hashable {
    package var fields: [(name: String, value: Value)] = []

    package init() {}

    /// The value of a field; nil when there is none of this name.
    package subscript(name: String) -> Value? {
        fields.first { $0.name == name }?.value
    }

    package static func == (one: Record, other: Record) -> Bool {
        one.fields.count == other.fields.count
            && zip(one.fields, other.fields).allSatisfy { $0.name == $1.name && $0.value == $1.value }
    }

    package func hash(into hasher: inout Hasher) {
        for field in fields {
            hasher.combine(field.name)
            hasher.combine(field.value)
        }
    }
}
