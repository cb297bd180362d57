import Bytes

/// An expression over the plain numbers of one type's values: an `ExpressionProgram` with fields resolved in advance.
indirect enum BoundExpression {
    case constant(Operand)
    case field(ValueReading, plan: Int)
    case length
    case loaded(size: UInt8, offset: Int64)
    case not(BoundExpression)
    /// A comparison with a number.
    case compared(BoundExpression, Expression.Operator, Int64)
    /// `&&` or `||` with short-circuit evaluation.
    case logical(BoundExpression, BoundExpression, decidedBy: Bool)
    case binary(Expression.Operator, BoundExpression, BoundExpression)
    case contained(BoundExpression, [ClosedRange<Int64>])
    case extreme(BoundExpression, BoundExpression, isLeast: Bool)

    /// Nil for an expression that uses texts, lists, the request or the state of the connection.
    init?(_ node: Expression.Node, _ reading: ValueReading?) {
        switch node {
        case .number(let number): self = .constant(.integer(number))
        case .real(let number): self = .constant(.real(number))
        case .boolean(let value): self = .constant(.boolean(value))
        case .field(let path):
            guard !path.hasPrefix(ExpressionProgram.Reference.requestPrefix), let reading,
                let plan = reading.plan(at: path)
            else { return nil }
            self = .field(reading, plan: plan)
        case .length: self = .length
        case .load(let size, .number(let offset)):
            self = .loaded(size: ExpressionProgram.size(ofLoaded: size), offset: offset)
        case .not(let node):
            guard let one = Self(node, reading) else { return nil }
            self = .not(one)
        case .negate(let node):
            guard let one = Self(node, reading) else { return nil }
            self = .binary(.subtract, .constant(.integer(0)), one)
        case .binary(let operation, let one, .number(let number)) where operation.isComparison:
            guard let one = Self(one, reading) else { return nil }
            self = .compared(one, operation, number)
        case .binary(let operation, let one, let other):
            guard let one = Self(one, reading), let other = Self(other, reading) else { return nil }
            self =
                operation.isLogical
                ? .logical(one, other, decidedBy: operation == .or) : .binary(operation, one, other)
        case .isIn(let node, let ranges):
            guard let one = Self(node, reading) else { return nil }
            self = .contained(one, ranges)
        case .call(let function, let arguments) where function == .min || function == .max:
            let operands = arguments.compactMap { Self($0, reading) }
            guard operands.count == arguments.count, let first = operands.first else { return nil }
            self = operands.dropFirst().reduce(first) { .extreme($0, $1, isLeast: function == .min) }
        case .text, .load, .written, .has, .call: return nil
        }
    }

    /// Evaluates the expression over `bytes`, to which the reading has been reset.
    func operand(over bytes: RawSpan) -> Operand {
        switch self {
        case .constant(let value): value
        case .field(let reading, let plan): reading.operand(ofPlan: plan)
        case .length: .integer(Int64(bytes.byteCount))
        case .loaded(let size, let offset): ExpressionProgram.load(size, at: offset, of: bytes)
        case .not(let one): one.operand(over: bytes).boolean.map { .boolean(!$0) } ?? .unknown
        case .compared(let one, let operation, let number): one.operand(over: bytes).applying(operation, to: number)
        case .logical(let one, let other, let deciding):
            Self.either(one.operand(over: bytes).boolean, other, over: bytes, decidedBy: deciding)
        case .binary(let operation, let one, let other):
            one.operand(over: bytes).applying(operation, to: other.operand(over: bytes))
        case .contained(let one, let ranges): one.operand(over: bytes).isIn(ranges[...])
        case .extreme(let one, let other, let isLeast):
            Operand.extreme(one.operand(over: bytes), other.operand(over: bytes), isLeast: isLeast)
        }
    }

    private static func either(
        _ first: Bool?, _ other: BoundExpression, over bytes: RawSpan, decidedBy deciding: Bool
    ) -> Operand {
        if first == deciding { return .boolean(deciding) }
        return Operand.either(first, other.operand(over: bytes).boolean, decidedBy: deciding)
    }
}
