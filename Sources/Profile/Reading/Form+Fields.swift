import Bytes

// Fields of structures, and scalar types.
extension TypeForms {
    /// All keys of fields, of any kind.
    static let fieldKeys = [
        "name", "title", "doc", "alias", "filter_name", "type", "count", "when", "length", "ends_at_nul", "decimals",
        "endian",
        "unit", "scale",
        "range", "special", "assigned", "values", "bits", "other_bits", "constant", "rendering", "timestamp",
        "checksum", "sensitive",
    ]

    /// An element of `fields`.
    var field: Form<FieldDefinition> {
        Form(mapping: "a field") { keys in
            let name = keys.require("name", .name)
            guard var field = body(name ?? "", keys) else { return nil }
            field.count = keys.take("count", .count)
            field.condition = keys.take("when", .condition)
            return name == nil ? nil : field
        }
    }

    /// A scalar type: a single field without name, count and condition.
    func scalar(_ name: String, _ keys: Keys) -> FieldDefinition? {
        let field = body(name, keys)
        keys.refuse(["name", "count", "when"], "belongs to the fields that have this type")
        return field
    }

    /// A field without its name, count and condition.
    private func body(_ name: String, _ keys: Keys) -> FieldDefinition? {
        guard let word = keys.require("type", typeWord) else {
            keys.passOver()
            return nil
        }
        var field = FieldDefinition(name: name, title: "", kind: .address, place: keys.place)
        takeCommon(&field, keys)
        field.isSensitive = keys.take("sensitive", .boolean) ?? false
        switch word {
        case .unsigned(let bytes): takeInteger(&field, keys, bytes: bytes, signed: false)
        case .signed(let bytes): takeInteger(&field, keys, bytes: bytes, signed: true)
        case .float(let bytes):
            field.kind = .float(bytes: bytes)
            takeNumber(&field, keys)
        case .medical(let bytes):
            field.kind = .medical(bytes: bytes)
            takeNumber(&field, keys)
        case .text:
            let end = keys.take("ends_at_nul", .textEnd) ?? .length
            field.kind = .text(keys.take("length", .length) ?? .rest, end: end)
        case .digits(let base): takeDigits(&field, keys, base: base)
        case .bytes: field.kind = .bytes(keys.take("length", .length) ?? .rest)
        case .address:
            field.kind = .address
            field.endian = keys.take("endian", .endian) ?? .little
        case .uuid(let bytes):
            field.kind = .uuid(bytes: bytes)
            field.endian = keys.take("endian", .endian) ?? .little
            if bytes == 2 { field.assignedNames = keys.take("assigned", Form<FieldDefinition.AssignedNames>.word) }
        case .boolean: field.kind = .enumeration(bytes: 1, .boolean)
        case .named(let type): field.kind = .type(type)
        }
        let form = ["values", "bits", "checksum"].first(where: keys.has)
        let with = form.map { "\(word.text) with \($0)" } ?? word.text
        if form == "bits" {
            keys.refuse(["unit", "constant"], "does not go with \(with); a part may have it")
        }
        keys.refuse(Self.fieldKeys.filter { !["name", "count", "when"].contains($0) }, "does not go with \(with)")
        return field
    }

    /// Reads the descriptive keys common to all fields.
    func takeCommon(_ field: inout FieldDefinition, _ keys: Keys) {
        field.title = keys.take("title", .line) ?? Form<String>.title(from: field.name)
        field.doc = keys.take("doc", .text)
        field.alias = keys.take("alias", .line)
        field.filterName = keys.take("filter_name", .filterName)
    }

    /// Reads the keys common to all numbers.
    private func takeNumber(_ field: inout FieldDefinition, _ keys: Keys) {
        field.endian = keys.take("endian", .endian) ?? .little
        field.unit = keys.take("unit", .line)
        field.scale = keys.take("scale", .scale)
        field.range = keys.take("range", .range(of: Form<Double>.number))
    }

