import Bytes

/// An expression over the plain numbers of one type's values, as a tree of objects. It comes to the same as the steps of an
/// `ExpressionProgram`: going along constants of objects counts no references, and takes half the time that the steps take.
class BoundExpression {
    fileprivate init() {}

    /// What it comes to for a value of these bytes, to which its reading has been reset.
    func operand(over bytes: RawSpan) -> Operand { .unknown }

    /// Nil for an expression that asks for texts, lists, the request, or what is known of the connection.
    static func make(_ node: Expression.Node, _ reading: ValueReading?) -> BoundExpression? {
        switch node {
        case .number(let number): return ConstantOperand(.integer(number))
        case .real(let number): return ConstantOperand(.real(number))
        case .boolean(let value): return ConstantOperand(.boolean(value))
        case .field(let path):
            guard !path.hasPrefix(ExpressionProgram.Reference.requestPrefix), let reading,
                let plan = reading.plan(at: path)
            else { return nil }
            return FieldOperand(reading, plan)
        case .length: return LengthOperand()
        case .load(let size, .number(let offset)): return LoadedOperand(ExpressionProgram.size(ofLoaded: size), offset)
        case .not(let node): return make(node, reading).map { NotOperand($0) }
        case .negate(let node):
            return make(node, reading).map { BinaryOperand(.subtract, ConstantOperand(.integer(0)), $0) }
        case .binary(let operation, let one, .number(let number)) where operation.isComparison:
            return make(one, reading).map { ComparedOperand(operation, $0, number) }
        case .binary(let operation, let one, let other):
            guard let one = make(one, reading), let other = make(other, reading) else { return nil }
            return operation.isLogical ? LogicalOperand(operation, one, other) : BinaryOperand(operation, one, other)
        case .isIn(let node, let ranges): return make(node, reading).map { ContainedOperand($0, ranges) }
        case .call(let function, let arguments) where function == .min || function == .max:
            let operands = arguments.compactMap { make($0, reading) }
            guard operands.count == arguments.count, let first = operands.first else { return nil }
            return operands.dropFirst().reduce(first) { ExtremeOperand($0, $1, isLeast: function == .min) }
        case .text, .load, .written, .has, .call: return nil
        }
    }
}

private final class ConstantOperand: BoundExpression {
    let value: Operand

    init(_ value: Operand) { self.value = value }

    override func operand(over bytes: RawSpan) -> Operand { value }
}

private final class FieldOperand: BoundExpression {
    let reading: ValueReading
    let plan: Int

    init(_ reading: ValueReading, _ plan: Int) { (self.reading, self.plan) = (reading, plan) }

    override func operand(over bytes: RawSpan) -> Operand { reading.operand(ofPlan: plan) }
}

private final class LengthOperand: BoundExpression {
    override func operand(over bytes: RawSpan) -> Operand { .integer(Int64(bytes.byteCount)) }
}

private final class LoadedOperand: BoundExpression {
    let size: UInt8
    let offset: Int64

    init(_ size: UInt8, _ offset: Int64) { (self.size, self.offset) = (size, offset) }

    override func operand(over bytes: RawSpan) -> Operand { ExpressionProgram.load(size, at: offset, of: bytes) }
}

private final class NotOperand: BoundExpression {
    let one: BoundExpression

    init(_ one: BoundExpression) { self.one = one }

    override func operand(over bytes: RawSpan) -> Operand {
        one.operand(over: bytes).boolean.map { .boolean(!$0) } ?? .unknown
    }
}

/// A comparison with a number.
private final class ComparedOperand: BoundExpression {
    let operation: Expression.Operator
    let one: BoundExpression
    let number: Int64

    init(_ operation: Expression.Operator, _ one: BoundExpression, _ number: Int64) {
        (self.operation, self.one, self.number) = (operation, one, number)
    }

    override func operand(over bytes: RawSpan) -> Operand { one.operand(over: bytes).applying(operation, to: number) }
}

/// `&&` or `||`, which look at the other side only where the first one does not decide.
private final class LogicalOperand: BoundExpression {
    let deciding: Bool
    let one: BoundExpression
    let other: BoundExpression

    init(_ operation: Expression.Operator, _ one: BoundExpression, _ other: BoundExpression) {
        (deciding, self.one, self.other) = (operation == .or, one, other)
    }

    override func operand(over bytes: RawSpan) -> Operand {
        let first = one.operand(over: bytes).boolean
        if first == deciding { return .boolean(deciding) }
        return Operand.either(first, other.operand(over: bytes).boolean, decidedBy: deciding)
    }
}

private final class BinaryOperand: BoundExpression {
    let operation: Expression.Operator
    let one: BoundExpression
    let other: BoundExpression

    init(_ operation: Expression.Operator, _ one: BoundExpression, _ other: BoundExpression) {
        (self.operation, self.one, self.other) = (operation, one, other)
    }

    override func operand(over bytes: RawSpan) -> Operand {
        one.operand(over: bytes).applying(operation, to: other.operand(over: bytes))
    }
}

private final class ContainedOperand: BoundExpression {
    let one: BoundExpression
    let ranges: [ClosedRange<Int64>]

    init(_ one: BoundExpression, _ ranges: [ClosedRange<Int64>]) { (self.one, self.ranges) = (one, ranges) }

    override func operand(over bytes: RawSpan) -> Operand { one.operand(over: bytes).isIn(ranges[...]) }
}

private final class ExtremeOperand: BoundExpression {
    let one: BoundExpression
    let other: BoundExpression
    let isLeast: Bool

    init(_ one: BoundExpression, _ other: BoundExpression, isLeast: Bool) {
        (self.one, self.other, self.isLeast) = (one, other, isLeast)
    }

    override func operand(over bytes: RawSpan) -> Operand {
        Operand.extreme(one.operand(over: bytes), other.operand(over: bytes), isLeast: isLeast)
    }
}
