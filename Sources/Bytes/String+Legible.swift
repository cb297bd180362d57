extension String {
    /// The text on one line, without characters that hide, move or reorder others or that are none: they stand as
    /// `\u{1B}`. Of a text that comes to more than `limit` characters the beginning stands, and how long it is.
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

    /// What an author wrote over several lines, on one: as `legible`, with a blank for every line break.
    public func legibleLine(limit: Int = 2000) -> String {
        let line = isPrintableASCII ? self : split(whereSeparator: \.isNewline).joined(separator: " ")
        return line.legible(limit: limit)
    }

    /// A name as messages begin with it: an empty one stands as `""`.
    package var quotedIfEmpty: String { isEmpty ? "\"\"" : self }

    /// Whether it is of the characters from blank to tilde, which stand as they are in every output.
    package var isPrintableASCII: Bool { utf8.allSatisfy { (0x20..<0x7F).contains($0) } }
}

extension Unicode.Scalar {
    /// Whether it can stand in a line of text for people.
    package var isLegible: Bool {
        switch properties.generalCategory {
        // The joiner of emoji is the only format character that names need.
        case .format: value == 0x200D
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }

    /// As Swift writes it in a string.
    package var escaped: String {
        switch self {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(String(value, radix: 16, uppercase: true))}"
        }
    }
}
