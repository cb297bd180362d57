import Bluetooth
import Bytes

/// Forms of the values in vectors and emulation, derived from their types.
struct ValueForms {
    let types: TypeIndex
    /// Types with faults, whose values are not checked.
    private let wrongTypes: Set<String>
    /// Whether checksums may be omitted, to be computed.
    var leavesOutChecksums = false
    /// Whether values may reference fields of the request: `request.command`.
    var takesRequests = false

    init(_ types: TypeIndex, wrongTypes: Set<String>) {
        self.types = types
        self.wrongTypes = wrongTypes
    }

    /// A value of a type.
    func value(of name: String) -> Form<Value> {
        guard let type = types[name], !wrongTypes.contains(name) else { return .failing("a value of a known type") }
        switch type.form {
        case .structure(let fields):
            return Form(mapping: "the fields of \(name)") { keys in
                record(of: fields, keys).map { .record($0) }
            }
        case .choice(let choice): return value(of: choice, name)
        case .scalar(let field): return value(of: field)
        }
    }

    /// A value of a field; a list of values for a repeated field.
    func value(of field: FieldDefinition) -> Form<Value> {
        let single = orRequest(single(field))
        return field.count == nil ? single : Form<[Value]>.list(of: single).map { .list($0) }
    }

    /// A record. Every field is required, except those with a condition or a constant.
    private func record(of fields: [FieldDefinition], _ keys: Keys, after first: Record = Record()) -> Record? {
        var record = first
        var isWhole = true
        for field in fields {
            let form = value(of: field)
            let value: Value?
            if keys.has(field.name) {
                value = keys.take(field.name, form)
            } else if field.condition != nil || leavesOutChecksums && field.isChecksum {
                value = .absent
            } else if let constant = constant(of: field) {
                value = constant
            } else {
                value = keys.require(field.name, form)
            }
            if let value { record.fields.append((field.name, value)) } else { isWhole = false }
        }
        return isWhole ? record : nil
    }

    /// The discriminant by name or number, and the fields of its case.
    private func value(of choice: ChoiceDefinition, _ name: String) -> Form<Value> {
        guard case .unsigned(let bytes) = choice.discriminant.kind else { return .failing("a choice") }
        let cases = choice.cases.map { EnumerationCase(value: $0.value, name: $0.name) }
        let discriminant = ValueForms.enumeration(bits: bytes * 8, cases)
        return Form(mapping: "a value of \(name)") { keys in
            guard case .named(let number, let caseName)? = keys.require(choice.discriminant.name, discriminant) else {
                keys.passOver()
                return nil
            }
            let chosen = chosenCase(of: choice, caseName, keys)
            guard let chosen else {
                keys.report("expected the value of a case, found \(number)", at: choice.discriminant.name)
                keys.passOver()
                return nil
            }
            var first = Record()
            first.fields.append((choice.discriminant.name, .named(number, caseName)))
            return record(of: chosen.fields, keys, after: first).map { .record($0) }
        }
    }

    /// The case with this name; `otherwise` if all its fields are present and one is not the named case's, as for a
    /// value whose length rules out the named case.
    private func chosenCase(of choice: ChoiceDefinition, _ name: String?, _ keys: Keys) -> ChoiceDefinition.Case? {
        guard let known = choice.cases.first(where: { $0.name == name }), let otherwise = choice.otherwise else {
            return choice.cases.first { $0.name == name } ?? choice.otherwise
        }
        let names = Set(otherwise.fields.map(\.name))
        let isOther = !names.isSubset(of: Set(known.fields.map(\.name))) && names.allSatisfy { keys.has($0) }
        return isOther ? otherwise : known
    }

    /// The value of a constant field; nil for others.
    private func constant(of field: FieldDefinition) -> Value? {
        guard let constant = field.constant, field.count == nil else { return nil }
        switch field.kind {
        case .unsigned: return .number(constant)
        case .signed(let bytes): return .integer(.signed(constant, bits: bytes * 8))
        case .enumeration(_, let cases): return .named(constant, cases.name(of: constant))
        default: return nil
        }
    }
}

