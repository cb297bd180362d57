import Bytes

/// Comma-separated values (RFC 4180), in UTF-8.
public enum CSV {
    /// One record: its fields and its first line.
    public struct Row: Hashable, Sendable {
        /// Line number of the record's start, from 1.
        public var line: Int
        public var fields: [String]

        package init(line: Int, fields: [String]) {
            self.line = line
            self.fields = fields
        }
    }

    /// A CSV syntax error, or a mismatch with the expected table.
    public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// From 1.
        public var line: Int
        /// The actual and the expected content.
        public var text: String

        public init(line: Int, _ text: String) {
            self.line = line
            self.text = text
        }

        public var description: String { "line \(line): \(text)" }
    }
}

// MARK: - Reading

extension CSV {
    /// Reads rows in sequence. Lines end in LF or CR LF; empty lines and a byte order mark are skipped.
    public struct Reader: ~Copyable {
        private let text: [UInt8]
        private let separator: UInt8
        private var offset = 0
        private var line = 1

        public init(_ text: [UInt8], separator: UInt8 = UInt8(ascii: ",")) {
            self.text = text
            self.separator = separator
            if text.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
        }

        /// The next row; nil at the end.
        public mutating func next() throws(Fault) -> Row? {
            while offset < text.count, passLineEnd() {}
            guard offset < text.count else { return nil }
            var row = Row(line: line, fields: [])
            repeat { row.fields.append(try field()) } while pass(separator)
            guard offset == text.count || passLineEnd() else {
                let name = separator == UInt8(ascii: ",") ? "a comma" : "the separator"
                throw Fault(line: line, "\(name) or the line's end (LF or CR LF) was expected after the field")
            }
            return row
        }

        private mutating func pass(_ byte: UInt8) -> Bool {
            guard offset < text.count, text[offset] == byte else { return false }
            offset += 1
            return true
        }

        private mutating func passLineEnd() -> Bool {
            let isPair = text[offset] == 0x0D && offset + 1 < text.count && text[offset + 1] == 0x0A
            guard isPair || text[offset] == 0x0A else { return false }
            offset += isPair ? 2 : 1
            line += 1
            return true
        }

        private mutating func field() throws(Fault) -> String {
            if pass(UInt8(ascii: "\"")) { return try quotedField() }
            let start = offset
            while offset < text.count, text[offset] != separator, ![0x0A, 0x0D].contains(text[offset]) {
                guard text[offset] != UInt8(ascii: "\"") else {
                    throw Fault(line: line, "a quote in a field that does not begin with one; write \"a \"\"b\"\" c\"")
                }
                offset += 1
            }
            return try string(text[start..<offset])
        }

        private mutating func quotedField() throws(Fault) -> String {
            let first = line
            var value: [UInt8] = []
            while offset < text.count {
                let byte = text[offset]
                offset += 1
                if byte == UInt8(ascii: "\""), !pass(byte) { return try string(value[...]) }
                if byte == 0x0A { line += 1 }
                value.append(byte)
            }
            throw Fault(line: first, "the quote that opens a field here is not closed")
        }

        private func string(_ bytes: ArraySlice<UInt8>) throws(Fault) -> String {
            guard let string = String(validating: bytes, as: UTF8.self) else {
                throw Fault(line: line, "the text is not UTF-8")
            }
            return string
        }
    }
}

// MARK: - Writing

extension CSV {
    /// Formats a row as a line ending in CR LF; fields are quoted only if necessary.
    public static func line(_ fields: [String]) -> [UInt8] {
        var text = TextWriter(capacity: 128)
        for (index, field) in fields.enumerated() {
            if index > 0 { text.write(UInt8(ascii: ",")) }
            write(field, to: &text)
        }
        text.write("\r\n" as StaticString)
        return text.bytes
    }

    /// Whether a spreadsheet would evaluate a cell as a formula: it begins with `=`, `+`, `-`, `@`, a tab or CR, and is
    /// not a number.
    public static func isFormula(_ cell: some Collection<UInt8>) -> Bool {
        guard let first = cell.first, "=+-@\t\r".utf8.contains(first) else { return false }
        let isSigned = first == UInt8(ascii: "-") || first == UInt8(ascii: "+")
        return !isSigned || Double(String(decoding: cell, as: UTF8.self))?.isFinite != true
    }

    /// A cell that a spreadsheet shows as text: formulas are prefixed with an apostrophe.
    public static func asText(_ cell: String) -> String { isFormula(cell.utf8) ? "'" + cell : cell }

    private static func write(_ field: String, to text: inout TextWriter) {
        let special: Set<UInt8> = [UInt8(ascii: ","), UInt8(ascii: "\""), 0x0D, 0x0A]
        guard field.utf8.contains(where: special.contains) else { return text.write(field) }
        text.write(UInt8(ascii: "\""))
        for byte in field.utf8 {
            if byte == UInt8(ascii: "\"") { text.write(byte) }
            text.write(byte)
        }
        text.write(UInt8(ascii: "\""))
    }
}
