import Bytes

/// Line starts of a text, by the line breaks of YAML 1.1.
struct SourceLines {
    private let text: String
    private var starts: [String.Index] = []

    init(_ text: String) {
        self.text = text
        var lines = LineCounter()
        for index in text.unicodeScalars.indices {
            if lines.column == 1, lines.line > starts.count { starts.append(index) }
            lines.pass(text.unicodeScalars[index])
        }
    }

    /// Start of the text of a block scalar whose indicator, `|` or `>`, is in line `line`.
    func blockStart(after line: Int) -> SourcePlace {
        guard line < starts.count else { return SourcePlace(line: line + 1, column: 1) }
        var lines = LineCounter(line: line + 1)
        for scalar in text.unicodeScalars[starts[line]...] {
            if scalar != " ", !LineCounter.isBreak(scalar) { break }
            lines.pass(scalar)
        }
        return SourcePlace(line: lines.line, column: lines.column)
    }
}

/// Counts lines and columns as YAML 1.1 does, from 1.
struct LineCounter {
    private(set) var line = 1
    private(set) var column = 1
    private var isAfterReturn = false

    init(line: Int = 1) { self.line = line }

    static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": true
        default: false
        }
    }

    mutating func pass(_ scalar: Unicode.Scalar) {
        if scalar == "\n", isAfterReturn {
            // Second half of CR LF.
        } else if Self.isBreak(scalar) {
            line += 1
            column = 1
        } else {
            column += 1
        }
        isAfterReturn = scalar == "\r"
    }
}

extension SourcePlace {
    /// The position of an index in a text.
    init(of index: String.Index, in text: String) {
        var lines = LineCounter()
        for scalar in text.unicodeScalars[..<index] { lines.pass(scalar) }
        self.init(line: lines.line, column: lines.column)
    }
}
