/// Takes the text of an expression apart.
struct ExpressionLexer {
    struct Token {
        enum Kind: Equatable {
            case integer(Int64)
            case real(Double)
            case text(String)
            /// A name, or several with dots between them.
            case name(String)
            /// An operator, a bracket, a comma.
            case sign(String)
            case end
        }

        var kind: Kind
        /// From 1.
        var column: Int
        /// As it is written.
        var text: String
    }

    private let characters: [Character]
    private var next = 0

    private init(_ text: String) {
        characters = Array(text)
    }

    /// Longest expression, in characters.
    static let limit = 1000

    /// The tokens of `text`, the last one of them `.end`.
    static func tokens(_ text: String) throws(ExpressionFault) -> [Token] {
        var lexer = Self(text)
        guard lexer.characters.count <= limit else {
            throw ExpressionFault("expected at most \(limit) characters", column: limit + 1)
        }
        var tokens: [Token] = []
        repeat {
            tokens.append(try lexer.token())
        } while tokens.last?.kind != .end
        return tokens
    }

    private mutating func token() throws(ExpressionFault) -> Token {
        while let character = peek(), character.isWhitespace { next += 1 }
        let start = next
        guard let first = peek() else { return Token(kind: .end, column: start + 1, text: "the end") }
        let kind: Token.Kind
        if first.isDigit {
            kind = try number()
        } else if first.isLetter || first == "_" {
            while let character = peek(), character.isNamePart { next += 1 }
            kind = .name(String(characters[start..<next]))
        } else if first == "'" || first == "\"" {
            kind = .text(try quoted(by: first))
        } else if let sign = Self.signs.first(where: { characters[start...].starts(with: $0) }) {
            next += sign.count
            kind = .sign(String(sign))
        } else {
            let advice = first == "=" ? "; values are compared with ==" : ""
            throw ExpressionFault("expected a value or an operator, found \"\(first)\"\(advice)", column: start + 1)
        }
        return Token(kind: kind, column: start + 1, text: String(characters[start..<next]))
    }

    /// Longer ones first.
    private static let signs: [[Character]] = [
        "..", "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "!", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^",
        "(", ")", "{", "}", ",",
    ].map { Array($0) }

    private func peek(_ ahead: Int = 0) -> Character? {
        next + ahead < characters.count ? characters[next + ahead] : nil
    }

    private mutating func quoted(by quote: Character) throws(ExpressionFault) -> String {
        let start = next
        next += 1
        while let character = peek() {
            next += 1
            if character == quote { return String(characters[(start + 1)..<(next - 1)]) }
        }
        throw ExpressionFault("expected \(quote) at the end of the text that begins here", column: start + 1)
    }

    /// Decimal, 0x and hexadecimal, or with a fraction or an exponent; two dots after it belong to a range.
    private mutating func number() throws(ExpressionFault) -> Token.Kind {
        let start = next
        var isReal = false
        if peek() == "0", let sign = peek(1), sign == "x" || sign == "X" {
            next += 2
            while let character = peek(), character.isNamePart, character != "." { next += 1 }
        } else {
            while let character = peek(), character.isDigit { next += 1 }
            if peek() == ".", let digit = peek(1), digit.isDigit {
                isReal = true
                next += 1
                while let character = peek(), character.isDigit { next += 1 }
            }
            if let exponent = peek(), exponent == "e" || exponent == "E" {
                isReal = true
                next += 1
                if let sign = peek(), sign == "+" || sign == "-" { next += 1 }
                while let character = peek(), character.isDigit { next += 1 }
            }
            while let character = peek(), character.isNamePart, character != "." { next += 1 }
        }
        let text = String(characters[start..<next])
        if isReal {
            if let real = Double(text), real.isFinite { return .real(real) }
        } else if text.hasPrefix("0x") || text.hasPrefix("0X") {
            if let bits = UInt64(text.dropFirst(2), radix: 16) {
                guard let number = Int64(exactly: bits) else { throw tooLarge(text, start) }
                return .integer(number)
            }
        } else if text.allSatisfy(\.isDigit) {
            guard let number = Int64(text) else { throw tooLarge(text, start) }
            return .integer(number)
        }
        throw ExpressionFault("expected a number, found \"\(text)\"", column: start + 1)
    }

    private func tooLarge(_ text: String, _ start: Int) -> ExpressionFault {
        ExpressionFault("expected a number up to \(Int64.max), found \(text)", column: start + 1)
    }
}

extension Character {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
    fileprivate var isNamePart: Bool { isASCII && (isLetter || isDigit || self == "_" || self == ".") }
}
