/// Parses the tokens of a display filter into its syntax tree.
///
/// Precedence, lowest first, as in Wireshark: `||`, `^^`, `&&`, `!`, comparisons, `&`, slices.
struct FilterParser {
    /// Maximum nesting of parentheses, negations, calls, slices and masks.
    static let maximumDepth = 200

    private let text: String
    private let tokens: [FilterToken]
    private var position = 0
    private var depth = 0

    /// The syntax tree of `text`; nil for a blank filter.
    static func parse(_ text: String) throws(FilterError) -> FilterSyntax? {
        var parser = FilterParser(text: text, tokens: try FilterLexer.tokens(of: text))
        if parser.token.kind == .end { return nil }
        let syntax = try parser.disjunction()
        guard parser.token.kind == .end else { throw parser.unexpected() }
        return syntax
    }

    private init(text: String, tokens: [FilterToken]) {
        self.text = text
        self.tokens = tokens
    }

    /// The next token; the parser never passes the end token.
    private var token: FilterToken { tokens[min(position, tokens.count - 1)] }

    private mutating func advance() {
        position = min(position + 1, tokens.count - 1)
    }

    private func error(_ message: String, _ range: Range<Int>) -> FilterError {
        FilterError(message: message, text: text, range: range)
    }

    private func unexpected() -> FilterError {
        switch token.kind {
        case .end: error("the filter ends too early", token.range)
        case .symbol(".."): error("ranges stand in sets only: in {1..5}", token.range)
        default: error("is unexpected here", token.range)
        }
    }

    /// Consumes the next token if it is one of these symbols or words.
    private mutating func take(_ spellings: String...) -> Bool {
        switch token.kind {
        case .symbol(let spelling), .word(let spelling):
            guard spellings.contains(spelling) else { return false }
            advance()
            return true
        default:
            return false
        }
    }

    private mutating func deeper<Result>(
        _ body: (inout FilterParser) throws(FilterError) -> Result
    ) throws(FilterError) -> Result {
        guard depth < Self.maximumDepth else {
            throw error("nested deeper than \(Self.maximumDepth) levels", token.range)
        }
        depth += 1
        let result = try body(&self)
        depth -= 1
        return result
    }
}

// MARK: - Logic

