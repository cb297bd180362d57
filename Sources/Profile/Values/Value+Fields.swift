import Bytes

extension Value {
    /// Paths and texts of all fields that are present: `records[0].amount`. A value that is no record has one field with
    /// an empty path, a list of such values the paths `[0]`, `[1]` and so on.
    package var fields: [(path: String, text: String)] {
        var fields: [(path: String, text: String)] = []
        collect(at: "", into: &fields)
        return fields
    }

    private func collect(at path: String, into fields: inout [(path: String, text: String)]) {
        switch self {
        case .record(let record):
            for field in record.fields {
                field.value.collect(at: path.isEmpty ? field.name : "\(path).\(field.name)", into: &fields)
            }
        case .list(let elements):
            for (index, element) in elements.enumerated() { element.collect(at: "\(path)[\(index)]", into: &fields) }
        case .absent: break
        case .integer(let number), .time(let number, _): fields.append((path, "\(number)"))
        case .unsigned(let number): fields.append((path, "\(number)"))
        case .real(let number): fields.append((path, "\(number)"))
        case .boolean(let isSet): fields.append((path, "\(isSet)"))
        case .named(let number, let name): fields.append((path, name ?? "\(number)"))
        case .text(let text): fields.append((path, "\"\(text)\""))
        case .bytes(let bytes): fields.append((path, Self.text(of: bytes)))
        }
    }

    /// The first bytes of a value in hexadecimal, and their number if there are more.
    package static func text(of bytes: [UInt8]) -> String {
        if bytes.isEmpty { return "no bytes" }
        let shown = bytes.prefix(32).map { String(hex: $0, digits: 2) }.joined(separator: " ")
        return bytes.count > 32 ? "\(shown) … (\(bytes.count) bytes)" : shown
    }
}

extension Layout {
    /// The unit of the field at a path, in which indices of lists are left out; nil for none.
    package func unit(at path: String) -> String? {
        guard !path.isEmpty else { return group.unit }
        var plain = ""
        var isIndex = false
        for character in path {
            if character == "[" {
                isIndex = true
            } else if character == "]" {
                isIndex = false
            } else if !isIndex {
                plain.append(character)
            }
        }
        return field(at: plain)?.unit
    }
}
