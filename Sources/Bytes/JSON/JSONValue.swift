/// A JSON value. Objects keep the order of their members.
public indirect enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int)
    /// An integer above the range of `Int`.
    case unsigned(UInt64)
    /// Written without decimals if it is whole; infinity and NaN are written as null.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// A member of an object.
    public struct Member: Hashable, Sendable {
        public var name: String
        public var value: JSONValue

        public init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// An object of the members whose value is not nil.
    public static func members(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
    }

    /// An object of members in order.
    public static func object(of members: [(name: String, value: JSONValue)]) -> JSONValue {
        .object(members.map { Member(name: $0.name, value: $0.value) })
    }

    /// The indented text, ending in a line feed.
    public var text: String {
        var text = TextWriter()
        write(to: &text, indentation: 0)
        text.write(UInt8(ascii: "\n"))
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// The text on one line.
    public var line: String {
        var text = TextWriter()
        writeLine(to: &text)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// Writes the value without whitespace.
    public func writeLine(to text: inout TextWriter) { write(to: &text, nil) }

    /// Writes the value on lines indented by `indentation` spaces.
    public func write(to text: inout TextWriter, indentation: Int) { write(to: &text, indentation) }

    /// Writes the value on indented lines; on one line if `indentation` is nil.
    private func write(to text: inout TextWriter, _ indentation: Int?) {
        let inner = indentation.map { $0 + 2 }
        switch self {
        case .null: text.write("null" as StaticString)
        case .boolean(let value): text.write(value ? "true" : "false" as StaticString)
        case .integer(let value): text.writeDecimal(Int64(value))
        case .unsigned(let value): text.writeDecimal(value)
        case .number(let value):
            if let integer = Int(exactly: value) { return text.writeDecimal(Int64(integer)) }
            text.write(value.isFinite ? String(value) : "null")
        case .string(let value): text.writeJSON(value)
        case .array(let elements):
            Self.write(elements, between: "[", "]", to: &text, indentation) { $0.write(to: &$1, inner) }
        case .object(let members):
            Self.write(members, between: "{", "}", to: &text, indentation) { member, text in
                text.writeJSON(member.name)
                text.write(inner == nil ? ":" : ": " as StaticString)
                member.value.write(to: &text, inner)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element], between opening: StaticString, _ closing: StaticString, to text: inout TextWriter,
        _ indentation: Int?, _ write: (Element, inout TextWriter) -> Void
    ) {
        func breakLine(_ blanks: Int) {
            text.write(UInt8(ascii: "\n"))
            text.write(UInt8(ascii: " "), times: blanks)
        }
        text.write(opening)
        for (index, element) in elements.enumerated() {
            if index > 0 { text.write(UInt8(ascii: ",")) }
            if let indentation { breakLine(indentation + 2) }
            write(element, &text)
        }
        if let indentation, !elements.isEmpty { breakLine(indentation) }
        text.write(closing)
    }
}

// MARK: - Access

extension JSONValue {
    /// The value of an object's member; nil for none.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The members of an object by name; empty for other values.
    public var members: [String: JSONValue] {
        guard case .object(let members) = self else { return [:] }
        return Dictionary(members.map { ($0.name, $0.value) }) { $1 }
    }

    /// The elements of an array; empty for other values.
    public var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    public var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// Any number, integer or not.
    public var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .unsigned(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }
}
