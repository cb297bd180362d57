import Bytes

extension Expression {
    /// What it comes to for a value of these bytes, whose fields the scope has.
    package func evaluate(over bytes: RawSpan, in scope: some ExpressionScope) -> ExpressionValue {
        let result = program.evaluate(over: bytes, in: scope)
        switch result.kind {
        case .unknown: return .unknown
        case .integer: return .integer(Int64(bitPattern: result.bits))
        case .real: return .real(Double(bitPattern: result.bits))
        case .boolean: return .boolean(result.bits != 0)
        case .text: return program.text(result, in: scope).map { .text($0) } ?? .unknown
        }
    }

    /// Whether it is true; what is unknown does not hold.
    package func holds(over bytes: RawSpan, in scope: some ExpressionScope) -> Bool {
        program.evaluate(over: bytes, in: scope).boolean ?? false
    }
}

extension ExpressionProgram {
    /// Goes through the steps; allocates nothing as long as the scope does not.
    func evaluate(over bytes: RawSpan, in scope: some ExpressionScope) -> Operand {
        if stackUse <= Self.shallow {
            var stack = InlineArray<3, Operand>(repeating: .unknown)
            return evaluate(over: bytes, in: scope, on: &stack)
        }
        var stack = InlineArray<40, Operand>(repeating: .unknown)
        return evaluate(over: bytes, in: scope, on: &stack)
    }

    /// `top` is the operand on top of the stack, `stack` has those below it.
    private func evaluate<let room: Int>(
        over bytes: RawSpan, in scope: some ExpressionScope, on stack: inout InlineArray<room, Operand>
    ) -> Operand {
        var top = Operand.unknown
        var depth = 0
        var index = 0
        while index < steps.count {
            let step = steps[index]
            index += 1
            if step.kind.isPush {
                if depth > 0 { stack[depth - 1] = top }
                depth += 1
            }
            switch step.kind {
            case .push: top = step.constant
            case .reference:
                top = scope.operand(Int(step.index), of: self)
                top.reference = Int16(truncatingIfNeeded: step.index)
            case .length: top = .integer(Int64(bytes.byteCount))
            case .load: top = Self.load(step.size, at: top.integer, of: bytes)
            case .loadAt: top = Self.load(step.size, at: Int64(step.index), of: bytes)
            case .written:
                let byte = top.integer.flatMap(Int.init(exactly:)).flatMap {
                    $0 < 0 ? nil : scope.written(to: characteristics[Int(step.index)], at: $0)
                }
                top = byte.map { .integer(Int64($0)) } ?? .unknown
            case .has: top = scope.has(characteristics[Int(step.index)]).map { .boolean($0) } ?? .unknown
            case .not: top = top.boolean.map { .boolean(!$0) } ?? .unknown
            case .negate: top = Operand.integer(0).subtracting(top)
            case .binary:
                depth -= 1
                let other = stack[depth - 1]
                switch step.operation {
                case .or: top = Self.either(other.boolean, top.boolean, decidedBy: true)
                case .and: top = Self.either(other.boolean, top.boolean, decidedBy: false)
                default: top = apply(step.operation, other, top, in: scope)
                }
            case .binaryConstant: top = apply(step, to: top, in: scope)
            case .compareReference: top = apply(step, to: scope.operand(Int(step.index), of: self), in: scope)
            case .compareLength: top = apply(step, to: .integer(Int64(bytes.byteCount)), in: scope)
            case .compareLoad: top = apply(step, to: Self.load(step.size, at: Int64(step.index), of: bytes), in: scope)
            case .skipIfTrue: if top.boolean == true { index = Int(step.index) }
            case .skipIfFalse: if top.boolean == false { index = Int(step.index) }
            case .isIn:
                top = isIn(top, ranges[Int(step.index)..<(Int(step.index) + Int(step.constant.bits))])
            case .absolute:
                if let number = top.real, number < 0 { top = Operand.integer(0).subtracting(top) }
                top.reference = -1
            case .least, .greatest:
                let last = top
                let count = Int(step.size)
                depth -= count - 1
                if count > 1 { top = stack[depth - 1] }
                for other in 1..<count {
                    let operand = other == count - 1 ? last : stack[depth - 1 + other]
                    top = Self.extreme(top, operand, isLeast: step.kind == .least)
                }
            }
        }
        return depth == 1 ? top : .unknown
    }

