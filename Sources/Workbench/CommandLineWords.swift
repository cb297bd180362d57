/// Splits command lines as a shell does.
enum CommandLineWords {
    /// The words of a command line: quotes keep spaces, a backslash keeps the character after it, but not within single
    /// quotes. There are no variables and no patterns. Nil if there is no first word, or a quote is not closed.
    static func split(_ text: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var isEscaped = false
        for character in text {
            if isEscaped || quote != nil && character != quote && (quote == "'" || character != "\\") {
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character.isWhitespace {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        guard quote == nil, !isEscaped else { return nil }
        if let word { words.append(word) }
        return words.first?.isEmpty ?? true ? nil : words
    }
}
