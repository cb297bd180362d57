import Bytes
import Profile

/// Writes the Lua tables of fields and types.
struct LuaWriter {
    /// Declarations of fields, `fields[1] = ProtoField.uint8(…)`.
    private(set) var fields: [String] = []
    /// Field numbers by declaration: types used in several places share them.
    private var numbers: [String: Int] = [:]
    /// Numbers of the name tables, by their text.
    private var names: [String: Int] = [:]
    private(set) var nameTables: [String] = []
    /// Prefix of the declared field names.
    private let plugin: String
    /// Whether enumerations need the names that conditions compare them with.
    let needsIdentifiers: Bool

    init(plugin: String, needsIdentifiers: Bool) {
        self.plugin = plugin
        self.needsIdentifiers = needsIdentifiers
    }

    /// A text as a Lua string.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            default:
                if scalar.isControl {
                    for byte in String(scalar).utf8 {
                        let code = String(byte)
                        result += "\\" + String(repeating: "0", count: 3 - code.count) + code
                    }
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "\""
    }

    /// Declares a field; returns the expression that refers to it.
    mutating func declare(
        _ constructor: String, _ outline: (name: String, title: String), _ arguments: [String] = []
    ) -> String {
        let name = outline.name.hasPrefix("\(plugin).") ? outline.name : "\(plugin).\(outline.name)"
        let declaration =
            "ProtoField.\(constructor)("
            + ([Self.quoted(name), Self.quoted(outline.title)] + arguments).joined(separator: ", ") + ")"
        if let number = numbers[declaration] { return "fields[\(number)]" }
        fields.append(declaration)
        numbers[declaration] = fields.count
        return "fields[\(fields.count)]"
    }

    /// A table of names by value; nil if there are none.
    mutating func table(_ entries: [(value: String, name: String)]) -> String? {
        if entries.isEmpty { return nil }
        let text = "{" + entries.map { "[\($0.value)] = \(Self.quoted($0.name))" }.joined(separator: ", ") + "}"
        if let number = names[text] { return "names[\(number)]" }
        nameTables.append(text)
        names[text] = nameTables.count
        return "names[\(nameTables.count)]"
    }
}

// MARK: - Fields

extension LuaWriter {
    /// The table of a field or of a whole type.
    mutating func node(_ outline: FieldOutline, indent: String = "    ") -> String {
        var entries = ["name = \(Self.quoted(outline.name))", "title = \(Self.quoted(outline.title))"]
        if let definition = outline.definition {
            if let condition = definition.condition { entries.append("when = \(Self.function(condition))") }
            switch definition.count {
            case .fixed(let count)?: entries.append("count = \(count)")
            case .computed(let expression)?: entries.append("count = \(Self.function(expression))")
            case .rest?: entries.append("count = \"rest\"")
            case nil: break
            }
        }
        switch outline.content {
        case .structure(let fields):
            entries += ["kind = \"structure\"", "field = \(group(outline))"]
            entries.append("fields = " + list(fields, indent: indent))
        case .choice(let choice):
            entries += ["kind = \"choice\"", "field = \(group(outline))"]
            entries.append("discriminant = " + node(choice.discriminant, indent: indent + "    "))
            entries.append("cases = " + cases(choice, indent: indent))
        case .value:
            if let definition = outline.definition { entries += value(definition, outline) }
        }
        return "{" + entries.joined(separator: ", ") + "}"
    }

    private mutating func group(_ outline: FieldOutline) -> String {
        declare("none", (outline.filterName, label(outline)))
    }

    func label(_ outline: FieldOutline) -> String {
        outline.definition?.alias.map { "\(outline.title) (\($0))" } ?? outline.title
    }

    private mutating func list(_ fields: [FieldOutline], indent: String) -> String {
        if fields.isEmpty { return "{}" }
        var text = "{\n"
        for field in fields { text += "\(indent)    \(node(field, indent: indent + "    ")),\n" }
        return text + indent + "}"
    }

    private mutating func cases(_ choice: FieldOutline.Choice, indent: String) -> String {
        var text = "{\n"
        for one in choice.cases {
            let length = one.length.map { "length = \($0), " } ?? ""
            text +=
                "\(indent)    {value = \(one.value), \(length)field = \(group(one.group)), fields = "
                + list(one.group.children, indent: indent + "    ") + "},\n"
        }
        if let otherwise = choice.otherwise {
            text +=
                "\(indent)    {field = \(group(otherwise)), fields = "
                + list(otherwise.children, indent: indent + "    ") + "},\n"
        }
        return text + indent + "}"
    }

