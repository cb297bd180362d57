import Profile

// Expressions as Lua functions of a scope. An unknown value is nil. The helper functions are in `expressions.lua` of
// `CWiresharkLua`.
extension LuaWriter {
    /// A function of the scope.
    static func function(_ expression: Expression) -> String {
        "function(s) return \(code(expression.root)) end"
    }

    private static func code(_ node: Expression.Node) -> String {
        switch node {
        case .number(let number): number < 0 ? "(\(number))" : "\(number)"
        case .real(let number): number < 0 ? "(\(number))" : "\(number)"
        case .boolean(let value): "\(value)"
        case .text(let text): quoted(text)
        case .field(let path): "get(s, \(quoted(path)))"
        case .length: "s.reading.length"
        case .load(let bytes, let offset): "load(s, \(bytes), \(code(offset)))"
        case .written(let name, let offset): "written(s, \(quoted(name)), \(code(offset)))"
        case .has(let name): "has(s, \(quoted(name)))"
        case .not(let node): "negated(\(code(node)))"
        case .negate(let node): "subtract(0, \(code(node)))"
        case .binary(let operation, let one, let other): binary(operation, one, other)
        case .isIn(let node, let ranges):
            "is_in(\(code(node)), {"
                + ranges.map { "{\($0.lowerBound), \($0.upperBound)}" }.joined(separator: ", ") + "})"
        case .call(let function, let arguments): call(function, arguments)
        }
    }

    private static func binary(
        _ operation: Expression.Operator, _ one: Expression.Node, _ other: Expression.Node
    ) -> String {
        if operation == .equal || operation == .notEqual {
            let isText = [one, other].contains { if case .text = $0 { true } else { false } }
            let equal =
                isText ? "same_text(\(text(one)), \(text(other)))" : "equal(\(code(one)), \(code(other)))"
            return operation == .equal ? equal : "negated(\(equal))"
        }
        let function =
            switch operation {
            case .or: "either"
            case .and: "both"
            case .equal, .notEqual: "equal"
            case .less: "less"
            case .lessOrEqual: "less_or_equal"
            case .greater: "greater"
            case .greaterOrEqual: "greater_or_equal"
            case .add: "add"
            case .subtract: "subtract"
            case .multiply: "multiply"
            case .divide: "divide"
            case .remainder: "remainder"
            case .bitAnd: "bit_and"
            case .bitOr: "bit_or"
            case .bitXor: "bit_xor"
            case .shiftLeft: "shift_left"
            case .shiftRight: "shift_right"
            }
        return "\(function)(\(code(one)), \(code(other)))"
    }

    /// An operand of a comparison with a text: a text, or the name of a number.
    private static func text(_ node: Expression.Node) -> String {
        switch node {
        case .text(let text): quoted(text)
        case .field(let path): "text_of(s, \(quoted(path)))"
        default: "nil"
        }
    }

    private static func call(_ function: Expression.Function, _ arguments: [Expression.Node]) -> String {
        switch function {
        case .min: return "least(\(list(arguments)))"
        case .max: return "greatest(\(list(arguments)))"
        case .abs: return "absolute(\(list(arguments)))"
        case .count, .sum:
            guard case .field(let path)? = arguments.first else { return "nil" }
            return "\(function.rawValue)(s, \(quoted(path)))"
        }
    }

    /// Arguments, preceded by their count: unknown arguments are nil, which would end a Lua list.
    private static func list(_ arguments: [Expression.Node]) -> String {
        (["\(arguments.count)"] + arguments.map(code)).joined(separator: ", ")
    }
}

extension Expression.Node {
    /// Whether the expression contains a text, so that numbers need their names.
    var comparesText: Bool {
        switch self {
        case .text: true
        case .number, .real, .boolean, .field, .length, .has: false
        case .load(_, let node), .written(_, let node), .not(let node), .negate(let node), .isIn(let node, _):
            node.comparesText
        case .binary(_, let one, let other): one.comparesText || other.comparesText
        case .call(_, let arguments): arguments.contains { $0.comparesText }
        }
    }
}
