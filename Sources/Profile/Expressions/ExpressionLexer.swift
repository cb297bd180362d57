/// Splits the text of an expression into tokens.
struct ExpressionLexer {
    struct Token {
        enum Kind: Equatable {
            case integer(Int64)
            case real(Double)
            case text(String)
            /// A name, or several joined by dots.
            case name(String)
            /// An operator, a bracket, a comma.
            case sign(String)
            case end
        }

        var kind: Kind
        /// From 1.
        var column: Int
        /// Source text.
        var text: String
    }

    private let bytes: [UInt8]
    /// If true, byte offsets equal character offsets.
    private let isASCII: Bool
    private var next = 0

    private init(_ text: String) {
        bytes = Array(text.utf8)
        isASCII = bytes.allSatisfy { $0 < 0x80 }
    }

    /// Longest expression, in characters.
    static let limit = 1000

    /// The tokens of `text`, ending with `.end`.
    static func tokens(_ text: String) throws(ExpressionFault) -> [Token] {
        var lexer = Self(text)
        guard lexer.column(of: lexer.bytes.count) <= limit + 1 else {
            throw ExpressionFault("expected at most \(limit) characters", column: limit + 1)
        }
        var tokens: [Token] = []
        repeat {
            tokens.append(try lexer.token())
        } while tokens.last?.kind != .end
        return tokens
    }

    private mutating func token() throws(ExpressionFault) -> Token {
        skip(while: \.isSpace)
        let start = next
        guard let first = peek() else { return Token(kind: .end, column: column(of: start), text: "the end") }
        let kind: Token.Kind
        switch first {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            kind = try number()
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            kind = .text(try quoted(by: first))
        case _ where first.isNamePart && first != UInt8(ascii: "."):
            skip(while: \.isNamePart)
            kind = .name(text(start..<next))
        default:
            guard let sign = Self.signs.first(where: { bytes[start...].starts(with: $0.utf8) }) else {
                let found = text(start..<bytes.count).prefix(1)
                let advice = found == "=" ? "; values are compared with ==" : ""
                throw fault("a value or an operator, found \"\(found)\"\(advice)", at: start)
            }
            next += sign.utf8.count
            kind = .sign(sign)
        }
        return Token(kind: kind, column: column(of: start), text: text(start..<next))
    }

    /// Longer signs first, so that `<=` is not read as `<`.
    private static let signs: [String] = [
        "..", "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "!", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^",
        "(", ")", "{", "}", ",",
    ]

    private func peek(_ ahead: Int = 0) -> UInt8? {
        next + ahead < bytes.count ? bytes[next + ahead] : nil
    }

    private mutating func skip(while isWanted: (UInt8) -> Bool) {
        while let byte = peek(), isWanted(byte) { next += 1 }
    }

    private func text(_ places: Range<Int>) -> String {
        String(decoding: bytes[places], as: UTF8.self)
    }

    private func column(of place: Int) -> Int {
        (isASCII ? place : text(0..<place).count) + 1
    }

    private func fault(_ expected: String, at place: Int) -> ExpressionFault {
        ExpressionFault("expected \(expected)", column: column(of: place))
    }

    private mutating func quoted(by quote: UInt8) throws(ExpressionFault) -> String {
        let start = next
        next += 1
        skip { $0 != quote }
        guard next < bytes.count else {
            throw fault("\(Character(UnicodeScalar(quote))) at the end of the text that begins here", at: start)
        }
        next += 1
        return text(start + 1..<next - 1)
    }

    /// A decimal or `0x` hexadecimal integer, or a real number with a fraction or an exponent. Two dots after a number
    /// belong to a range.
    private mutating func number() throws(ExpressionFault) -> Token.Kind {
        let start = next
        var isReal = false
        let isHexadecimal = peek() == UInt8(ascii: "0") && peek(1).map { $0 | 0x20 } == UInt8(ascii: "x")
        if isHexadecimal {
            next += 2
        } else {
            skip(while: \.isDigit)
            if peek() == UInt8(ascii: "."), peek(1)?.isDigit == true {
                isReal = true
                next += 1
                skip(while: \.isDigit)
            }
            if peek().map({ $0 | 0x20 }) == UInt8(ascii: "e") {
                isReal = true
                next += 1
                if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { next += 1 }
                skip(while: \.isDigit)
            }
        }
        skip { $0.isNamePart && $0 != UInt8(ascii: ".") }
        let text = text(start..<next)
        if isReal {
            if let real = Double(text), real.isFinite { return .real(real) }
        } else if isHexadecimal {
            if let bits = UInt64(text.dropFirst(2), radix: 16) {
                guard let number = Int64(exactly: bits) else { throw tooLarge(text, start) }
                return .integer(number)
            }
        } else if text.utf8.allSatisfy(\.isDigit) {
            guard let number = Int64(text) else { throw tooLarge(text, start) }
            return .integer(number)
        }
        throw fault("a number, found \"\(text)\"", at: start)
    }

    private func tooLarge(_ text: String, _ start: Int) -> ExpressionFault {
        fault("a number up to \(Int64.max), found \(text)", at: start)
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    fileprivate var isSpace: Bool { self == UInt8(ascii: " ") || (0x09...0x0D).contains(self) }

    fileprivate var isNamePart: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "_"), UInt8(ascii: "."): true
        default: isDigit
        }
    }
}