    /// A number as ASCII digits.
    private func takeDigits(_ field: inout FieldDefinition, _ keys: Keys, base: Int) {
        let decimals = base == 10 ? keys.take("decimals", .integer(1...15)) ?? 0 : 0
        field.kind = .digits(keys.take("length", .length) ?? .rest, DigitsFormat(base: base, decimals: decimals))
        field.unit = keys.take("unit", .line)
        field.range = keys.take("range", .range(of: Form<Double>.number))
        field.special = keys.special(.raw(bytes: 8, signed: base == 10))
        if decimals > 0 {
            field.scale = Scale(d: -decimals)
            keys.refuse(["scale"], "does not go with decimals")
        } else {
            field.scale = keys.take("scale", .scale)
        }
        if base == 16 { keys.refuse(["decimals"], "belongs to ascii_decimal") }
    }

    /// An integer: a plain number, an enumeration, bit parts, a time or a checksum.
    private func takeInteger(_ field: inout FieldDefinition, _ keys: Keys, bytes: Int, signed: Bool) {
        let raw = Form<UInt64>.raw(bytes: bytes, signed: signed)
        field.kind = signed ? .signed(bytes: bytes) : .unsigned(bytes: bytes)
        if keys.has("values") {
            field.kind = .enumeration(bytes: bytes, keys.take("values", .cases(raw)) ?? [])
            field.endian = keys.take("endian", .endian) ?? .little
            field.constant = keys.take("constant", raw)
            field.rendering = keys.take("rendering", .rendering) ?? .standard
            return
        }
        if keys.has("bits"), !signed {
            let parts = keys.take("bits", .parts(of: bytes)) ?? []
            let others = keys.take("other_bits", .word([("zero", false), ("ignored", true)])) ?? false
            field.kind = .bits(bytes: bytes, parts, ignoresOthers: others)
            field.endian = keys.take("endian", .endian) ?? .little
            return
        }
        if keys.has("checksum"), !signed {
            if let checksum = keys.take("checksum", .checksum(bytes: bytes)) { field.kind = .checksum(checksum) }
            field.endian = keys.take("endian", .endian) ?? .little
            return
        }
        takeNumber(&field, keys)
        if bytes == 2, !signed { field.assignedNames = keys.take("assigned", Form<FieldDefinition.AssignedNames>.word) }
        field.constant = keys.take("constant", raw)
        field.special = keys.special(raw)
        field.rendering = keys.take("rendering", .rendering) ?? .standard
        if keys.has("rendering") {
            keys.refuse(["timestamp"], "does not go with a rendering")
        } else {
            field.rendering = keys.take("timestamp", .timestamp) ?? .standard
        }
    }
}

// MARK: - Parts of fields

extension Form where Value == FieldDefinition.TextEnd {
    fileprivate static var textEnd: Self { .word([("true", .nul), ("optional", .optionalNUL), ("false", .length)]) }
}

extension Form where Value == FieldDefinition.Endian {
    static var endian: Self { .word([("little", .little), ("big", .big)]) }
}

extension Form where Value == FieldDefinition.Rendering {
    static var rendering: Self { .word([("hex", .hex), ("dotted", .dotted)]) }

    static var timestamp: Self {
        Form(mapping: "epoch and resolution of a time, like {epoch: 1970-01-01, resolution: 1 s}") { keys in
            let epoch = keys.take("epoch", .epoch) ?? 0
            let resolution = keys.take("resolution", .duration) ?? 1
            if resolution < 1e-9 { keys.report("expected a nanosecond or more", at: "resolution") }
            return .timestamp(epoch: epoch, resolution: resolution)
        }
    }
}

extension Form where Value == Scale {
    fileprivate static var scale: Self {
        Form(mapping: "m, d, b or offset of value = raw · m · 10^d · 2^b + offset, like {d: -2}") { keys in
            let m = keys.take("m", .number) ?? 1
            if m == 0 { keys.report("expected a number other than 0", at: "m") }
            return Scale(
                m: m, d: keys.take("d", .integer(-30...30)) ?? 0, b: keys.take("b", .integer(-62...62)) ?? 0,
                offset: keys.take("offset", .number) ?? 0)
        }
    }
}

