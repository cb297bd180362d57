import Bytes

/// JSON whose members keep their order, as exporters write it.
package indirect enum JSONText: Sendable {
    case object([(name: String, value: JSONText)])
    case array([JSONText])
    case string(String)
    case integer(Int)
    /// A number as it is to stand there.
    case number(String)
    case boolean(Bool)

    /// Indented for people, with a line break at the end.
    package var text: String {
        var writer = TextWriter(capacity: 4096)
        write(to: &writer, indent: 0)
        writer.write(UInt8(ascii: "\n"))
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func write(to writer: inout TextWriter, indent: Int) {
        switch self {
        case .object(let members):
            write(members, "{", "}", to: &writer, indent: indent) { member, writer in
                writer.writeJSON(member.name)
                writer.write(": ")
                member.value.write(to: &writer, indent: indent + 1)
            }
        case .array(let elements) where !elements.contains(where: \.holdsOthers):
            writer.write("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { writer.write(", ") }
                element.write(to: &writer, indent: indent)
            }
            writer.write("]")
        case .array(let elements):
            write(elements, "[", "]", to: &writer, indent: indent) { element, writer in
                element.write(to: &writer, indent: indent + 1)
            }
        case .string(let text): writer.writeJSON(text)
        case .integer(let number): writer.write(String(number))
        case .number(let text): writer.write(text)
        case .boolean(let value): writer.write(value ? "true" : "false")
        }
    }

    /// Objects and lists take lines of their own.
    private var holdsOthers: Bool {
        switch self {
        case .object, .array: true
        case .string, .integer, .number, .boolean: false
        }
    }

    private func write<Element>(
        _ elements: [Element], _ open: String, _ close: String, to writer: inout TextWriter, indent: Int,
        _ body: (Element, inout TextWriter) -> Void
    ) {
        writer.write(open)
        for (index, element) in elements.enumerated() {
            writer.write(index == 0 ? "\n" : ",\n")
            writer.write(String(repeating: "  ", count: indent + 1))
            body(element, &writer)
        }
        if !elements.isEmpty { writer.write("\n" + String(repeating: "  ", count: indent)) }
        writer.write(close)
    }
}

extension JSONText {
    /// An object of the members that there are.
    static func members(_ members: (name: String, value: JSONText?)...) -> JSONText {
        .object(members.compactMap { member in member.value.map { (member.name, $0) } })
    }
}
