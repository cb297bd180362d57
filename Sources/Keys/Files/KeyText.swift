import Bluetooth

/// The text of a file of keys, line by line. It may have bytes of any kind.
struct KeyText {
    let bytes: [UInt8]
    /// The file's name in messages and in the origin of keys.
    let name: String
    let path: String

    /// A line without its end.
    struct Line {
        /// From 1.
        let number: Int
        let bytes: ArraySlice<UInt8>

        var isBlank: Bool { bytes.allSatisfy { $0 <= 0x20 } }
        /// The line without blanks at both ends.
        var trimmed: Substring {
            let start = bytes.firstIndex { $0 > 0x20 } ?? bytes.endIndex
            let end = bytes.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? start
            return Substring(decoding: bytes[start..<end], as: UTF8.self)
        }

        func contains(_ sign: String) -> Bool { index(after: sign) != nil }

        /// Whether the line begins with a sign, after blanks.
        func begins(with sign: String) -> Bool { bytes.drop { $0 <= 0x20 }.starts(with: sign.utf8) }

        /// The bytes after the first occurrence of a sign; nil if there is none.
        func rest(after sign: String) -> ArraySlice<UInt8>? { index(after: sign).map { bytes[$0...] } }

        private func index(after sign: String) -> Int? {
            let sought = Array(sign.utf8)
            guard let first = sought.first else { return bytes.startIndex }
            var start = bytes.startIndex
            while let place = bytes[start...].firstIndex(of: first) {
                if bytes[place...].starts(with: sought) { return place + sought.count }
                start = place + 1
            }
            return nil
        }

        /// Name and value of `name = value`; nil for another line.
        var assignment: (name: Substring, value: Substring)? {
            let text = trimmed
            guard let sign = text.firstIndex(of: "=") else { return nil }
            return (
                text[..<sign].trimmingBlanks, text[text.index(after: sign)...].trimmingBlanks
            )
        }

        /// The name in `[name]`; nil for another line.
        var section: Substring? {
            let text = trimmed
            guard text.hasPrefix("["), text.hasSuffix("]"), text.utf8.count > 2 else { return nil }
            return text.dropFirst().dropLast()
        }
    }

    /// The lines in order; a text that does not end in a line feed has a last line, too.
    var lines: some Sequence<Line> {
        var start = 0
        var number = 0
        return AnyIterator { [bytes] in
            guard start < bytes.count else { return nil }
            let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
            defer { start = end + 1 }
            number += 1
            return Line(number: number, bytes: bytes[start..<end])
        }
    }

    /// Whether the text has nothing but blanks and comments.
    var isEmpty: Bool { lines.allSatisfy { $0.isBlank || $0.begins(with: "#") } }

    func key(
        _ value: KnownKey.Value, of address: Address? = nil, named name: KnownKey.LegacyName? = nil
    ) -> KnownKey {
        KnownKey(value, address: address, name: name, origin: .file(self.name))
    }

    func error(_ text: String, in line: Line? = nil) -> KeyFileError {
        KeyFileError(file: name, line: line?.number, text)
    }
}

extension Substring {
    fileprivate var trimmingBlanks: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return start[...last]
    }
}
