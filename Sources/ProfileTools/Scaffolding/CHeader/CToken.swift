/// A token of a C header, with adjacent comments.
struct CToken {
    enum Kind: Hashable {
        case word(String)
        case number(Int64)
        case symbol(Character)
        /// A string or character literal, which data declarations do not need.
        case text
    }

    var kind: Kind
    /// From 1.
    var line: Int
    /// Text of the comment above the token.
    var comment: String?
    /// Text of the comment after the token on the same line.
    var trailingComment: String?
}

/// A preprocessor directive, without `#`: `pragma pack(1)`.
struct CDirective {
    var text: String
    var line: Int
    /// Number of tokens before the directive.
    var position: Int
}

/// Splits a C header into tokens and directives.
struct CLexer {
    private let text: [Unicode.Scalar]
    private var place = 0
    private var line = 1
    private var isLineStart = true
    /// A comment not yet attached to a token, with its last line.
    private var pending: (text: String, line: Int)?
    private(set) var tokens: [CToken] = []
    private(set) var directives: [CDirective] = []

    init(_ header: String) {
        text = Array(header.unicodeScalars)
        while place < text.count { next() }
    }

    private var current: Unicode.Scalar { text[place] }

    private func peek(_ distance: Int = 1) -> Unicode.Scalar? {
        place + distance < text.count ? text[place + distance] : nil
    }

    private mutating func next() {
        let scalar = current
        switch scalar {
        case "\n":
            line += 1
            isLineStart = true
            place += 1
        case " ", "\t", "\r", "\u{0C}": place += 1
        case "\\" where peek() == "\n": place += 1
        case "/" where peek() == "/": lineComment()
        case "/" where peek() == "*": blockComment()
        case "#" where isLineStart: directive()
        case "\"", "'": literal(scalar)
        case "0"..."9": number()
        default:
            if Self.isWordPart(scalar) { word() } else { add(.symbol(Character(scalar)), advance: 1) }
        }
    }

    private static func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
    }

    private mutating func add(_ kind: CToken.Kind, advance: Int) {
        var token = CToken(kind: kind, line: line)
        // A comment further above describes something else, such as the licence at the top.
        if let pending, pending.line >= line - 1 { token.comment = pending.text }
        pending = nil
        tokens.append(token)
        isLineStart = false
        place += advance
    }

    // MARK: - Words and numbers

    private mutating func word() {
        var end = place
        while end < text.count, Self.isWordPart(text[end]) { end += 1 }
        add(.word(String(String.UnicodeScalarView(text[place..<end]))), advance: end - place)
    }

    /// An integer; for other numbers only the digits before the point, as data declarations do not need them.
    private mutating func number() {
        var end = place
        while end < text.count, Self.isWordPart(text[end]) || text[end] == "." { end += 1 }
        var digits = String(String.UnicodeScalarView(text[place..<end])).lowercased()
        while let last = digits.last, last == "u" || last == "l" { digits.removeLast() }
        let value =
            digits.hasPrefix("0x")
            ? UInt64(digits.dropFirst(2), radix: 16)
            : digits.hasPrefix("0b")
                ? UInt64(digits.dropFirst(2), radix: 2)
                : digits.hasPrefix("0") && digits.count > 1 ? UInt64(digits, radix: 8) : UInt64(digits)
        add(value.map { .number(Int64(truncatingIfNeeded: $0)) } ?? .text, advance: end - place)
    }

    private mutating func literal(_ quote: Unicode.Scalar) {
        var end = place + 1
        while end < text.count, text[end] != quote, text[end] != "\n" { end += text[end] == "\\" ? 2 : 1 }
        add(.text, advance: min(end + 1, text.count) - place)
    }

    // MARK: - Comments

    private mutating func lineComment() {
        var end = place + 2
        while end < text.count, text[end] != "\n" { end += 1 }
        take(comment: text[(place + 2)..<end], from: line)
        place = end
    }

    private mutating func blockComment() {
        let first = line
        var end = place + 2
        while end < text.count, !(text[end] == "*" && end + 1 < text.count && text[end + 1] == "/") {
            if text[end] == "\n" { line += 1 }
            end += 1
        }
        take(comment: text[(place + 2)..<min(end, text.count)], from: first)
        place = min(end + 2, text.count)
    }

    /// Attaches a comment to the preceding token on the same line, or keeps it for the next token.
    private mutating func take(comment: ArraySlice<Unicode.Scalar>, from first: Int) {
        let words = String(String.UnicodeScalarView(comment)).split(whereSeparator: \.isWhitespace)
            .map { $0.drop { "*/!<".contains($0) } }.filter { !$0.isEmpty }
        let text = words.joined(separator: " ")
        if text.isEmpty { return }
        if let last = tokens.indices.last, tokens[last].line == first, !isLineStart {
            tokens[last].trailingComment = text
        } else if let before = pending, before.line >= first - 1 {
            pending = ("\(before.text) \(text)", line)
        } else {
            pending = (text, line)
        }
    }

    // MARK: - Directives

    private mutating func directive() {
        let first = line
        var end = place + 1
        while end < text.count, text[end] != "\n" || text[end - 1] == "\\" {
            if text[end] == "\n" { line += 1 }
            // A comment that may continue on the next line is not part of the directive.
            if text[end] == "/", end + 1 < text.count, text[end + 1] == "*" || text[end + 1] == "/" { break }
            end += 1
        }
        // All lines except the last end with a backslash.
        let lines = text[(place + 1)..<end].split(separator: "\n", omittingEmptySubsequences: false)
        let words = (lines.dropLast().map { $0.dropLast() } + lines.suffix(1))
            .map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
        directives.append(CDirective(text: words, line: first, position: tokens.count))
        pending = nil
        place = end
    }
}
