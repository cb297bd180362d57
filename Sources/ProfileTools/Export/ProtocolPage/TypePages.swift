import Bytes
import Profile

/// Generates the sections that document types: offset and meaning of each field.
struct TypePages {
    private let profile: Profile
    private let outlines: OutlineMaker

    init(_ profile: Profile) {
        self.profile = profile
        outlines = OutlineMaker(profile)
    }

    /// All types, in file order.
    var text: String {
        if profile.types.isEmpty { return "" }
        let order = "Numbers are little-endian where nothing else is said.\n\n"
        return "## Values\n\n\(order)" + profile.types.compactMap(section).joined(separator: "\n")
    }

    private func section(_ type: TypeDefinition) -> String? {
        guard let outline = outlines.outline(of: type.name) else { return nil }
        let bytes = ProtocolPage.words(outline.lengths)
        var text = "### <a id=\"\(ProtocolPage.anchor(type.name))\"></a>\(type.title)\n\n"
        text += "`\(type.name)`, \(bytes) byte\(bytes == "1" ? "" : "s")\n\n"
        if let doc = type.doc { text += ProtocolPage.paragraphs(doc) }
        switch (type.form, outline.content) {
        case (.structure(let fields), .structure(let outlines)): text += table(fields, outlines, from: 0)
        case (.choice(let definition), .choice(let choice)): text += self.choice(definition, choice)
        case (.scalar(var field), _):
            // The section begins with the type's doc already.
            field.doc = nil
            var outline = outline
            outline.definition?.doc = nil
            text += table([field], [outline], from: 0)
        default: break
        }
        return text
    }

    // MARK: - Fields

    /// The table of fields that begin at an offset, and the tables of their values; nil if the offset varies.
    private func table(_ fields: [FieldDefinition], _ outlines: [FieldOutline], from start: Int?) -> String {
        if fields.isEmpty { return "" }
        var offset = start
        var rows: [[String]] = []
        var lists = ""
        for (field, outline) in zip(fields, outlines) {
            let definition = outline.definition ?? field
            rows.append([
                offset.map(String.init) ?? "…", "`\(field.name)`", kind(field, definition), definition.unit ?? "",
                definition.range.map(\.words) ?? "", comments(field, definition),
            ])
            lists += values(field, definition)
            let lengths = outline.lengths
            offset = lengths.lowerBound == lengths.upperBound ? offset.map { $0 + lengths.lowerBound } : nil
        }
        return MarkdownTable(["Offset", "Field", "Type", "Unit", "Range", "Meaning"], rows).text + lists
    }

    private func kind(_ field: FieldDefinition, _ definition: FieldDefinition) -> String {
        var words = if case .type(let name) = field.kind { ProtocolPage.link(name) } else { definition.kind.word }
        if definition.endian == .big { words += ", big-endian" }
        switch field.count {
        case .fixed(let count)?: words += " × \(count)"
        case .computed(let expression)?: words += " × `\(expression.text)`"
        case .rest?: words += ", to the end"
        case nil: break
        }
        return words
    }

    private func comments(_ field: FieldDefinition, _ definition: FieldDefinition) -> String {
        var parts: [String] = []
        let isTyped = if case .type = field.kind { true } else { false }
        if let alias = definition.alias { parts.append("*\(alias)*") }
        // Do not repeat the doc of the type's section.
        if let doc = isTyped ? field.doc : definition.doc { parts.append(doc) }
        if let condition = field.condition { parts.append("there only if `\(condition.text)`") }
        if let constant = definition.constant { parts.append("always \(definition.words(constant))") }
        if case .digits(_, let format) = definition.kind, format.decimals > 0 {
            parts.append("\(format.decimals) digit\(format.decimals == 1 ? "" : "s") after the point")
        } else if let scale = definition.scale {
            parts.append(scale.words)
        }
        switch definition.rendering {
        case .standard, .hex: break
        case .dotted: parts.append("written with dots, the highest byte first")
        case .timestamp(let epoch, let resolution):
            parts.append(
                "counted in \(resolution == 1 ? "seconds" : "steps of \(resolution) s") since \(Self.date(epoch))")
        }
        if case .checksum(let checksum) = definition.kind {
            let first = checksum.from.map { "`\($0)`" } ?? "the first field"
            parts.append("\(checksum.algorithm.words), from \(first) " + (checksum.to.map { "to `\($0)`" } ?? "on"))
        }
        return parts.joined(separator: "; ")
    }

