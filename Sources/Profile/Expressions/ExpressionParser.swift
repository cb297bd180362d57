extension Expression {
    /// Parses an expression that begins at `place`.
    package init(parsing text: String, at place: SourcePlace) throws(ExpressionFault) {
        var parser = ExpressionParser(try ExpressionLexer.tokens(text))
        let root = try parser.whole()
        self.init(text: text, place: place, root: root)
        if program.isTooDeep { throw ExpressionFault("nested too deeply", column: 1) }
    }
}

/// Parses the tokens of an expression into a tree.
struct ExpressionParser {
    private typealias Token = ExpressionLexer.Token
    private typealias Node = Expression.Node

    private let tokens: [Token]
    private var next = 0
    private var depth = 0

    /// Maximum nesting of parentheses and prefix operators.
    private static let depthLimit = 32

    init(_ tokens: [ExpressionLexer.Token]) {
        self.tokens = tokens
    }

    mutating func whole() throws(ExpressionFault) -> Expression.Node {
        let node = try disjunction()
        if token.kind == .end { return node }
        let operators = ["and": "&&", "or": "||"]
        throw fault("an operator or the end", advice: operators[token.text].map { "; write \($0)" } ?? "")
    }

    private var token: Token { tokens[min(next, tokens.count - 1)] }

    private func fault(_ expected: String, at other: Token? = nil, advice: String = "") -> ExpressionFault {
        let token = other ?? token
        let found = token.kind == .end ? token.text : "\"\(token.text)\""
        return ExpressionFault("expected \(expected), found \(found)\(advice)", column: token.column)
    }

    private mutating func take(_ sign: String) -> Bool {
        guard token.kind == .sign(sign) else { return false }
        next += 1
        return true
    }

    private mutating func require(_ sign: String) throws(ExpressionFault) {
        if !take(sign) { throw fault("\"\(sign)\"") }
    }

    private mutating func nested(
        _ body: (inout Self) throws(ExpressionFault) -> Expression.Node
    ) throws(ExpressionFault) -> Expression.Node {
        depth += 1
        defer { depth -= 1 }
        if depth > Self.depthLimit {
            throw ExpressionFault("expected at most \(Self.depthLimit) levels of brackets", column: token.column)
        }
        return try body(&self)
    }
}

// MARK: - Operators, from lowest precedence

extension ExpressionParser {
    private mutating func disjunction() throws(ExpressionFault) -> Expression.Node {
        var node = try conjunction()
        while take("||") { node = .binary(.or, node, try conjunction()) }
        return node
    }

    private mutating func conjunction() throws(ExpressionFault) -> Expression.Node {
        var node = try negation()
        while take("&&") { node = .binary(.and, node, try negation()) }
        return node
    }

    private mutating func negation() throws(ExpressionFault) -> Expression.Node {
        guard take("!") else { return try comparison() }
        return .not(try nested { parser throws(ExpressionFault) in try parser.negation() })
    }

    private mutating func comparison() throws(ExpressionFault) -> Expression.Node {
        let one = try sum()
        if token.kind == .name("in") {
            next += 1
            return .isIn(one, try ranges())
        }
        guard let operation = sign(among: [.equal, .notEqual, .lessOrEqual, .less, .greaterOrEqual, .greater]) else {
            return one
        }
        let other = try sum()
        if case .sign(let sign) = token.kind, Expression.Operator(rawValue: sign)?.isComparison == true {
            throw ExpressionFault("comparisons cannot follow each other; join them by &&", column: token.column)
        }
        return .binary(operation, one, other)
    }

    private mutating func sum() throws(ExpressionFault) -> Expression.Node {
        var node = try product()
        while let operation = sign(among: [.add, .subtract]) { node = .binary(operation, node, try product()) }
        return node
    }

    private mutating func product() throws(ExpressionFault) -> Expression.Node {
        var node = try bits()
        while let operation = sign(among: [.multiply, .divide, .remainder]) {
            node = .binary(operation, node, try bits())
        }
        return node
    }

    private mutating func bits() throws(ExpressionFault) -> Expression.Node {
        var node = try minus()
        while let operation = sign(among: [.bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight]) {
            node = .binary(operation, node, try minus())
        }
        return node
    }

    private mutating func minus() throws(ExpressionFault) -> Expression.Node {
        guard take("-") else { return try value() }
        let node = try nested { parser throws(ExpressionFault) in try parser.minus() }
        switch node {
        case .number(let number): return .number(-number)
        case .real(let real): return .real(-real)
        default: return .negate(node)
        }
    }

