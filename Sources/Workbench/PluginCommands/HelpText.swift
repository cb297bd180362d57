/// Help, laid out for the width of a terminal.
///
/// What it is made of has a line for each paragraph's piece, each option and the usage, however long. Paragraphs and the
/// second column of options are wrapped; examples and other indented lines stay whole, to be copied.
package enum HelpText {
    /// Where the second column begins.
    package static let indentation = 26
    /// The width for which nothing is wrapped.
    package static let unwrapped = 100_000

    /// The text with no line wider than `width`, where that can be.
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
                // A heading with a colon stands over rows of two columns; without one, over lines to copy.
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

    /// A name and what it means, in two columns.
    package static func row(_ name: String, _ text: String) -> String {
        let first = "  " + name
        let margin = String(repeating: " ", count: max(0, indentation - first.count))
        return margin.isEmpty ? "\(first)\n\(String(repeating: " ", count: indentation))\(text)" : first + margin + text
    }

    /// `OPTIONS:`, `EXAMPLES`: capitals alone.
    private static func isHeading(_ line: Substring) -> Bool {
        let letters = line.hasSuffix(":") ? line.dropLast() : line
        return letters.count > 1 && letters.allSatisfy { $0.isUppercase || $0 == " " }
    }

    /// The lines of a row, the second column of which is wrapped.
    private static func row(_ line: Substring, _ width: Int) -> [String] {
        let name = line.prefix(indentation)
        // A name that fills the first column has the line for itself, and what it means the next one.
        guard line.count > max(width, indentation), name.last == " " else { return [String(line)] }
        let room = max(width, indentation + 20)
        let text = filled(line.dropFirst(indentation).split(separator: " "), room - indentation)
        let margin = String(repeating: " ", count: indentation)
        return text.enumerated().map { ($0.offset == 0 ? String(name) : margin) + $0.element }
    }

    /// The words of a usage line; an option and its value stay together.
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

    /// Lines of words; those after the first are indented by `hanging`.
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