    private static func date(_ epoch: Int64) -> String {
        var writer = TextWriter(capacity: 32)
        writer.writeTimestamp(UInt64(bitPattern: epoch), epoch: 0, step: 1_000_000_000)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Named values and bit parts of a field, unless they belong to another type.
    private func values(_ field: FieldDefinition, _ definition: FieldDefinition) -> String {
        if case .type = field.kind { return "" }
        var text = ""
        switch definition.kind {
        case .enumeration(_, let cases) where !cases.isBoolean: text += list(cases, of: field)
        case .bits(_, let parts, let ignoresOthers):
            let rows = parts.map { part in
                let bits =
                    part.bits.count == 1 ? "\(part.bits.lowerBound)" : "\(part.bits.lowerBound)–\(part.bits.upperBound)"
                let names = part.cases.map { "\(part.words($0.value)) \($0.name)" }.joined(separator: ", ")
                let constant = part.constant.map { "always \(part.words($0))" }
                let special = part.special.sorted { $0.key < $1.key }.map { "\(part.words($0.key)): \($0.value)" }
                let range = part.range.map { "range \($0.words)" }
                let meaning =
                    [part.doc, names.isEmpty ? nil : names, part.scale?.words, range].compactMap { $0 } + special
                    + [constant].compactMap { $0 }
                return [bits, "`\(part.name)`", part.unit ?? "", meaning.joined(separator: "; ")]
            }
            text += "\nBits of `\(field.name)`\(ignoresOthers ? "" : "; others are zero"):\n\n"
            text += MarkdownTable(["Bit", "Name", "Unit", "Meaning"], rows).text
        default: break
        }
        if !definition.special.isEmpty {
            text += "\nValues of `\(field.name)` with a meaning of their own:\n\n"
            for (value, name) in definition.special.sorted(by: { $0.key < $1.key }) {
                text += "- \(definition.words(value)): \(name)\n"
            }
        }
        return text
    }

    private func list(_ cases: [EnumerationCase], of field: FieldDefinition) -> String {
        let rows = cases.map { one in
            [
                "\(one.value)", "`\(one.name)`",
                [one.alias.map { "*\($0)*" }, one.doc].compactMap { $0 }.joined(separator: "; "),
            ]
        }
        return "\nValues of `\(field.name)`:\n\n" + MarkdownTable(["Value", "Name", "Meaning"], rows).text
    }

    // MARK: - Choices

    /// A choice: the table of all cases, then the fields of each.
    private func choice(_ definition: ChoiceDefinition, _ choice: FieldOutline.Choice) -> String {
        let size = choice.discriminant.lengths.upperBound
        var text =
            "`\(definition.discriminant.name)` (\(definition.discriminant.kind.word)) at offset 0 tells what follows.\n\n"
        var rows = definition.cases.map { one in
            [
                ProtocolPage.hex(one.value, digits: 2 * size), one.length.map(String.init) ?? "", "`\(one.name)`",
                one.fields.map { "`\($0.name)`" }.joined(separator: ", "), one.doc ?? "",
            ]
        }
        if let otherwise = definition.otherwise {
            rows.append([
                "else", "", "`\(otherwise.name)`", otherwise.fields.map { "`\($0.name)`" }.joined(separator: ", "),
                otherwise.doc ?? "",
            ])
        }
        text += MarkdownTable(["Value", "Bytes", "Name", "Fields", "Meaning"], rows).text
        let all = definition.cases + (definition.otherwise.map { [$0] } ?? [])
        for (one, group) in zip(all, choice.groups) where !one.fields.isEmpty {
            text += "\n#### \(one.title)\n\n" + table(one.fields, group.children, from: size)
        }
        return text
    }
}

extension FieldDefinition {
    /// A raw number in the field's notation.
    fileprivate func words(_ raw: UInt64) -> String {
        if case .hex = rendering { return "0x" + String(raw, radix: 16, uppercase: true) }
        if case .signed(let bytes) = kind { return "\(Int64.signed(raw, bits: 8 * bytes))" }
        return "\(raw)"
    }
}

extension BitsDefinition {
    /// Raw bits in the part's notation.
    fileprivate func words(_ raw: UInt64) -> String {
        isSigned ? "\(Int64.signed(raw, bits: bits.count))" : "\(raw)"
    }
}

extension FieldDefinition.Kind {
    /// The type's name in profiles.
    var word: String {
        switch self {
        case .unsigned(let bytes), .enumeration(let bytes, _), .bits(let bytes, _, _): "u\(8 * bytes)"
        case .signed(let bytes): "i\(8 * bytes)"
        case .float(let bytes): "f\(8 * bytes)"
        case .medical(let bytes): bytes == 2 ? "sfloat" : "float"
        case .text(let length, .length): "string\(length.words)"
        case .text(let length, .nul): "string\(length.words), ends at NUL"
        case .text(let length, .optionalNUL): "string\(length.words), ends at NUL if there is one"
        case .digits(let length, let format): "ascii_\(format.base == 16 ? "hex" : "decimal")\(length.words)"
        case .bytes(let length): "bytes\(length.words)"
        case .address: "address"
        case .uuid(let bytes): "uuid\(8 * bytes)"
        case .checksum(let checksum): "u\(8 * checksum.algorithm.bytes)"
        case .type(let name): name
        }
    }
}

extension FieldDefinition.Length {
    fileprivate var words: String {
        switch self {
        case .fixed(let bytes): " of \(bytes)"
        case .computed(let expression): " of `\(expression.text)`"
        case .rest: ""
        }
    }
}

extension Scale {
    /// `value = raw · 0.5 · 10^-2 + 3`.
    var words: String {
        var text = "value = raw"
        if m != 1 { text += " · \(Int(exactly: m).map(String.init) ?? "\(m)")" }
        if d != 0 { text += " · 10^\(d)" }
        if b != 0 { text += " · 2^\(b)" }
        if offset != 0 { text += " + \(Int(exactly: offset).map(String.init) ?? "\(offset)")" }
        return text
    }
}