    private mutating func sign(among operators: [Expression.Operator]) -> Expression.Operator? {
        guard case .sign(let sign) = token.kind, let operation = operators.first(where: { $0.rawValue == sign })
        else { return nil }
        next += 1
        return operation
    }

    /// `{1, 2, 5..8}`.
    private mutating func ranges() throws(ExpressionFault) -> [ClosedRange<Int64>] {
        try require("{")
        var ranges: [ClosedRange<Int64>] = []
        repeat {
            let start = token
            let lower = try wholeNumber()
            let upper = take("..") ? try wholeNumber() : lower
            guard lower <= upper else { throw fault("the lower number of the range first", at: start) }
            ranges.append(lower...upper)
        } while take(",")
        try require("}")
        return ranges
    }

    private mutating func wholeNumber() throws(ExpressionFault) -> Int64 {
        let isNegative = take("-")
        guard case .integer(let number) = token.kind else { throw fault("a whole number") }
        next += 1
        return isNegative ? -number : number
    }
}

// MARK: - Values

extension ExpressionParser {
    private mutating func value() throws(ExpressionFault) -> Expression.Node {
        let start = token
        switch start.kind {
        case .integer(let number):
            next += 1
            return .number(number)
        case .real(let number):
            next += 1
            return .real(number)
        case .text(let text):
            next += 1
            return .text(text)
        case .name(let name):
            next += 1
            return try named(name, start)
        case .sign("("):
            next += 1
            let node = try nested { parser throws(ExpressionFault) in try parser.disjunction() }
            try require(")")
            return node
        case .sign("!"):
            throw ExpressionFault(
                "expected a value, found \"!\"; put what it negates in brackets", column: start.column)
        case .sign, .end:
            throw fault("a value")
        }
    }

    /// A field, a keyword or a function call.
    private mutating func named(_ name: String, _ start: ExpressionLexer.Token) throws(ExpressionFault)
        -> Expression.Node
    {
        guard take("(") else {
            switch name {
            case "true": return .boolean(true)
            case "false": return .boolean(false)
            case "length": return .length
            case "in": throw fault("a value", at: start)
            default:
                guard name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty }) else {
                    throw fault("the name of a field", at: start)
                }
                return .field(name)
            }
        }
        let node = try nested { parser throws(ExpressionFault) in try parser.call(name, start) }
        try require(")")
        return node
    }

    private mutating func call(_ name: String, _ start: ExpressionLexer.Token) throws(ExpressionFault)
        -> Expression.Node
    {
        switch name {
        case "written":
            let characteristic = try characteristic()
            return .written(characteristic, offset: take(",") ? try disjunction() : .number(0))
        case "has":
            return .has(try characteristic())
        case "count", "sum":
            let argument = token
            guard case .field(let path) = try disjunction() else {
                throw fault(
                    name == "count" ? "the name of a list" : "a list and the field to add: list.field", at: argument)
            }
            return .call(name == "count" ? .count : .sum, [.field(path)])
        default: break
        }
        let arguments = try arguments()
        if name.hasPrefix("u"), let bits = Int(name.dropFirst()), (8...64).contains(bits), bits % 8 == 0 {
            guard arguments.count == 1 else { throw fault("\(name) with one offset", at: start) }
            return .load(bytes: bits / 8, offset: arguments[0])
        }
        switch Expression.Function(rawValue: name) {
        case .abs:
            guard arguments.count == 1 else { throw fault("abs with one value", at: start) }
            return .call(.abs, arguments)
        case .min:
            guard (2...8).contains(arguments.count) else { throw fault("min with two to eight values", at: start) }
            return .call(.min, arguments)
        case .max:
            guard (2...8).contains(arguments.count) else { throw fault("max with two to eight values", at: start) }
            return .call(.max, arguments)
        case .count, .sum, nil:
            throw fault("a function: u8 to u64, written, has, count, sum, min, max or abs", at: start)
        }
    }

    private mutating func arguments() throws(ExpressionFault) -> [Expression.Node] {
        var arguments = [try disjunction()]
        while take(",") { arguments.append(try disjunction()) }
        return arguments
    }

    private mutating func characteristic() throws(ExpressionFault) -> String {
        guard case .name(let name) = token.kind, !name.contains(".") else {
            throw fault("the name of a characteristic")
        }
        next += 1
        return name
    }
}