// MARK: - Single fields

extension ValueForms {
    /// One value of a field, even if the field is repeated.
    private func single(_ field: FieldDefinition) -> Form<Value> {
        switch field.kind {
        case .type(let name): return value(of: name)
        case .unsigned(let bytes): return number(field, bytes: bytes, signed: false)
        case .signed(let bytes): return number(field, bytes: bytes, signed: true)
        case .digits(_, let format): return number(field, bytes: 8, signed: format.base == 10)
        case .float, .medical: return Form<Double>.measured.map { .real($0) }
        case .text: return Form<String>.anyText.map { .text($0) }
        case .bytes: return Form<[UInt8]>.anyBytes.map { .bytes($0) }
        case .address: return Form<String>.addressText.map { .text($0) }
        case .uuid: return Form<UUID>.uuid.map { .text($0.description) }
        case .enumeration(1, let cases) where cases.isBoolean: return Form<Bool>.boolean.map { .boolean($0) }
        case .enumeration(let bytes, let cases): return Self.enumeration(bits: bytes * 8, cases)
        case .checksum(let checksum):
            return Form<UInt64>.raw(bytes: checksum.algorithm.bytes, signed: false).map { .number($0) }
        case .bits(_, let parts, _):
            return Form(mapping: "the parts of \(field.name)") { keys in record(of: parts, keys).map { .record($0) } }
        }
    }

    private func record(of parts: [BitsDefinition], _ keys: Keys) -> Record? {
        var record = Record()
        for part in parts {
            let form = value(of: part)
            let isConstant = !keys.has(part.name) && part.constant != nil
            let value = isConstant ? part.value(of: part.constant ?? 0) : keys.require(part.name, form)
            if let value { record.fields.append((part.name, value)) }
        }
        return record.fields.count == parts.count ? record : nil
    }

    /// A value of a bit part.
    func value(of part: BitsDefinition) -> Form<Value> {
        orRequest(valueAlone(of: part))
    }

    /// Extends a form by references to fields of the request.
    private func orRequest(_ form: Form<Value>) -> Form<Value> {
        if !takesRequests { return form }
        return Form("\(form.expected), or a field of the request: request.field") { node, faults in
            let prefix = ExpressionProgram.Reference.requestPrefix
            guard let scalar = node.scalar, scalar.isPlain, scalar.text.hasPrefix(prefix) else {
                return form.read(node, faults)
            }
            return Form<String>.path.read(node, faults).map { .ofRequest(String($0.dropFirst(prefix.count))) }
        }
    }

    private func valueAlone(of part: BitsDefinition) -> Form<Value> {
        if part.isBoolean { return Form<Bool>.boolean.map { .boolean($0) } }
        if !part.cases.isEmpty { return Self.enumeration(bits: part.bits.count, part.cases) }
        let raw = Form<UInt64>.raw(bits: part.bits.count, signed: part.isSigned)
        let plain = part.scale == nil ? raw.map { part.value(of: $0) } : Form<Double>.measured.map { .real($0) }
        return .either(plain, orName: part.special)
    }

    /// An integer field: a scaled number, a time, a special value or a plain number.
    private func number(_ field: FieldDefinition, bytes: Int, signed: Bool) -> Form<Value> {
        let raw = Form<UInt64>.raw(bytes: bytes, signed: signed)
        let plain: Form<Value>
        switch field.rendering {
        case .timestamp(let epoch, let resolution): plain = .time(raw, epoch: epoch, resolution: resolution)
        case .standard, .hex, .dotted:
            plain =
                field.scale == nil
                ? raw.map { signed ? .integer(.signed($0, bits: bytes * 8)) : .number($0) }
                : Form<Double>.measured.map { .real($0) }
        }
        return .either(plain, orName: field.special)
    }

