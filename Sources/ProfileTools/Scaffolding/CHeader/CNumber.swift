import Bytes

/// Evaluates a constant expression of a C header: numbers, names of constants, `+ - * / % << >> & |` and parentheses.
struct CNumber {
    private let tokens: [CToken]
    private let constants: [String: Int64]
    private var place = 0
    private var depth = 0
    private static let depthLimit = 32

    init(_ tokens: [CToken], constants: [String: Int64]) {
        self.tokens = tokens
        self.constants = constants
    }

    /// The value; nil if the expression is invalid or overflows.
    mutating func read() -> Int64? {
        guard let value = binary(0), place == tokens.count else { return nil }
        return value
    }

    /// Binary operators by precedence, lowest first.
    private static let levels: [[String]] = [["|"], ["&"], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]]

    private mutating func binary(_ level: Int) -> Int64? {
        guard level < Self.levels.count else { return unary() }
        guard var value = binary(level + 1) else { return nil }
        while let operation = next(among: Self.levels[level]) {
            place += operation.count
            guard let other = binary(level + 1), let result = Self.apply(operation, value, other) else { return nil }
            value = result
        }
        return value
    }

    /// The next operator, if it is one of `operators`.
    private func next(among operators: [String]) -> String? {
        operators.first { word in
            word.enumerated().allSatisfy { index, character in
                place + index < tokens.count && tokens[place + index].kind == .symbol(character)
            }
        }
    }

    private static func apply(_ operation: String, _ one: Int64, _ other: Int64) -> Int64? {
        let result: (partialValue: Int64, overflow: Bool)
        switch operation {
        case "|": return one | other
        case "&": return one & other
        case "<<": return (0..<63).contains(other) ? one << other : nil
        case ">>": return (0..<63).contains(other) ? one >> other : nil
        case "+": result = one.addingReportingOverflow(other)
        case "-": result = one.subtractingReportingOverflow(other)
        case "*": result = one.multipliedReportingOverflow(by: other)
        case "/": result = one.dividedReportingOverflow(by: other)
        default: result = one.remainderReportingOverflow(dividingBy: other)
        }
        return result.overflow ? nil : result.partialValue
    }

    private mutating func unary() -> Int64? {
        guard place < tokens.count, depth < Self.depthLimit else { return nil }
        let token = tokens[place]
        place += 1
        switch token.kind {
        case .number(let number): return number
        case .word(let name): return constants[name]
        case .symbol("-"):
            depth += 1
            defer { depth -= 1 }
            return unary().flatMap { $0 == .min ? nil : -$0 }
        case .symbol("("):
            depth += 1
            defer { depth -= 1 }
            guard let value = binary(0), place < tokens.count, tokens[place].kind == .symbol(")") else { return nil }
            place += 1
            return value
        case .symbol, .text: return nil
        }
    }
}

/// Evaluates conditional directives: the first branch is read, except that of `#if 0`.
struct CConditions {
    private(set) var tokens: [CToken] = []
    /// The other directives, with positions among the remaining tokens.
    private(set) var directives: [CDirective] = []
    private(set) var notes: [CNote] = []

    private struct Branch {
        var isRead: Bool
        /// Whether a branch of the conditional has been read.
        var hasRead: Bool
    }

    init(_ lexer: CLexer) {
        var open: [Branch] = []
        var taken = 0
        for directive in lexer.directives {
            if open.allSatisfy(\.isRead) { tokens += lexer.tokens[taken..<directive.position] }
            taken = directive.position
            let words = directive.text.split(whereSeparator: \.isWhitespace)
            switch words.first {
            case "if", "ifdef", "ifndef":
                let isRead = !(words.first == "if" && words.dropFirst().first == "0")
                open.append(Branch(isRead: isRead, hasRead: isRead))
            case "elif", "else":
                guard let last = open.indices.last else { break }
                open[last].isRead = !open[last].hasRead
                if !open[last].isRead, !words.joined().includes("__cplusplus") {
                    notes.append(CNote(line: directive.line, text: "of branches of #if, only the first is read"))
                }
                open[last].hasRead = true
            case "endif": _ = open.popLast()
            default:
                guard open.allSatisfy(\.isRead) else { break }
                var kept = directive
                kept.position = tokens.count
                directives.append(kept)
            }
        }
        if open.allSatisfy(\.isRead) { tokens += lexer.tokens[taken...] }
    }
}