    /// Table entries for reading a number, a text or bytes.
    private mutating func value(_ definition: FieldDefinition, _ outline: FieldOutline) -> [String] {
        let name = (name: outline.filterName, title: label(outline))
        var entries: [String] = []
        if definition.endian == .big { entries.append("big = true") }
        if let unit = definition.unit { entries.append("unit = \(Self.quoted(unit))") }
        switch definition.kind {
        case .unsigned(let bytes): entries += integer(definition, name, bytes: bytes, isSigned: false)
        case .signed(let bytes): entries += integer(definition, name, bytes: bytes, isSigned: true)
        case .enumeration(let bytes, let cases) where cases.isBoolean:
            entries += ["kind = \"boolean\"", "size = \(bytes)", "field = \(declare("bool", name))"]
        case .enumeration(let bytes, let cases):
            let table = table(cases.map { ("\($0.value)", $0.display) })
            let isShown = bytes <= 4
            let base = if case .hex = definition.rendering { "base.HEX" } else { "base.DEC" }
            let field = declare(
                "uint\(Self.bits(bytes))", name, [base, isShown ? table ?? "nil" : "nil"] + blurb(outline, mask: true))
            entries += ["kind = \"integer\"", "size = \(bytes)", "field = \(field)"]
            if let table { entries += ["names = \(table)"] + (isShown ? ["shows_names = true"] : []) }
            if needsIdentifiers, let table = self.table(cases.map { ("\($0.value)", $0.name) }) {
                entries.append("identifiers = \(table)")
            }
        case .float(let bytes):
            // Wireshark shows a float with only six digits.
            entries += ["kind = \"float\"", "size = \(bytes)", "field = \(declare("double", name))"]
        case .medical(let bytes):
            entries += ["kind = \"medical\"", "size = \(bytes)", "field = \(declare("double", name))"]
        case .text(let length, let end):
            entries += span("text", length, declare("string", name))
            if end != .length {
                let padding = (name: "\(outline.filterName)_padding", title: "\(outline.title) Padding")
                entries.append("padding = \(declare("bytes", padding))")
            }
        case .digits(let length, let format):
            entries += special(definition)
            if let scale = definition.scale { entries.append("scale = \(Self.table(scale))") }
            let field = declare(definition.scale == nil ? "int64" : "double", name)
            entries += span("digits", length, field)
            entries.append("base = \(format.base)")
            if format.decimals > 0 { entries.append("decimals = \(format.decimals)") }
        case .bytes(let length): entries += span("bytes", length, declare("bytes", name))
        case .address: entries += ["kind = \"address\"", "size = 6", "field = \(declare("ether", name))"]
        case .uuid(16): entries += ["kind = \"uuid128\"", "size = 16", "field = \(declare("string", name))"]
        case .uuid(let bytes):
            entries += ["kind = \"integer\"", "size = \(bytes)", "field = \(declare("uint16", name, ["base.HEX"]))"]
        case .bits(let bytes, let parts, let ignoresOthers):
            entries += bits(definition, outline, bytes: bytes, parts, ignoresOthers)
        case .checksum(let checksum):
            let bytes = checksum.algorithm.bytes
            let field = declare("uint\(Self.bits(bytes))", name, ["base.HEX"])
            let status = (name: "\(outline.filterName)_status", title: "\(outline.title) Status")
            let names = table([("0", "Bad"), ("1", "Good")]) ?? "nil"
            entries += [
                "kind = \"checksum\"", "size = \(bytes)", "field = \(field)",
                "status = \(declare("uint8", status, ["base.DEC", names]))", "checksum = \(Self.table(checksum))",
            ]
        case .type: break
        }
        if let constant = definition.constant { entries.append("constant = \(Self.signed(constant, definition.kind))") }
        if let range = definition.range {
            entries += ["low = \(Self.number(range.lowerBound))", "high = \(Self.number(range.upperBound))"]
        }
        return entries
    }

    /// Raw numbers with a special meaning.
    private mutating func special(_ definition: FieldDefinition) -> [String] {
        var entries: [String] = []
        let special = definition.special.sorted { $0.key < $1.key }
            .map { (value: Self.signed($0.key, definition.kind), name: $0.value) }
        if let names = table(special.map { ($0.value, $0.name.asWords) }) { entries.append("names = \(names)") }
        if needsIdentifiers, let names = table(special) { entries.append("identifiers = \(names)") }
        return entries
    }

    private mutating func integer(
        _ definition: FieldDefinition, _ name: (name: String, title: String), bytes: Int, isSigned: Bool
    ) -> [String] {
        var entries = ["size = \(bytes)"] + (isSigned ? ["signed = true"] : [])
        entries += special(definition)
        switch definition.rendering {
        case .standard, .hex:
            let isHex = if case .hex = definition.rendering { true } else { false }
            // Wireshark shows signed numbers only in decimal.
            let type = (isSigned && !isHex ? "int" : "uint") + "\(Self.bits(bytes))"
            // Filters and columns use the scaled number, as those of `decode` do.
            let field =
                definition.scale == nil
                ? declare(type, name, [isHex ? "base.HEX" : "base.DEC"]) : declare("double", name)
            entries += ["kind = \"integer\"", "field = \(field)"]
        case .dotted: entries += ["kind = \"dotted\"", "field = \(declare("string", name))"]
        case .timestamp(let epoch, let resolution):
            entries += [
                "kind = \"time\"", "epoch = \(epoch)", "resolution = \(resolution)",
                "field = \(declare("absolute_time", name, ["base.UTC"]))",
            ]
        }
        if let scale = definition.scale {
            entries.append("scale = \(Self.table(scale))")
        }
        return entries
    }

    private func span(_ kind: String, _ length: FieldDefinition.Length, _ field: String) -> [String] {
        let entries = ["kind = \"\(kind)\"", "field = \(field)"]
        return switch length {
        case .fixed(let bytes): entries + ["length = \(bytes)"]
        case .computed(let expression): entries + ["length = \(Self.function(expression))"]
        case .rest: entries
        }
    }

    /// The field description shown in Wireshark's status bar.
    private func blurb(_ outline: FieldOutline, mask: Bool) -> [String] {
        outline.doc.map { [mask ? "0" : nil, Self.quoted($0)].compactMap { $0 } } ?? []
    }
}
