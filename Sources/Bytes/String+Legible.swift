extension String {
    /// The text on one line. Characters that are invisible, invalid, or that move or reorder others are escaped as
    /// `\u{1B}`. A text longer than `limit` characters is cut, with its length appended.
    public func legible(limit: Int = 2000) -> String {
        if utf8.count <= limit, isPrintableASCII { return self }
        var (text, length, count, isCut) = ("", 0, 0, false)
        for scalar in unicodeScalars {
            count += 1
            if length >= limit {
                isCut = true
            } else if scalar.isLegible {
                text.unicodeScalars.append(scalar)
                length += 1
            } else {
                text += scalar.escaped
                length += scalar.escaped.count
            }
        }
        return isCut ? text + "… (\(count) characters)" : text
    }

    /// A text of several lines on one line: like `legible`, with a space for every line break.
    public func legibleLine(limit: Int = 2000) -> String {
        let line = isPrintableASCII ? self : split(whereSeparator: \.isNewline).joined(separator: " ")
        return line.legible(limit: limit)
    }

    /// A text of several lines: like `legible`, but line breaks and tabs are kept. All text written to a terminal
    /// passes through here.
    public func legibleText() -> String {
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0x0A || $0 == 0x09 }) { return self }
        var text = ""
        text.reserveCapacity(utf8.count)
        let scalars = unicodeScalars
        for index in scalars.indices {
            let scalar = scalars[index]
            let isBreak =
                scalar == "\n" || scalar == "\t"
                || scalar == "\r" && scalars[scalars.index(after: index)...].first == "\n"
            if isBreak || scalar.isLegible {
                text.unicodeScalars.append(scalar)
            } else {
                text += scalar.escaped
            }
        }
        return text
    }

    /// A name for the beginning of a message; `""` if it is empty.
    package var quotedIfEmpty: String { isEmpty ? "\"\"" : self }

    /// Whether all characters are printable ASCII (space to tilde), which no output escapes.
    package var isPrintableASCII: Bool {
        let bytes = utf8Span.span
        return bytes.indices.allSatisfy { (0x20..<0x7F).contains(bytes[$0]) }
    }
}

extension Unicode.Scalar {
    /// Whether it may appear in a line of human-readable text.
    package var isLegible: Bool {
        switch properties.generalCategory {
        // The zero-width joiner of emoji is the only format character that names need.
        case .format: value == 0x200D
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }

    /// Whether it controls a terminal or the text direction, or separates lines: C0, DEL, C1, the bidirectional
    /// controls, U+2028 and U+2029. Machine-readable formats (JSON, Lua, XML) escape these and keep all others.
    package var isControl: Bool {
        switch value {
        case ..<0x20, 0x7F..<0xA0, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// The escape sequence in a Swift string literal.
    package var escaped: String {
        switch self {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(String(value, radix: 16, uppercase: true))}"
        }
    }
}