    /// The unsigned little-endian number of `size` bytes.
    private static func load(_ size: UInt8, at offset: Int64?, of bytes: RawSpan) -> Operand {
        guard let offset, offset >= 0, offset <= Int64(bytes.byteCount) - Int64(size) else { return .unknown }
        if size == 1 { return .integer(Int64(bytes.byte(at: Int(offset)))) }
        var number: UInt64 = 0
        for index in 0..<Int(size) { number |= UInt64(bytes.byte(at: Int(offset) + index)) << (8 * UInt64(index)) }
        return .unsigned(number)
    }

    private func isIn(_ operand: Operand, _ ranges: ArraySlice<ClosedRange<Int64>>) -> Operand {
        switch operand.comparable.kind {
        case .integer: .boolean(ranges.contains { $0.contains(Int64(bitPattern: operand.bits)) })
        case .real:
            .boolean(
                Int64(exactly: Double(bitPattern: operand.bits)).map { number in
                    ranges.contains { $0.contains(number) }
                } ?? false)
        default: .unknown
        }
    }

    private static func extreme(_ one: Operand, _ other: Operand, isLeast: Bool) -> Operand {
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
}

// MARK: - Operators

extension ExpressionProgram {
    private func apply(
        _ operation: Expression.Operator, _ one: Operand, _ other: Operand, in scope: some ExpressionScope
    ) -> Operand {
        switch operation {
        case .or: return Self.either(one.boolean, other.boolean, decidedBy: true)
        case .and: return Self.either(one.boolean, other.boolean, decidedBy: false)
        case .equal, .notEqual:
            return isEqual(one, other, in: scope).map { .boolean($0 == (operation == .equal)) } ?? .unknown
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            return Self.compare(operation, one, other)
        case .add: return one.adding(other)
        case .subtract: return one.subtracting(other)
        case .multiply: return one.combined(other, { $0.multipliedReportingOverflow(by: $1) }, *)
        case .divide: return one.combined(other, { $0.dividedReportingOverflow(by: $1) }, /)
        case .remainder:
            return one.combined(
                other, { $0.remainderReportingOverflow(dividingBy: $1) }, { $0.truncatingRemainder(dividingBy: $1) })
        case .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight:
            guard let one = one.integer, let other = other.integer else { return .unknown }
            return Self.bits(operation, one, other)
        }
    }

    /// The same with the step's constant as the right side: what most conditions do with an integer is done at once.
    @inline(__always)
    private func apply(_ step: Step, to one: Operand, in scope: some ExpressionScope) -> Operand {
        if let number = one.integer, let constant = step.constant.integer {
            switch step.operation {
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
        return apply(step.operation, one, step.constant, in: scope)
    }

    /// Of two Booleans, one that is `deciding` decides, whatever the other is.
    private static func either(_ one: Bool?, _ other: Bool?, decidedBy deciding: Bool) -> Operand {
        if one == deciding || other == deciding { return .boolean(deciding) }
        return one == nil || other == nil ? .unknown : .boolean(!deciding)
    }

    private static func compare(_ operation: Expression.Operator, _ one: Operand, _ other: Operand) -> Operand {
        if let one = one.integer, let other = other.integer {
            return .boolean(holds(operation, one, other))
        }
        guard let one = one.real, let other = other.real else { return .unknown }
        return .boolean(holds(operation, one, other))
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

    /// Nil where it is unknown.
    private func isEqual(_ one: Operand, _ other: Operand, in scope: some ExpressionScope) -> Bool? {
        if one.kind == .unknown || other.kind == .unknown { return nil }
        if one.kind == .text || other.kind == .text {
            // A number that has no name equals no text; one that was computed cannot have a name.
            guard isNameable(one), isNameable(other) else { return nil }
            guard let first = text(one, in: scope), let second = text(other, in: scope) else { return false }
            return first == second
        }
        let (one, other) = (one.comparable, other.comparable)
        if let one = one.integer, let other = other.integer { return one == other }
        return one.real == other.real
    }

    private func isNameable(_ operand: Operand) -> Bool {
        operand.kind == .text || operand.kind == .integer && operand.reference >= 0
    }

    /// The text that an operand stands for.
    func text(_ operand: Operand, in scope: some ExpressionScope) -> String? {
        operand.reference >= 0 ? scope.text(Int(operand.reference), of: self) : texts[Int(operand.bits)]
    }
}

extension Operand {
    func adding(_ other: Operand) -> Operand { combined(other, { $0.addingReportingOverflow($1) }, +) }
    func subtracting(_ other: Operand) -> Operand { combined(other, { $0.subtractingReportingOverflow($1) }, -) }

    /// Two integers make one; a real number makes the other one real.
    fileprivate func combined(
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