    /// A named value, given by name or number.
    private static func enumeration(bits: Int, _ cases: [EnumerationCase]) -> Form<Value> {
        let raw = Form<UInt64>.raw(bits: bits, signed: nil)
        return Form("a name or \(raw.expected)") { node, faults in
            let text = node.scalar?.text ?? ""
            if let found = cases.first(where: { $0.name == text }) { return .named(found.value, found.name) }
            if WholeNumber(text) != nil {
                return raw.read(node, faults).map { .named($0, cases.name(of: $0)) }
            }
            let meant = Advice.meant(text, among: cases.map(\.name))
            let names = cases.isEmpty ? "a number" : Advice.list(cases.prefix(12).map(\.name))
            faults.add("expected \(names), found \(node.described)\(meant)", at: node)
            return nil
        }
    }
}

// MARK: - Basic values

extension Form where Value == Profile::Value {
    /// A value, or the name of a raw number with a special meaning.
    fileprivate static func either(_ plain: Self, orName names: [UInt64: String]) -> Self {
        if names.isEmpty { return plain }
        return Form("\(plain.expected) or \(Advice.list(names.values.sorted()))") { node, faults in
            if let special = names.first(where: { $0.value == node.scalar?.text }) {
                return .named(special.key, special.value)
            }
            return plain.read(node, faults)
        }
    }

    /// A form for a value of unknown type; the cause is reported elsewhere.
    fileprivate static func failing(_ expected: String) -> Self {
        Form(expected) { _, _ in nil }
    }

    /// A time as ISO 8601 or raw number.
    fileprivate static func time(_ raw: Form<UInt64>, epoch: Int64, resolution: Double) -> Self {
        let expected = "a time, like 2026-02-01T12:00:00Z, or \(raw.expected)"
        return Form(expected) { node, faults in
            let step = Int64((resolution * 1e9).rounded())
            guard let nanoseconds = node.scalar.flatMap({ ISO8601.nanoseconds($0.text) }) else {
                return raw.read(node, faults).map { number in
                    let whole = Int64(exactly: number)
                    let time = whole.flatMap { ISO8601.nanoseconds($0, epoch: epoch, step: step) }
                    return time.map { .time(whole ?? 0, nanoseconds: $0) } ?? .number(number)
                }
            }
            let (since, isTooEarly) = nanoseconds.subtractingReportingOverflow(epoch * 1_000_000_000)
            guard !isTooEarly, since >= 0, since.isMultiple(of: max(step, 1)) else {
                faults.add(
                    "expected a time from the field's epoch on, in steps of its resolution, found \(node.described)",
                    at: node)
                return nil
            }
            return .time(since / max(step, 1), nanoseconds: nanoseconds)
        }
    }
}

extension Form where Value == Double {
    /// A number, including infinities and NaN.
    fileprivate static var measured: Self {
        Form(plain: "a number, inf, -inf or nan") { text in
            decimal(text) ?? ["inf": .infinity, "-inf": -.infinity, "nan": .nan][text]
        }
    }
}

extension Form where Value == String {
    /// A text that may be empty.
    fileprivate static var anyText: Self {
        Form("a text") { node, faults in
            if let scalar = node.scalar, !scalar.isNothing || !scalar.isPlain { return scalar.text }
            faults.add("expected a text, found \(node.described)", at: node)
            return nil
        }
    }

    /// A device address, in lower case.
    fileprivate static var addressText: Self {
        Form(scalar: "an address, like c0:ff:ee:00:12:34") { scalar in
            let parts = scalar.text.split(separator: ":", omittingEmptySubsequences: false)
            let isAddress = parts.count == 6 && parts.allSatisfy { $0.count == 2 && $0.allSatisfy(\.isHexDigit) }
            return isAddress ? scalar.text.lowercased() : nil
        }
    }
}

extension Form where Value == [UInt8] {
    /// Bytes, possibly empty.
    fileprivate static var anyBytes: Self {
        Form(bytes.expected) { node, faults in
            if node.scalar?.text == "" { return [] }
            return bytes.read(node, faults)
        }
    }
}