extension Form where Value == [EnumerationCase] {
    /// Values and their names.
    fileprivate static func cases(_ raw: Form<UInt64>) -> Self {
        let expected = "names by value, like {0: idle, 1: busy}"
        return Form(expected) { node, faults in
            let form = Form<[(key: UInt64, value: EnumerationCase, place: SourcePlace)]>
                .entries(expected, raw, .enumerationCase)
            guard let cases = form.read(node, faults) else { return nil }
            faults.reportDoubles(cases.map { ($0.value.name, $0.place) })
            faults.reportDoubleValues(cases.map { ($0.key, $0.place) })
            return cases.map { entry in
                var one = entry.value
                one.value = entry.key
                return one
            }
        }
    }
}

extension Form where Value == EnumerationCase {
    /// A name, or a mapping with one.
    fileprivate static var enumerationCase: Self {
        let full = Form(mapping: "a name, or a mapping with one") { keys in
            let name = keys.require("name", .name)
            let title = keys.take("title", .line)
            let alias = keys.take("alias", .line)
            let doc = keys.take("doc", .text)
            return name.map { EnumerationCase(value: 0, name: $0, title: title, alias: alias, doc: doc) }
        }
        return Form(full.expected) { node, faults in
            if case .mapping = node.content { return full.read(node, faults) }
            return Form<String>.name.read(node, faults).map { EnumerationCase(value: 0, name: $0) }
        }
    }
}

extension Form where Value == [BitsDefinition] {
    /// The bit parts of a number of `bytes` bytes.
    fileprivate static func parts(of bytes: Int) -> Self {
        Form("a list of parts") { node, faults in
            let parts = Form<[BitsDefinition]>.list(of: .part(of: bytes)).read(node, faults)
            faults.reportDoubles((parts ?? []).map { ($0.name, $0.place) })
            return parts
        }
    }
}

extension Form where Value == BitsDefinition {
    fileprivate static func part(of bytes: Int) -> Self {
        Form(mapping: "a part of a number") { keys in
            let name = keys.require("name", .name)
            let place = Form<Int>.integer(0...bytes * 8 - 1)
            let range = keys.one(of: "its bits", [("bit", place.map { $0...$0 }), ("bits", .range(of: place))])
            let title = keys.take("title", .line)
            let doc = keys.take("doc", .text)
            guard let name, let range else {
                keys.passOver()
                return nil
            }
            var part = BitsDefinition(
                name: name, title: title ?? Form<String>.title(from: name), bits: range, place: keys.place)
            part.doc = doc
            part.isSigned = keys.take("signed", .boolean) ?? false
            let raw = Form<UInt64>.raw(bits: range.count, signed: part.isSigned)
            part.cases = keys.take("values", .cases(raw)) ?? []
            part.unit = keys.take("unit", .line)
            part.constant = keys.take("constant", raw)
            if keys.has("values") {
                keys.refuse(["scale", "range", "special"], "does not go with values")
            } else {
                part.scale = keys.take("scale", .scale)
                part.range = keys.take("range", .range(of: Form<Double>.number))
                part.special = keys.special(raw)
            }
            return part
        }
    }
}

extension Keys {
    /// Names of raw numbers with a special meaning.
    fileprivate func special(_ raw: Form<UInt64>) -> [UInt64: String] {
        let special = take("special", .entries("names by value, like {0xFF: unknown}", raw, Form<String>.line)) ?? []
        faults.reportDoubleValues(special.map { ($0.key, $0.place) })
        return Dictionary(special.map { ($0.key, $0.value) }) { first, _ in first }
    }
}

extension FaultList {
    /// Reports duplicate numbers, even if written differently.
    fileprivate func reportDoubleValues(_ values: [(value: UInt64, place: SourcePlace)]) {
        var places: [UInt64: SourcePlace] = [:]
        for (value, place) in values {
            if let first = places[value] {
                add("\(value): stands here twice, first in line \(first.line)", at: place)
            } else {
                places[value] = place
            }
        }
    }
}

extension Form where Value == Int64 {
    /// A date or a time in seconds since 1970, UTC.
    package static var epoch: Self {
        Form(scalar: "a date or a time, like 1970-01-01 or 2026-02-01T12:00:00Z") {
            ISO8601.nanoseconds($0.text).map { $0 / 1_000_000_000 }
        }
    }
}
