extension JSONValue {
    /// The place where a text is not valid JSON (RFC 8259) or repeats a member.
    public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// From 1.
        public var line: Int
        /// From 1, in bytes.
        public var column: Int
        /// The syntax expected there.
        public var expected: String

        public var description: String { "line \(line), column \(column): expected \(expected)" }
    }

    /// Reads a JSON text strictly: a duplicate member of an object is a fault too.
    public init(reading bytes: [UInt8]) throws(Fault) {
        var parser = JSONParser(bytes)
        self = try parser.value(depth: 0)
        try parser.expectEnd()
    }
}

private struct JSONParser {
    private let text: [UInt8]
    private var offset = 0

    /// Maximum nesting depth of objects and arrays.
    private static let deepest = 64

    init(_ text: [UInt8]) {
        self.text = text
    }

    private func fault(_ expected: String, at place: Int? = nil) -> JSONValue.Fault {
        let before = text.prefix(place ?? offset)
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return JSONValue.Fault(
            line: before.count { $0 == 0x0A } + 1, column: before.count - lineStart + 1, expected: expected)
    }

    private var next: UInt8? { offset < text.count ? text[offset] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x0A, 0x0D, 0x09].contains(byte) { offset += 1 }
    }

    /// Skips an optional sign.
    private mutating func pass(_ sign: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: sign) else { return false }
        offset += 1
        return true
    }

    mutating func expectEnd() throws(JSONValue.Fault) {
        skipSpace()
        guard offset == text.count else { throw fault("the end of the text") }
    }

    mutating func value(depth: Int) throws(JSONValue.Fault) -> JSONValue {
        guard depth < Self.deepest else { throw fault("fewer objects and arrays inside each other") }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONValue.Fault) -> JSONValue {
        guard text[offset...].starts(with: word.utf8) else { throw fault("a value") }
        offset += word.utf8.count
        return value
    }

    private mutating func object(depth: Int) throws(JSONValue.Fault) -> JSONValue {
        var members: [JSONValue.Member] = []
        var names: Set<String> = []
        offset += 1
        if pass("}") { return .object(members) }
        repeat {
            skipSpace()
            let start = offset
            guard next == UInt8(ascii: "\"") else { throw fault("a member's name in quotes") }
            let name = try string()
            guard names.insert(name).inserted else { throw fault("each member once", at: start) }
            guard pass(":") else { throw fault("a colon") }
            members.append(.init(name: name, value: try value(depth: depth + 1)))
        } while pass(",")
        guard pass("}") else { throw fault("a comma or the object's end") }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(JSONValue.Fault) -> JSONValue {
        var elements: [JSONValue] = []
        offset += 1
        if pass("]") { return .array(elements) }
        repeat { elements.append(try value(depth: depth + 1)) } while pass(",")
        guard pass("]") else { throw fault("a comma or the array's end") }
        return .array(elements)
    }

    // MARK: - Strings

    private mutating func string() throws(JSONValue.Fault) -> String {
        let start = offset
        offset += 1
        var bytes: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                guard let string = String(validating: bytes, as: UTF8.self) else { throw fault("UTF-8", at: start) }
                return string
            case UInt8(ascii: "\\"): try escape(&bytes)
            case 0..<0x20: throw fault("the closing quote; a control character is written \\u000a")
            default:
                bytes.append(byte)
                offset += 1
            }
        }
        throw fault("the closing quote of the text that begins here", at: start)
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
        UInt8(ascii: "/"): UInt8(ascii: "/"), UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C,
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]

    private mutating func escape(_ bytes: inout [UInt8]) throws(JSONValue.Fault) {
        let start = offset
        offset += 2
        guard start + 1 < text.count else { throw fault("an escape", at: start) }
        if let byte = Self.escapes[text[start + 1]] { return bytes.append(byte) }
        guard text[start + 1] == UInt8(ascii: "u"), var unit = codeUnit() else { throw fault("an escape", at: start) }
        // Characters beyond U+FFFF are written as a surrogate pair.
        if (0xD800..<0xDC00).contains(unit) {
            guard text[min(offset, text.count)...].starts(with: Array("\\u".utf8)) else {
                throw fault("a second surrogate")
            }
            offset += 2
            guard let low = codeUnit(), (0xDC00..<0xE000).contains(low) else { throw fault("a second surrogate") }
            unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(unit) else { throw fault("a character", at: start) }
        bytes += Array(Character(scalar).utf8)
    }

    /// Four hex digits.
    private mutating func codeUnit() -> UInt32? {
        let digits = text[min(offset, text.count)...].prefix(4)
        guard digits.count == 4, !digits.contains(UInt8(ascii: "+")), !digits.contains(UInt8(ascii: "-")) else {
            return nil
        }
        offset += 4
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    // MARK: - Numbers

    private mutating func number() throws(JSONValue.Fault) -> JSONValue {
        let start = offset
        if next == UInt8(ascii: "-") { offset += 1 }
        let digits = offset
        guard passDigits() else { throw fault("a value", at: start) }
        // A leading zero must be the only digit.
        if text[digits] == UInt8(ascii: "0"), offset > digits + 1 { throw fault("a number without leading zeros") }
        var isInteger = true
        if next == UInt8(ascii: ".") {
            isInteger = false
            offset += 1
            guard passDigits() else { throw fault("a digit") }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            isInteger = false
            offset += 1
            if next == UInt8(ascii: "-") || next == UInt8(ascii: "+") { offset += 1 }
            guard passDigits() else { throw fault("a digit") }
        }
        let number = String(decoding: text[start..<offset], as: UTF8.self)
        if isInteger, let integer = Int(number) { return .integer(integer) }
        if isInteger, let integer = UInt64(number) { return .unsigned(integer) }
        guard let value = Double(number), value.isFinite else { throw fault("a smaller number", at: start) }
        return .number(value)
    }

    private mutating func passDigits() -> Bool {
        let start = offset
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
        return offset > start
    }
}
