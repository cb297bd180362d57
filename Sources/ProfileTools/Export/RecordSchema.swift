package import Bytes
package import Profile

/// Generates a JSON Schema (draft 2020-12) for `device` in the output of `decode -T ndjson`: the messages of a plugin
/// and their values.
///
/// No member of a message is required: a truncated value has only the fields before its end, and conditions exclude
/// fields.
package enum RecordSchema {
    /// The schema of a profile; `annotations` are the fields that a plugin's code adds to messages.
    package static func text(of profile: Profile, annotations: [Field] = []) -> String {
        let outlines = OutlineMaker(profile)
        let types = profile.payloadTypes.compactMap { outlines.outline(of: $0) }
        let header = profile.header
        return JSONValue.members([
            "$schema": .string("https://json-schema.org/draft/2020-12/schema"),
            "title": .string("\(header.title), profile \(header.version)"),
            "description": .string(
                "The member \"device\" of a line of gattbench decode -T ndjson, or of one of its values, for this device. "
                    + "A message's own schema is that of its member \"fields\"."), "type": .string("object"),
            "required": .array([.string("plugin"), .string("message"), .string("fields")]),
            "properties": .members(["plugin": .members(["enum": .array([.string(header.id)])])]),
            "oneOf": .array(types.map(message)), "$defs": .object(of: types.map { ($0.name, whole($0, annotations)) }),
        ]).text
    }

    /// A message with its fields.
    private static func message(_ outline: FieldOutline) -> JSONValue {
        .members([
            "properties": .members([
                "message": .members(["enum": .array([.string(outline.name)])]),
                "fields": .members(["$ref": .string("#/$defs/\(outline.name)")]),
            ])
        ])
    }

    /// A type as the value of an attribute: an object, even for a scalar type.
    private static func whole(_ outline: FieldOutline, _ annotations: [Field]) -> JSONValue {
        let others = annotations.map { field in
            (
                name: String(field.name.split(separator: ".").last ?? ""),
                value: JSONValue.members([
                    "title": .string(field.label), "description": .string("concluded from the values before"),
                    "type": .array([.string("number"), .string("string"), .string("boolean")]),
                ])
            )
        }
        return switch outline.content {
        case .value: object(outline, members([outline]) + others)
        case .structure(let fields): object(outline, members(fields) + others)
        case .choice(let choice): object(outline, members([choice.discriminant] + choice.groups) + others)
        }
    }

    /// A field; an array for a repeated field.
    private static func schema(of outline: FieldOutline) -> JSONValue {
        let once = value(of: outline)
        switch outline.definition?.count {
        case nil: return once
        case .fixed(let count)?:
            return .members(["type": .string("array"), "maxItems": .integer(count), "items": once])
        case .computed?, .rest?: return .members(["type": .string("array"), "items": once])
        }
    }

    /// One occurrence of a field.
    private static func value(of outline: FieldOutline) -> JSONValue {
        switch outline.content {
        case .structure(let fields): object(outline, members(fields))
        case .choice(let choice): object(outline, members([choice.discriminant] + choice.groups))
        case .value: outline.definition.map { scalar($0, outline) } ?? .object(of: [])
        }
    }

    /// Members of an object. Mutually exclusive fields may share a name; the member then accepts any of their forms.
    private static func members(_ fields: [FieldOutline]) -> [(name: String, value: JSONValue)] {
        let all = fields.flatMap { field in
            [(name: field.lastName, value: schema(of: field))]
                + (field.hasPadding ? [(name: "\(field.lastName)_padding", value: padding(after: field))] : [])
                + (field.isChecksum ? [(name: "\(field.lastName)_status", value: status(of: field))] : [])
        }
        let byName = Dictionary(grouping: all, by: \.name)
        var seen: Set<String> = []
        return all.filter { seen.insert($0.name).inserted }.map { member in
            let forms = (byName[member.name] ?? []).map(\.value)
            return forms.count == 1 ? member : (member.name, .members(["anyOf": .array(forms)]))
        }
    }

    /// The bytes between a text's NUL and the end of the field.
    private static func padding(after field: FieldOutline) -> JSONValue {
        .object(of: [("title", .string("\(field.title) Padding"))] + hexBytes)
    }

    /// The status of a checksum.
    private static func status(of field: FieldOutline) -> JSONValue {
        .members([
            "title": .string("\(field.title) Status"), "enum": .array([.string("good"), .string("bad")]),
        ])
    }

    private static func object(_ outline: FieldOutline, _ members: [(name: String, value: JSONValue)]) -> JSONValue {
        .members([
            "title": .string(outline.title), "description": outline.doc.map { .string($0) }, "type": .string("object"),
            "additionalProperties": .boolean(false), "properties": .object(of: members),
        ])
    }
}

// MARK: - Numbers and texts

extension RecordSchema {
    private static func scalar(_ definition: FieldDefinition, _ outline: FieldOutline) -> JSONValue {
        var members: [(name: String, value: JSONValue)] = [("title", .string(outline.title))]
        if let description = description(of: definition) { members.append(("description", .string(description))) }
        if case .bits(_, let parts, _) = definition.kind {
            members += [
                ("type", .string("object")), ("additionalProperties", .boolean(false)),
                ("properties", .object(of: parts.map { ($0.name, part($0)) })),
            ]
            return .object(of: members)
        }
        return .object(of: members + form(of: definition))
    }

