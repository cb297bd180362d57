/// Help, laid out for the width of a terminal.
///
/// The input has one line, of any length, for each part of a paragraph, each option and the usage. Paragraphs and the
/// second column of options are wrapped; examples and other indented lines stay whole so that they can be copied.
package enum HelpText {
    /// First character of the second column.
    package static let indentation = 26
    /// A width at which nothing is wrapped.
    package static let unwrapped = 100_000

    /// Wraps the text so that no line is wider than `width`, where possible.
    package static func wrapped(_ text: String, to width: Int) -> String {
        var lines: [String] = []
        var paragraph: [Substring] = []
        var isInRows = false
        func endParagraph() {
            lines += filled(paragraph.flatMap { $0.split(separator: " ") }, width)
            paragraph = []
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("USAGE: ") {
                endParagraph()
                lines += filled(usageWords(line), width, hanging: 2)
            } else if line.isEmpty || isHeading(line) || line.hasPrefix(" ") && !isInRows {
                endParagraph()
                lines.append(String(line))
                // A heading with a colon precedes rows of two columns; without one, lines to copy.
                if !line.hasPrefix(" "), !line.isEmpty { isInRows = line.hasSuffix(":") }
            } else if line.hasPrefix(" ") {
                lines += row(line, width)
            } else {
                isInRows = false
                paragraph.append(line)
            }
        }
        endParagraph()
        return lines.joined(separator: "\n")
    }

    /// A row of two columns: a name and its description.
    package static func row(_ name: String, _ text: String) -> String {
        let first = "  " + name
        let margin = String(repeating: " ", count: max(0, indentation - first.count))
        return margin.isEmpty ? "\(first)\n\(String(repeating: " ", count: indentation))\(text)" : first + margin + text
    }

    /// Whether a line is a heading in capitals: `OPTIONS:`, `EXAMPLES`.
    private static func isHeading(_ line: Substring) -> Bool {
        let letters = line.hasSuffix(":") ? line.dropLast() : line
        return letters.count > 1 && letters.allSatisfy { $0.isUppercase || $0 == " " }
    }

    /// Wraps the second column of a row.
    private static func row(_ line: Substring, _ width: Int) -> [String] {
        let name = line.prefix(indentation)
        // A name that fills the first column has its own line; its description begins on the next.
        guard line.count > max(width, indentation), name.last == " " else { return [String(line)] }
        let room = max(width, indentation + 20)
        let text = filled(line.dropFirst(indentation).split(separator: " "), room - indentation)
        let margin = String(repeating: " ", count: indentation)
        return text.enumerated().map { ($0.offset == 0 ? String(name) : margin) + $0.element }
    }

    /// Splits a usage line into words; an option and its value stay together.
    private static func usageWords(_ line: Substring) -> [Substring] {
        var words: [Substring] = []
        var depth = 0
        for word in line.split(separator: " ") {
            if depth > 0, let last = words.popLast() {
                words.append(line[last.startIndex..<word.endIndex])
            } else {
                words.append(word)
            }
            depth += word.count { "[(<".contains($0) } - word.count { "])>".contains($0) }
        }
        return words
    }

    /// Fills lines with words; lines after the first are indented by `hanging`.
    private static func filled(_ words: [Substring], _ width: Int, hanging: Int = 0) -> [String] {
        var lines: [String] = []
        for word in words {
            if let line = lines.last, line.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(line) \(word)"
            } else {
                lines.append((lines.isEmpty ? "" : String(repeating: " ", count: hanging)) + word)
            }
        }
        return lines
    }
}
