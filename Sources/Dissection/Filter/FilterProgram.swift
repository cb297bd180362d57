import Bytes

/// A display filter with its fields resolved: what is evaluated for every frame.
indirect enum FilterProgram: Sendable {
    case always
    case or([FilterProgram])
    case xor([FilterProgram])
    case and([FilterProgram])
    case not(FilterProgram)
    /// One of the fields is there.
    case exists(FilterFields)
    /// The operand has a value: a slice that lies inside of its field.
    case present(FilterOperand)
    /// Some value of the operand has a bit set.
    case nonzero(FilterOperand)
    /// The operand's values pass; `predicates` has one for each kind of value that the operand can have.
    case test(FilterOperand, [FilterPredicate], FilterQuantifier)
    /// The values of two operands compare.
    case compare(FilterOperand, FilterComparison, FilterOperand, FilterQuantifier, FilterByteOrder)
    /// A value of the one operand contains one of the other.
    case contains(FilterOperand, FilterOperand)
}

/// What gives values: a field, or what is computed from one.
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
        /// How the value is got at.
        let form: FilterValueForm
    }

    var alternatives: [Alternative]

    /// Which of the fields this is.
    func index(of field: Field) -> Int? {
        alternatives.firstIndex { $0.field == field }
    }
}

/// How the value of a recorded field is made of what was recorded.
enum FilterValueForm: Hashable {
    /// `value` as it is.
    case unsigned
    /// `value` in two's complement of the field's length, or of so many bits.
    case signed(bits: Int?)
    /// `value` as the bits of a Double.
    case real
    /// In the field's unit.
    case scaled
    /// `value` in nanoseconds, as seconds.
    case seconds
    /// The bytes that the field was read from.
    case bytes
    /// The bytes, up to the first NUL, or the generated text.
    case text
    /// `value` as six bytes, in the order in which an address is written.
    case address
    /// The bytes in the order in which a UUID is written.
    case uuid
}

/// A value of a recorded field. Texts are their UTF-8 bytes.
enum FilterValue {
    case number(Int128)
    case real(Double)
    case bytes([UInt8])
}

/// Which of two byte strings is the greater.
enum FilterByteOrder: Hashable {
    /// The longer one; of equally long ones the first different byte decides.
    case lengthFirst
    /// The first different byte decides, as in a dictionary.
    case lexicographic
}

/// What is asked of one value.
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

    /// Whether two values compare so; false for values that cannot be compared.
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
