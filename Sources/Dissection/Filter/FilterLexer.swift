/// A token of a display filter and its position.
struct FilterToken {
    enum Kind: Hashable {
        case word(String)
        case string(FilterString)
        case character(UInt8)
        /// The content of brackets.
        case brackets(String)
        /// An operator or other punctuation.
        case symbol(String)
        case end
    }

    let kind: Kind
    let range: Range<Int>
}

/// Splits a display filter into tokens.
struct FilterLexer {
    /// Maximum filter length, in characters.
    static let maximumLength = 65_536

    private let text: String
    private let characters: [Character]
    private var position = 0

    /// The tokens of `text`, an end token last.
    static func tokens(of text: String) throws(FilterError) -> [FilterToken] {
        var lexer = FilterLexer(text: text, characters: Array(text.prefix(maximumLength + 1)))
        if lexer.characters.count > maximumLength {
            throw FilterError(message: "filter is longer than \(maximumLength) characters", text: "", range: 0..<0)
        }
        var tokens: [FilterToken] = []
        while let token = try lexer.next() { tokens.append(token) }
        tokens.append(FilterToken(kind: .end, range: lexer.characters.count..<lexer.characters.count))
        return tokens
    }

    private init(text: String, characters: [Character]) {
        self.text = text
        self.characters = characters
    }

    private func peek(_ distance: Int = 0) -> Character? {
        let index = position + distance
        return index < characters.count ? characters[index] : nil
    }

    private func error(_ message: String, _ range: Range<Int>) -> FilterError {
        FilterError(message: message, text: text, range: range)
    }

    private mutating func next() throws(FilterError) -> FilterToken? {
        while let character = peek(), character.isWhitespace { position += 1 }
        guard let character = peek() else { return nil }
        let start = position
        let kind: FilterToken.Kind
        if character == "\"" {
            kind = .string(try quoted(isRaw: false))
        } else if character == "r" || character == "R", peek(1) == "\"" {
            position += 1
            kind = .string(try quoted(isRaw: true))
        } else if character == "'" {
            kind = .character(try characterLiteral())
        } else if character == "[" {
            kind = .brackets(try brackets())
        } else if let symbol = symbol() {
            position += symbol.count
            kind = .symbol(symbol)
        } else if let word = word() {
            kind = .word(word)
        } else {
            throw error("\(character) has no meaning here", start..<(start + 1))
        }
        return FilterToken(kind: kind, range: start..<position)
    }

    /// Longest symbols first.
    private static let symbols = [
        "===", "!==", "==", "!=", "~=", "<=", ">=", "&&", "||", "^^", "..", "<", ">", "!", "~", "&", "(", ")", "{",
        "}", ",",
    ]

    private func symbol() -> String? {
        Self.symbols.first { symbol in
            symbol.enumerated().allSatisfy { offset, character in peek(offset) == character }
        }
    }

    /// Reads a name, number, address, UUID or bytes: any token without quotes. It may start with a sign.
    private mutating func word() -> String? {
        let start = position
        while let character = peek() {
            if character == ".", peek(1) == "." { break }
            let isSign = position == start && character == "+"
            guard character.isASCII, character.isLetter || character.isNumber || "_.:-".contains(character) || isSign
            else { break }
            position += 1
        }
        return position > start ? String(characters[start..<position]) : nil
    }

    private mutating func brackets() throws(FilterError) -> String {
        let start = position
        while let character = peek(), character != "]" { position += 1 }
        guard peek() != nil else { throw error("] is missing", start..<position) }
        position += 1
        return String(characters[(start + 1)..<(position - 1)])
    }
}

// MARK: - Quotes

extension FilterLexer {
    private mutating func quoted(isRaw: Bool) throws(FilterError) -> FilterString {
        let start = position
        position += 1
        var string = FilterString(bytes: [], unknownEscape: nil, isRaw: isRaw)
        while let character = peek() {
            if character == "\"" {
                position += 1
                return string
            }
            if character == "\\", isRaw {
                // In a raw string, a backslash escapes only a quote, and stays in the text.
                string.bytes += Array("\\".utf8)
                position += 1
                if peek() == "\"" {
                    string.bytes += Array("\"".utf8)
                    position += 1
                }
            } else if character == "\\" {
                let escape = position
                if let byte = self.escape() {
                    string.bytes.append(byte)
                } else {
                    string.bytes += Array("\\".utf8)
                    position = escape + 1
                    if let escaped = peek() {
                        string.bytes += Array(String(escaped).utf8)
                        position += 1
                    }
                    string.unknownEscape = string.unknownEscape ?? escape..<position
                }
            } else {
                string.bytes += Array(String(character).utf8)
                position += 1
            }
        }
        throw error("the closing quote is missing", start..<position)
    }

    private mutating func characterLiteral() throws(FilterError) -> UInt8 {
        let start = position
        position += 1
        var byte: UInt8?
        if peek() == "\\" {
            byte = escape()
        } else if let character = peek(), character != "'" {
            byte = character.asciiValue
            position += 1
        }
        guard let byte, peek() == "'" else {
            throw error("a character is one ASCII character or escape between single quotes", start..<position)
        }
        position += 1
        return byte
    }

    /// Reads an escape sequence; nil if it is unknown.
    private mutating func escape() -> UInt8? {
        position += 1
        guard let character = peek() else { return nil }
        let simple: [Character: UInt8] = [
            "a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "\"": 34, "'": 39, "\\": 92,
        ]
        if let byte = simple[character] {
            position += 1
            return byte
        }
        if character == "x" {
            position += 1
            return digits(atMost: 2, radix: 16)
        }
        return digits(atMost: 3, radix: 8)
    }

    private mutating func digits(atMost limit: Int, radix: Int) -> UInt8? {
        let start = position
        while position - start < limit, let digit = peek()?.hexDigitValue, digit < radix { position += 1 }
        return UInt8(String(characters[start..<position]), radix: radix)
    }
}
