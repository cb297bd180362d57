import Bytes

extension Expression {
    /// Evaluates the expression over a value of `bytes`; the scope provides its fields.
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

    /// Whether the expression is true; an unknown result counts as false.
    package func holds(over bytes: RawSpan, in scope: some ExpressionScope) -> Bool {
        program.evaluate(over: bytes, in: scope).boolean ?? false
    }
}

extension ExpressionProgram {
    /// Runs the steps. Allocates nothing unless the scope does.
    func evaluate(over bytes: RawSpan, in scope: some ExpressionScope) -> Operand {
        if stackUse <= Self.shallow {
            var stack = InlineArray<3, Operand>(repeating: .unknown)
            return evaluate(over: bytes, in: scope, on: &stack)
        }
        var stack = InlineArray<40, Operand>(repeating: .unknown)
        return evaluate(over: bytes, in: scope, on: &stack)
    }

    /// `top` holds the topmost operand, `stack` those below it.
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
                case .or: top = Operand.either(other.boolean, top.boolean, decidedBy: true)
                case .and: top = Operand.either(other.boolean, top.boolean, decidedBy: false)
                default: top = apply(step.operation, other, top, in: scope)
                }
            case .binaryConstant: top = apply(step, to: top, in: scope)
            case .compareReference: top = apply(step, to: scope.operand(Int(step.index), of: self), in: scope)
            case .compareLength: top = apply(step, to: .integer(Int64(bytes.byteCount)), in: scope)
            case .compareLoad: top = apply(step, to: Self.load(step.size, at: Int64(step.index), of: bytes), in: scope)
            case .skipIfTrue: if top.boolean == true { index = Int(step.index) }
            case .skipIfFalse: if top.boolean == false { index = Int(step.index) }
            case .isIn:
                top = top.isIn(ranges[Int(step.index)..<(Int(step.index) + Int(step.constant.bits))])
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
                    top = Operand.extreme(top, operand, isLeast: step.kind == .least)
                }
            }
        }
        return depth == 1 ? top : .unknown
    }

    /// The unsigned little-endian integer of `size` bytes; unknown beyond the value's end.
    static func load(_ size: UInt8, at offset: Int64?, of bytes: RawSpan) -> Operand {
        guard let offset, offset >= 0, offset <= Int64(bytes.byteCount) - Int64(size) else { return .unknown }
        return .unsigned(bytes.number(at: Int(offset), size: Int(size), .littleEndian))
    }
}

// MARK: - Operators

extension ExpressionProgram {
    private func apply(
        _ operation: Expression.Operator, _ one: Operand, _ other: Operand, in scope: some ExpressionScope
    ) -> Operand {
        guard operation == .equal || operation == .notEqual, one.kind == .text || other.kind == .text else {
            return one.applying(operation, to: other)
        }
        if one.kind == .unknown || other.kind == .unknown { return .unknown }
        // A number without a name equals no text; a computed number cannot have a name.
        guard isNameable(one), isNameable(other) else { return .unknown }
        var isEqual = false
        if let first = text(one, in: scope), let second = text(other, in: scope) { isEqual = first == second }
        return .boolean(isEqual == (operation == .equal))
    }

    /// Applies the step's operation with its constant as the right operand.
    @inline(__always)
    private func apply(_ step: Step, to one: Operand, in scope: some ExpressionScope) -> Operand {
        if let constant = step.constant.integer, one.kind != .text { return one.applying(step.operation, to: constant) }
        return apply(step.operation, one, step.constant, in: scope)
    }

    private func isNameable(_ operand: Operand) -> Bool {
        operand.kind == .text || operand.kind == .integer && operand.reference >= 0
    }

    /// The text of an operand: a field's from the scope, or a literal of the expression.
    func text(_ operand: Operand, in scope: some ExpressionScope) -> String? {
        operand.reference >= 0 ? scope.text(Int(operand.reference), of: self) : texts[Int(operand.bits)]
    }
}