    /// The JSON form of a value.
    private static func form(of definition: FieldDefinition) -> [(name: String, value: JSONValue)] {
        switch definition.kind {
        case .unsigned(let bytes): return integer(definition, bytes: bytes, isSigned: false)
        case .signed(let bytes): return integer(definition, bytes: bytes, isSigned: true)
        case .enumeration(_, let cases) where cases.isBoolean:
            return [("type", .array([.string("boolean")]))]
        case .enumeration(let bytes, let cases): return named(cases, bits: 8 * bytes, isSigned: false)
        case .float: return [("type", .array([.string("number"), .string("null")]))]
        case .medical: return [("type", .array([.string("number"), .string("string"), .string("null")]))]
        case .text: return [("type", .string("string"))]
        case .digits: return integer(definition, bytes: 8, isSigned: true)
        case .bytes: return hexBytes
        case .address: return [("type", .string("string")), ("pattern", .string("^[0-9a-f]{2}(:[0-9a-f]{2}){5}$"))]
        case .uuid(16):
            return [("type", .string("string")), ("pattern", .string("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"))]
        case .uuid: return [("type", .array([.string("integer"), .string("string")]))]
        case .checksum(let checksum): return number(bits: 8 * checksum.algorithm.bytes, isSigned: false)
        case .bits, .type: return [("type", .string("object"))]
        }
    }

    /// Bytes as pairs of hexadecimal digits.
    private static var hexBytes: [(name: String, value: JSONValue)] {
        [("type", .string("string")), ("pattern", .string("^([0-9a-f]{2})*$"))]
    }

    private static func integer(
        _ definition: FieldDefinition, bytes: Int, isSigned: Bool
    ) -> [(name: String, value: JSONValue)] {
        let names = definition.special.sorted { $0.key < $1.key }.map(\.value)
        let form: [(name: String, value: JSONValue)]
        switch definition.rendering {
        case .timestamp: form = [("type", .string("string"))]
        case .dotted: form = [("type", .string("string")), ("pattern", .string(#"^[0-9]+(\.[0-9]+)*$"#))]
        case .standard, .hex:
            form = definition.scale == nil ? number(bits: 8 * bytes, isSigned: isSigned) : [("type", .string("number"))]
        }
        if definition.assignedNames != nil { return [("type", .array([.string("integer"), .string("string")]))] }
        return names.isEmpty ? form : either(names, or: form)
    }

    /// A name, or a number without a name.
    private static func named(
        _ cases: [EnumerationCase], bits: Int, isSigned: Bool
    ) -> [(name: String, value: JSONValue)] {
        either(cases.map(\.name), or: number(bits: bits, isSigned: isSigned))
    }

    private static func either(
        _ names: [String], or form: [(name: String, value: JSONValue)]
    ) -> [(name: String, value: JSONValue)] {
        let isText = form.contains { if case ("type", .string("string")) = ($0.name, $0.value) { true } else { false } }
        // A text may be one of the names or any other text, so the schema cannot be more specific.
        if isText { return [("type", .string("string"))] }
        var seen: Set<String> = []
        let unique = names.filter { seen.insert($0).inserted }
        return [("oneOf", .array([.members(["enum": .array(unique.map { .string($0) })]), .object(of: form)]))]
    }

    /// An integer; from 2^53 on a string, which JSON readers do not round.
    private static func number(bits: Int, isSigned: Bool) -> [(name: String, value: JSONValue)] {
        guard bits < 54 else { return [("type", .array([.string("integer"), .string("string")]))] }
        let greatest = 1 << (isSigned ? bits - 1 : bits)
        return [
            ("type", .string("integer")), ("minimum", .integer(isSigned ? -greatest : 0)),
            ("maximum", .integer(greatest - 1)),
        ]
    }

    private static func part(_ part: BitsDefinition) -> JSONValue {
        var members: [(name: String, value: JSONValue)] = [("title", .string(part.title))]
        let description = [part.doc, part.unit.map { "unit: \($0)" }, part.range.map { "expected: \($0.words)" }]
            .compactMap { $0 }.joined(separator: "; ")
        if !description.isEmpty { members.append(("description", .string(description))) }
        if part.isBoolean { return .object(of: members + [("type", .string("boolean"))]) }
        if !part.cases.isEmpty {
            return .object(of: members + named(part.cases, bits: part.bits.count, isSigned: part.isSigned))
        }
        let form =
            part.scale == nil
            ? number(bits: part.bits.count, isSigned: part.isSigned) : [("type", .string("number"))]
        let special = part.special.sorted { $0.key < $1.key }.map(\.value)
        return .object(of: members + (special.isEmpty ? form : either(special, or: form)))
    }

    /// Doc, unit and range.
    private static func description(of definition: FieldDefinition) -> String? {
        var parts = [definition.doc].compactMap { $0 }
        if let unit = definition.unit { parts.append("unit: \(unit)") }
        if let range = definition.range { parts.append("expected: \(range.words)") }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}

extension ClosedRange<Double> {
    /// `0 to 100`.
    var words: String { "\(Self.word(lowerBound)) to \(Self.word(upperBound))" }

    private static func word(_ number: Double) -> String { Int64(exactly: number).map(String.init) ?? "\(number)" }
}

extension FieldOutline {
    /// The last component of the filter name, which records use.
    fileprivate var lastName: String {
        filterName.split(separator: ".").last.map(String.init) ?? name
    }

    fileprivate var isChecksum: Bool {
        if case .checksum? = definition?.kind { true } else { false }
    }

    /// Whether the field is a text with padding after a NUL.
    fileprivate var hasPadding: Bool {
        if case .text(_, let end)? = definition?.kind { end != .length } else { false }
    }
}
