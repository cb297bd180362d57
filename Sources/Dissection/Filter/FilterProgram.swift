import Bytes

/// A compiled display filter, evaluated for every frame.
indirect enum FilterProgram: Sendable {
    case always
    case or([FilterProgram])
    case xor([FilterProgram])
    case and([FilterProgram])
    case not(FilterProgram)
    /// One of the fields is present.
    case exists(FilterFields)
    /// The operand has a value: for example, a slice within its field.
    case present(FilterOperand)
    /// Some value of the operand has a bit set.
    case nonzero(FilterOperand)
    /// The operand's values pass their predicates, one for each kind of value.
    case test(FilterOperand, [FilterPredicate], FilterQuantifier)
    /// A comparison between the values of two operands.
    case compare(FilterOperand, FilterComparison, FilterOperand, FilterQuantifier, FilterByteOrder)
    /// A value of the first operand contains a value of the second.
    case contains(FilterOperand, FilterOperand)
}

/// A source of values: a field, or a computation from one.
indirect enum FilterOperand: Sendable {
    case fields(FilterFields)
    case slice(FilterOperand, [FilterSlice])
    case masked(FilterOperand, UInt64)
    case maskedBytes(FilterOperand, [UInt8])
    case length(FilterOperand)
    case count(FilterFields)
    case lowercased(FilterOperand)
    case uppercased(FilterOperand)
}

/// The fields that share a filter name.
struct FilterFields: Sendable {
    struct Alternative: Sendable {
        let field: Field
        let form: FilterValueForm
    }

    var alternatives: [Alternative]

    /// The index of a field among the alternatives.
    func index(of field: Field) -> Int? {
        alternatives.firstIndex { $0.field == field }
    }
}

/// The interpretation of a recorded field's value.
enum FilterValueForm: Hashable {
    /// `value` as it is.
    case unsigned
    /// `value` in two's complement, with the field's length or this number of bits.
    case signed(bits: Int?)
    /// `value` as the bits of a Double.
    case real
    /// The scaled value, in the field's unit.
    case scaled
    /// `value` in nanoseconds, as seconds.
    case seconds
    /// The field's source bytes.
    case bytes
    /// The bytes, up to the first NUL, or the generated text.
    case text
    /// `value` as six bytes, in the written order of an address.
    case address
    /// The bytes, in the written order of a UUID.
    case uuid
}

/// A value of a recorded field. Texts are their UTF-8 bytes.
enum FilterValue {
    case number(Int128)
    case real(Double)
    case bytes([UInt8])
}

/// The ordering of byte strings.
enum FilterByteOrder: Hashable {
    /// Longer strings are greater; strings of equal length compare by their first different byte.
    case lengthFirst
    /// Strings compare by their first different byte, as in a dictionary.
    case lexicographic
}

/// A condition on one value.
indirect enum FilterPredicate: Sendable {
    /// Nothing passes: the field has no such value.
    case never
    case number(FilterComparison, Int128)
    case numbers([ClosedRange<Int128>])
    case real(FilterComparison, Double)
    case bytes(FilterComparison, [UInt8], FilterByteOrder)
    case contains(BytePartSet)
    case matches(BytePattern)
    case all([FilterPredicate])
    case any([FilterPredicate])
    case not(FilterPredicate)
}

extension FilterPredicate {
    func passes(_ value: FilterValue) -> Bool {
        switch (self, value) {
        case (.number(let comparison, let other), .number(let number)): comparison.holds(number, other)
        case (.numbers(let ranges), .number(let number)): ranges.contains { $0.contains(number) }
        case (.real(let comparison, let other), .real(let number)): comparison.holds(number, other)
        case (.real(let comparison, let other), .number(let number)): comparison.holds(Double(number), other)
        case (.bytes(let comparison, let other, let order), .bytes(let bytes)):
            order.holds(comparison, bytes, other)
        case (.contains(let part), .bytes(let bytes)): part.isFound(in: bytes)
        case (.matches(let pattern), .bytes(let bytes)): pattern.matches(bytes)
        case (.all(let predicates), _): predicates.allSatisfy { $0.passes(value) }
        case (.any(let predicates), _): predicates.contains { $0.passes(value) }
        case (.not(let predicate), _): !predicate.passes(value)
        default: false
        }
    }
}

extension FilterComparison {
    func holds<Value: Comparable>(_ one: Value, _ other: Value) -> Bool {
        switch self {
        case .equal: one == other
        case .notEqual: one != other
        case .less: one < other
        case .lessOrEqual: one <= other
        case .greater: one > other
        case .greaterOrEqual: one >= other
        }
    }

    /// Whether the comparison holds for two values; false if they are not comparable.
    func holds(_ one: FilterValue, _ other: FilterValue, _ order: FilterByteOrder) -> Bool {
        switch (one, other) {
        case (.number(let one), .number(let other)): holds(one, other)
        case (.number(let one), .real(let other)): holds(Double(one), other)
        case (.real(let one), .number(let other)): holds(one, Double(other))
        case (.real(let one), .real(let other)): holds(one, other)
        case (.bytes(let one), .bytes(let other)): order.holds(self, one, other)
        default: false
        }
    }
}

extension FilterByteOrder {
    func holds(_ comparison: FilterComparison, _ one: [UInt8], _ other: [UInt8]) -> Bool {
        switch comparison {
        case .equal: one == other
        case .notEqual: one != other
        case .less: precedes(one, other)
        case .lessOrEqual: !precedes(other, one)
        case .greater: precedes(other, one)
        case .greaterOrEqual: !precedes(one, other)
        }
    }

    private func precedes(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        if self == .lengthFirst, one.count != other.count { return one.count < other.count }
        return one.lexicographicallyPrecedes(other)
    }
}
