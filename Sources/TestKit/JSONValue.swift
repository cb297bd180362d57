/// Any JSON value.
package enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The member of an object; nil where there is none.
    package subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    /// Where a text is not JSON (RFC 8259), or says something twice.
    package struct Fault: Error, Hashable {
        /// In bytes.
        package var offset: Int
    }

    /// Reads a JSON text, strictly: a member that stands twice in its object is a fault too.
    package init(parsing text: [UInt8]) throws(Fault) {
        var parser = Parser(text: text)
        self = try parser.value()
        parser.skipSpace()
        guard parser.offset == text.count else { throw Fault(offset: parser.offset) }
    }
}

/// Reads a JSON text from its beginning.
private struct Parser {
    let text: [UInt8]
    var offset = 0

    init(text: [UInt8]) {
        self.text = text
    }

    var fault: JSONValue.Fault { JSONValue.Fault(offset: offset) }
    private var next: UInt8? { offset < text.count ? text[offset] : nil }

    mutating func skipSpace() {
        while let byte = next, [0x20, 0x0A, 0x0D, 0x09].contains(byte) { offset += 1 }
    }

    /// Passes a sign that may be there.
    private mutating func pass(_ sign: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: sign) else { return false }
        offset += 1
        return true
    }

    private mutating func demand(_ sign: Unicode.Scalar) throws(JSONValue.Fault) {
        guard pass(sign) else { throw fault }
    }

    mutating func value() throws(JSONValue.Fault) -> JSONValue {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONValue.Fault) -> JSONValue {
        guard text[offset...].starts(with: word.utf8) else { throw fault }
        offset += word.utf8.count
        return value
    }

    private mutating func object() throws(JSONValue.Fault) -> JSONValue {
        var members: [String: JSONValue] = [:]
        try demand("{")
        if pass("}") { return .object(members) }
        repeat {
            skipSpace()
            let name = try string()
            try demand(":")
            let value = try value()
            guard members.updateValue(value, forKey: name) == nil else { throw fault }
        } while pass(",")
        try demand("}")
        return .object(members)
    }

    private mutating func array() throws(JSONValue.Fault) -> JSONValue {
        var elements: [JSONValue] = []
        try demand("[")
        if pass("]") { return .array(elements) }
        repeat { elements.append(try value()) } while pass(",")
        try demand("]")
        return .array(elements)
    }

    private mutating func string() throws(JSONValue.Fault) -> String {
        guard next == UInt8(ascii: "\"") else { throw fault }
        offset += 1
        var bytes: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: bytes, as: UTF8.self) else { throw fault }
                offset += 1
                return string
            case UInt8(ascii: "\\"): try escape(&bytes)
            case 0..<0x20: throw fault
            default:
                bytes.append(byte)
                offset += 1
            }
        }
        throw fault
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
        UInt8(ascii: "/"): UInt8(ascii: "/"), UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C,
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]

    /// Reads an escape; surrogate pairs, which our output does not write, are faults.
    private mutating func escape(_ bytes: inout [UInt8]) throws(JSONValue.Fault) {
        guard offset + 1 < text.count else { throw fault }
        if let byte = Self.escapes[text[offset + 1]] {
            bytes.append(byte)
            offset += 2
            return
        }
        guard text[offset + 1] == UInt8(ascii: "u"), offset + 6 <= text.count,
            let code = UInt32(String(decoding: text[(offset + 2)..<(offset + 6)], as: UTF8.self), radix: 16),
            let scalar = Unicode.Scalar(code)
        else { throw fault }
        bytes += Array(String(Character(scalar)).utf8)
        offset += 6
    }

    private mutating func number() throws(JSONValue.Fault) -> JSONValue {
        let start = offset
        if next == UInt8(ascii: "-") { offset += 1 }
        let digits = offset
        try passDigits()
        // A leading zero stands alone.
        if text[digits] == UInt8(ascii: "0"), offset > digits + 1 { throw fault }
        if next == UInt8(ascii: ".") {
            offset += 1
            try passDigits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            offset += 1
            if next == UInt8(ascii: "-") || next == UInt8(ascii: "+") { offset += 1 }
            try passDigits()
        }
        guard let number = Double(String(decoding: text[start..<offset], as: UTF8.self)) else { throw fault }
        return .number(number)
    }

    private mutating func passDigits() throws(JSONValue.Fault) {
        let start = offset
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
        if offset == start { throw fault }
    }
}
