import Bytes
import Yams

/// A document's text as the library may see it: nothing in it is an alias, and no key stands twice in a mapping.
///
/// Signs stand for what they hide, one for one, so that places stay what they are.
struct YAMLSource {
    private(set) var text: String
    /// The letters that were taken from keys; the place of each is its sign's.
    private var letters: [Unicode.Scalar] = []

    /// Stands for every asterisk.
    private static let asterisk: Unicode.Scalar = "\u{E000}"
    /// The signs that stand for something.
    private static let signs = asterisk..."\u{E020}" as ClosedRange<Unicode.Scalar>

    /// The text without asterisks; throws where it has signs of its own.
    init(hiding original: String) throws(Diagnostic) {
        if Self.mayHaveSigns(original), let index = original.unicodeScalars.firstIndex(where: Self.signs.contains) {
            let place = SourcePlace(of: index, in: original)
            throw Diagnostic("expected readable characters, found one that is for private use", at: place)
        }
        guard original.utf8.contains(UInt8(ascii: "*")) else {
            text = original
            return
        }
        let hidden = Array(String(Self.asterisk).utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(original.utf8.count + 1024)
        for byte in original.utf8 {
            if byte == UInt8(ascii: "*") { bytes += hidden } else { bytes.append(byte) }
        }
        text = String(decoding: bytes, as: UTF8.self)
    }

    /// Whether there can be signs in a text: whether there is the byte that the UTF-8 of all begins with.
    private static func mayHaveSigns(_ text: String) -> Bool { text.utf8.contains(0xEE) }

    /// A text out of the document as it was written.
    func restored(_ text: String) -> String {
        guard Self.mayHaveSigns(text) else { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let number = Int(scalar.value) - Int(Self.asterisk.value) - 1
            scalars.append(
                scalar == Self.asterisk ? "*" : letters.indices.contains(number) ? letters[number] : scalar)
        }
        return String(scalars)
    }

    /// The name behind an asterisk at the beginning of a plain text.
    func alias(_ text: String) -> String? {
        text.unicodeScalars.first == Self.asterisk ? restored(String(text.unicodeScalars.dropFirst())) : nil
    }

    /// Gives a key another first letter, so that it no longer stands there twice; false where that cannot be done.
    mutating func rename(keyAt mark: Mark) -> Bool {
        var index = text.unicodeScalars.startIndex
        var lines = LineCounter()
        while index < text.unicodeScalars.endIndex, (lines.line, lines.column) < (mark.line, mark.column) {
            lines.pass(text.unicodeScalars[index])
            index = text.unicodeScalars.index(after: index)
        }
        func scalar() -> Unicode.Scalar? { index < text.unicodeScalars.endIndex ? text.unicodeScalars[index] : nil }
        if scalar() == "\"" || scalar() == "'" { index = text.unicodeScalars.index(after: index) }
        guard let letter = scalar(), letter.properties.isAlphabetic || letter.properties.numericType != nil,
            let sign = Unicode.Scalar(Self.asterisk.value + UInt32(letters.count) + 1), Self.signs.contains(sign)
        else { return false }
        letters.append(letter)
        text.unicodeScalars.replaceSubrange(index...index, with: [sign])
        return true
    }

    /// Where the text of a block begins whose sign, `|` or `>`, stands in a line.
    func blockStart(after line: Int) -> SourcePlace {
        var lines = LineCounter()
        for scalar in text.unicodeScalars {
            if lines.line > line, scalar != " ", !LineCounter.isBreak(scalar) { break }
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

    static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": true
        default: false
        }
    }

    mutating func pass(_ scalar: Unicode.Scalar) {
        if scalar == "\n", isAfterReturn {
            // The second half of a line break.
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
    /// The place of a scalar in a text.
    init(of index: String.Index, in text: String) {
        var lines = LineCounter()
        for scalar in text.unicodeScalars[..<index] { lines.pass(scalar) }
        self.init(line: lines.line, column: lines.column)
    }
}
