import Bytes
package import Profile

extension Value {
    /// The value in profile syntax, on one line: `{level: 412, flags: {stable: true}}`.
    package var yaml: String {
        switch self {
        case .integer(let number): "\(number)"
        case .unsigned(let number): "\(number)"
        case .real(let number): Self.number(number)
        case .boolean(let value): "\(value)"
        case .text(let text): YAMLText.quoted(text)
        case .bytes(let bytes): "\"\(bytes.hexPairs)\""
        case .named(let number, let name): name.map(YAMLText.plain) ?? "\(number)"
        case .time(_, let nanoseconds): Self.text(ofTime: nanoseconds)
        case .list(let elements): "[" + elements.map(\.yaml).joined(separator: ", ") + "]"
        case .record(let record):
            "{"
                + record.fields.filter { $0.value != .absent }.map { "\($0.name): \($0.value.yaml)" }
                .joined(separator: ", ") + "}"
        case .absent: "absent"
        }
    }

    private static func number(_ number: Double) -> String {
        if number.isNaN { return ".nan" }
        if number.isInfinite { return number < 0 ? "-.inf" : ".inf" }
        return "\(number)"
    }
}

/// Formats texts as YAML scalars.
enum YAMLText {
    /// Double-quoted, on one line.
    static func quoted(_ text: String) -> String {
        var writer = TextWriter(capacity: text.utf8.count + 2)
        // A JSON string is a valid YAML scalar.
        writer.writeJSON(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Unquoted if the text is a plain name, otherwise quoted.
    static func plain(_ text: String) -> String {
        let isName =
            text.first?.isLetter == true && text.utf8.allSatisfy { $0 == UInt8(ascii: "_") || $0.isLetterOrDigit }
        return isName && !["true", "false", "yes", "no", "on", "off", "null"].contains(text) ? text : quoted(text)
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }
}

extension [UInt8] {
    /// `40 40 7F`.
    var hexPairs: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: " ")
    }
}
