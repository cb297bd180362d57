/// Operand of an expression: two machine words, no allocation.
package struct Operand: BitwiseCopyable, Sendable {
    package enum Kind: UInt8, Sendable, BitwiseCopyable {
        case unknown, integer, real, boolean
        /// A text literal of the expression, or a text field.
        case text
    }

    package var kind: Kind
    /// Number of the reference the operand came from, used to look up its text or name; negative for computed operands.
    package var reference: Int16 = -1
    /// The number; for a text literal, its index.
    package var bits: UInt64

    package static let unknown = Operand(kind: .unknown, bits: 0)

    package static func integer(_ number: Int64) -> Operand {
        Operand(kind: .integer, bits: UInt64(bitPattern: number))
    }

    /// Unknown above `Int64.max`.
    package static func unsigned(_ number: UInt64) -> Operand {
        number <= UInt64(Int64.max) ? Operand(kind: .integer, bits: number) : .unknown
    }

    /// Unknown for infinities and NaN.
    package static func real(_ number: Double) -> Operand {
        number.isFinite ? Operand(kind: .real, bits: number.bitPattern) : .unknown
    }

    package static func boolean(_ value: Bool) -> Operand {
        Operand(kind: .boolean, bits: value ? 1 : 0)
    }

    /// The text of a field; the scope provides it on demand.
    package static let text = Operand(kind: .text, bits: 0)
}

extension Operand {
    var integer: Int64? { kind == .integer ? Int64(bitPattern: bits) : nil }

    /// Value of an integer or a real number.
    var real: Double? {
        switch kind {
        case .integer: Double(Int64(bitPattern: bits))
        case .real: Double(bitPattern: bits)
        case .unknown, .boolean, .text: nil
        }
    }

    var boolean: Bool? { kind == .boolean ? bits != 0 : nil }

    /// A Boolean counts as 1 or 0.
    var comparable: Operand { kind == .boolean ? Operand(kind: .integer, bits: bits) : self }
}

// MARK: - Operators

extension Operand {
    /// Applies an operator to two operands that are not texts.
    func applying(_ operation: Expression.Operator, to other: Operand) -> Operand {
        switch operation {
        case .or: return Self.either(boolean, other.boolean, decidedBy: true)
        case .and: return Self.either(boolean, other.boolean, decidedBy: false)
        case .equal: return isEqual(to: other).map { .boolean($0) } ?? .unknown
        case .notEqual: return isEqual(to: other).map { .boolean(!$0) } ?? .unknown
        case .less, .lessOrEqual, .greater, .greaterOrEqual: return compared(operation, to: other)
        case .add: return adding(other)
        case .subtract: return subtracting(other)
        case .multiply: return combined(other, { $0.multipliedReportingOverflow(by: $1) }, *)
        case .divide: return combined(other, { $0.dividedReportingOverflow(by: $1) }, /)
        case .remainder:
            return combined(
                other, { $0.remainderReportingOverflow(dividingBy: $1) }, { $0.truncatingRemainder(dividingBy: $1) })
        case .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight:
            guard let one = integer, let other = other.integer else { return .unknown }
            return Self.bits(operation, one, other)
        }
    }

    /// Applies an operator to a constant, with a fast path for integer comparisons.
    @inline(__always)
    func applying(_ operation: Expression.Operator, to constant: Int64) -> Operand {
        if let number = integer {
            switch operation {
            case .equal: return .boolean(number == constant)
            case .notEqual: return .boolean(number != constant)
            case .less: return .boolean(number < constant)
            case .lessOrEqual: return .boolean(number <= constant)
            case .greater: return .boolean(number > constant)
            case .greaterOrEqual: return .boolean(number >= constant)
            case .bitAnd: return .integer(number & constant)
            default: break
            }
        }
        return applying(operation, to: .integer(constant))
    }

    /// Three-valued `&&` or `||`: an operand equal to `deciding` decides, even if the other is unknown.
    static func either(_ one: Bool?, _ other: Bool?, decidedBy deciding: Bool) -> Operand {
        if one == deciding || other == deciding { return .boolean(deciding) }
        return one == nil || other == nil ? .unknown : .boolean(!deciding)
    }

    func isIn(_ ranges: ArraySlice<ClosedRange<Int64>>) -> Operand {
        switch comparable.kind {
        case .integer: .boolean(ranges.contains { $0.contains(Int64(bitPattern: bits)) })
        case .real:
            .boolean(
                Int64(exactly: Double(bitPattern: bits)).map { number in
                    ranges.contains { $0.contains(number) }
                } ?? false)
        default: .unknown
        }
    }

    static func extreme(_ one: Operand, _ other: Operand, isLeast: Bool) -> Operand {
        guard let first = one.real, let second = other.real else { return .unknown }
        var result: Operand
        if let first = one.integer, let second = other.integer {
            result = (first <= second) == isLeast ? one : other
        } else {
            result = (first <= second) == isLeast ? one : other
        }
        result.reference = -1
        return result
    }

    func adding(_ other: Operand) -> Operand { combined(other, { $0.addingReportingOverflow($1) }, +) }
    func subtracting(_ other: Operand) -> Operand { combined(other, { $0.subtractingReportingOverflow($1) }, -) }

    private func compared(_ operation: Expression.Operator, to other: Operand) -> Operand {
        if let one = integer, let other = other.integer { return .boolean(Self.holds(operation, one, other)) }
        guard let one = real, let other = other.real else { return .unknown }
        return .boolean(Self.holds(operation, one, other))
    }

    private static func holds<Number: Comparable>(
        _ operation: Expression.Operator, _ one: Number, _ other: Number
    ) -> Bool {
        switch operation {
        case .less: one < other
        case .lessOrEqual: one <= other
        case .greater: one > other
        default: one >= other
        }
    }

    private static func bits(_ operation: Expression.Operator, _ one: Int64, _ other: Int64) -> Operand {
        switch operation {
        case .bitAnd: return .integer(one & other)
        case .bitOr: return .integer(one | other)
        case .bitXor: return .integer(one ^ other)
        default: break
        }
        guard (0..<64).contains(other) else { return .unknown }
        if operation == .shiftRight { return .integer(one >> other) }
        let shifted = one << other
        return shifted >> other == one ? .integer(shifted) : .unknown
    }

    /// Nil if unknown.
    private func isEqual(to other: Operand) -> Bool? {
        if kind == .unknown || other.kind == .unknown { return nil }
        let (one, other) = (comparable, other.comparable)
        if let one = one.integer, let other = other.integer { return one == other }
        return one.real == other.real
    }

    /// Combines two integers to an integer; if either operand is real, the result is real.
    private func combined(
        _ other: Operand, _ integers: (Int64, Int64) -> (partialValue: Int64, overflow: Bool),
        _ reals: (Double, Double) -> Double
    ) -> Operand {
        if let one = integer, let other = other.integer {
            let result = integers(one, other)
            return result.overflow ? .unknown : .integer(result.partialValue)
        }
        guard let one = real, let other = other.real else { return .unknown }
        return .real(reals(one, other))
    }
}

/// Result of an expression.
package enum ExpressionValue: Hashable, Sendable {
    case integer(Int64)
    case real(Double)
    case boolean(Bool)
    case text(String)
    case unknown
}