extension FilterParser {
    private mutating func disjunction() throws(FilterError) -> FilterSyntax {
        var parts = [try exclusion()]
        while take("||", "or") { parts.append(try exclusion()) }
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    private mutating func exclusion() throws(FilterError) -> FilterSyntax {
        var parts = [try conjunction()]
        while take("^^", "xor") { parts.append(try conjunction()) }
        return parts.count == 1 ? parts[0] : .xor(parts)
    }

    private mutating func conjunction() throws(FilterError) -> FilterSyntax {
        var parts = [try negation()]
        while take("&&", "and") { parts.append(try negation()) }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    private mutating func negation() throws(FilterError) -> FilterSyntax {
        guard take("!", "not") else { return try test() }
        return .not(try deeper { parser throws(FilterError) in try parser.negation() })
    }

    private mutating func test() throws(FilterError) -> FilterSyntax {
        let quantifier: FilterQuantifier? = take("any") ? .any : take("all") ? .all : nil
        if quantifier == nil, token.kind == .symbol("(") {
            let open = token.range
            advance()
            let inner = try deeper { parser throws(FilterError) in try parser.disjunction() }
            guard take(")") else {
                throw token.kind == .end ? error("( is not closed", open) : unexpected()
            }
            // `(x & 1) == 1`: a parenthesized term may be a side of a comparison.
            guard case .bare(let term) = inner else { return inner }
            return try relation(nil, try suffixed(term))
        }
        return try relation(quantifier, try term())
    }

    private mutating func relation(
        _ quantifier: FilterQuantifier?, _ first: FilterTerm
    ) throws(FilterError) -> FilterSyntax {
        if let membership = try membership(quantifier, first) { return membership }
        var comparisons: [(FilterOperator, FilterTerm)] = []
        while let comparison = comparison(quantifier) { comparisons.append((comparison, try term())) }
        if comparisons.isEmpty, quantifier != nil { throw unexpected() }
        return comparisons.isEmpty ? .bare(first) : .relation(quantifier, first, comparisons)
    }

    private static let operators: [String: FilterOperator] = [
        "==": .compare(.equal, .any), "eq": .compare(.equal, .any), "any_eq": .compare(.equal, .any),
        "===": .compare(.equal, .all), "all_eq": .compare(.equal, .all),
        "!=": .compare(.notEqual, .all), "ne": .compare(.notEqual, .all), "all_ne": .compare(.notEqual, .all),
        "!==": .compare(.notEqual, .any), "~=": .compare(.notEqual, .any), "any_ne": .compare(.notEqual, .any),
        "<": .compare(.less, .any), "lt": .compare(.less, .any),
        "<=": .compare(.lessOrEqual, .any), "le": .compare(.lessOrEqual, .any),
        ">": .compare(.greater, .any), "gt": .compare(.greater, .any),
        ">=": .compare(.greaterOrEqual, .any), "ge": .compare(.greaterOrEqual, .any),
        "contains": .contains, "~": .matches, "matches": .matches,
    ]

    private mutating func comparison(_ quantifier: FilterQuantifier?) -> FilterOperator? {
        switch token.kind {
        case .symbol(let spelling), .word(let spelling):
            guard let found = Self.operators[spelling] else { return nil }
            advance()
            if let quantifier, case .compare(let comparison, _) = found { return .compare(comparison, quantifier) }
            return found
        default:
            return nil
        }
    }

    private mutating func membership(
        _ quantifier: FilterQuantifier?, _ term: FilterTerm
    ) throws(FilterError) -> FilterSyntax? {
        let start = position
        let isNegated = take("not")
        guard take("in") else {
            position = start
            return nil
        }
        guard take("{") else { throw error("a set is expected: {1, 2, 5..9}", token.range) }
        var elements: [FilterSetElement] = []
        repeat {
            let low = try self.term()
            elements.append(FilterSetElement(low: low, high: take("..") ? try self.term() : nil))
        } while take(",")
        guard take("}") else { throw unexpected() }
        let membership = FilterSyntax.membership(quantifier, term, elements)
        return isNegated ? .not(membership) : membership
    }
}

// MARK: - Terms

extension FilterParser {
    private mutating func term() throws(FilterError) -> FilterTerm {
        try suffixed(try primary())
    }

    /// Parses suffixes of a term: slices and `&`.
    private mutating func suffixed(_ term: FilterTerm) throws(FilterError) -> FilterTerm {
        var term = try sliced(term)
        while take("&", "bitand", "bitwise_and") {
            let mask = try sliced(try primary())
            term = try outer(.bitAnd(term, mask), term.range.lowerBound..<mask.range.upperBound)
        }
        return term
    }

    private mutating func sliced(_ term: FilterTerm) throws(FilterError) -> FilterTerm {
        guard case .brackets(let content) = token.kind else { return term }
        let slices = try slices(content, token.range)
        let range = term.range.lowerBound..<token.range.upperBound
        advance()
        if case .brackets = token.kind { throw unexpected() }
        return try outer(.slice(term, slices), range)
    }

    /// Creates a term that contains others, within the nesting limit.
    private func outer(_ kind: FilterTerm.Kind, _ range: Range<Int>) throws(FilterError) -> FilterTerm {
        let term = FilterTerm(kind: kind, range: range)
        if term.height > Self.maximumDepth { throw error("nested deeper than \(Self.maximumDepth) levels", range) }
        return term
    }

    private mutating func primary() throws(FilterError) -> FilterTerm {
        let start = token
        switch start.kind {
        case .word(let word):
            advance()
            if token.kind == .symbol("("), token.range.lowerBound == start.range.upperBound {
                return try call(word, start.range)
            }
            return FilterTerm(kind: .word(word), range: start.range)
        case .string(let string):
            advance()
            return FilterTerm(kind: .string(string), range: start.range)
        case .character(let character):
            advance()
            return FilterTerm(kind: .character(character), range: start.range)
        default:
            throw unexpected()
        }
    }

    private mutating func call(_ name: String, _ range: Range<Int>) throws(FilterError) -> FilterTerm {
        advance()
        var arguments: [FilterTerm] = []
        if token.kind != .symbol(")") {
            repeat {
                arguments.append(try deeper { parser throws(FilterError) in try parser.term() })
            } while take(",")
        }
        let end = token.range.upperBound
        guard take(")") else { throw unexpected() }
        return try outer(.call(name, arguments), range.lowerBound..<end)
    }

    /// Parses `0:2`, `1-2`, `3`, `:4`, `5:`, separated by commas.
    private func slices(_ content: String, _ range: Range<Int>) throws(FilterError) -> [FilterSlice] {
        var slices: [FilterSlice] = []
        for part in content.split(separator: ",", omittingEmptySubsequences: false) {
            guard let slice = FilterSlice(part.filter { !$0.isWhitespace }) else {
                throw error("a slice is [first:length], [first-last], [index], [:length] or [first:]", range)
            }
            slices.append(slice)
        }
        return slices
    }
}

extension FilterSlice {
    /// Parses one slice; nil if the text is no slice or selects nothing.
    fileprivate init?(_ text: String) {
        var rest = text[...]
        guard let first = rest.first else { return nil }
        let start = first == ":" ? 0 : Self.takeNumber(&rest)
        guard let start else { return nil }
        switch rest.popFirst() {
        case nil:
            self.init(start: start, end: .length(1))
        case ":" where rest.isEmpty && first != ":":
            self.init(start: start, end: .rest)
        case ":":
            guard let length = Self.takeNumber(&rest), rest.isEmpty, length > 0 else { return nil }
            self.init(start: start, end: .length(length))
        case "-":
            guard let last = Self.takeNumber(&rest), rest.isEmpty, (start < 0) != (last < 0) || start <= last else {
                return nil
            }
            self.init(start: start, end: .last(last))
        default:
            return nil
        }
    }

    private static func takeNumber(_ text: inout Substring) -> Int? {
        let isNegative = text.first == "-"
        if isNegative { text.removeFirst() }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard digits.count <= 6, let number = Int(digits) else { return nil }
        text.removeFirst(digits.count)
        return isNegative ? -number : number
    }
}
