import Bytes

// Fields, slices, functions and masks.
extension FilterCompiler {
    /// Compiles a term that is computed from fields; nil for a literal value.
    mutating func operand(_ term: FilterTerm) throws(FilterError) -> Typed? {
        switch term.kind {
        case .word(let word):
            return try fields(word, term)
        case .string, .character:
            return nil
        case .slice(let inner, let slices):
            guard let typed = try operand(inner) else { throw notAField(inner) }
            if typed.kinds.contains(where: { $0.valueClass.isNumeric }) {
                throw error("\(spelling(inner)) is a number: only bytes and texts have slices", term.range)
            }
            if typed.operand.pieces * slices.count > Self.maximumPieces {
                throw error("takes more than \(Self.maximumPieces) pieces of a value", term.range)
            }
            return Typed(operand: .slice(typed.operand, slices), kinds: [Self.computedBytes], term: term)
        case .call(let name, let arguments):
            return try call(name, arguments, term)
        case .bitAnd(let inner, let mask):
            guard let typed = try operand(inner) else { throw notAField(inner) }
            return try masked(typed, mask, term)
        }
    }

    /// Maximum number of pieces that slices may take from a value. Nested slices multiply them, and each piece may be
    /// the whole value.
    private static let maximumPieces = 64
    private static let computedBytes = ValueKind(valueClass: .bytes, field: nil)
    private static let computedNumber = ValueKind(valueClass: .number, field: nil)

    private mutating func fields(_ name: String, _ term: FilterTerm) throws(FilterError) -> Typed? {
        let named = catalog[name]
        if named.isEmpty { return nil }
        // A filter that compares key material would find it, byte by byte.
        let fields = named.filter { !$0.isSecret }
        if fields.isEmpty {
            throw error(
                "\(name) is key material, which no filter can ask for; filter by its PDU, like btsmp.opcode", term.range
            )
        }
        fieldNames.insert(name)
        let alternatives = fields.map {
            FilterFields.Alternative(field: $0, form: Self.form($0))
        }
        return Typed(
            operand: .fields(FilterFields(alternatives: alternatives)),
            kinds: fields.map { ValueKind(valueClass: Self.valueClass($0), field: $0) }, term: term)
    }

    private static func form(_ field: Field) -> FilterValueForm {
        if field.isMeasured { return .scaled }
        return switch field.format {
        case .decimal, .hex, .boolean, .dotted, .timestamp: .unsigned
        case .signed: .signed(bits: field.mask == 0 ? nil : field.mask.nonzeroBitCount)
        case .number, .float: .real
        case .time: .seconds
        case .group, .bytes, .bigEndianUUID128: .bytes
        case .text: .text
        case .address: .address
        case .uuid128: .uuid
        }
    }

    private static func valueClass(_ field: Field) -> ValueClass {
        if field.isMeasured { return .real }
        return switch field.format {
        case .decimal, .hex, .boolean, .signed, .dotted, .timestamp: .number
        case .number, .float, .time: .real
        case .group, .bytes, .address, .uuid128, .bigEndianUUID128: .bytes
        case .text: .text
        }
    }

    private mutating func call(
        _ name: String, _ arguments: [FilterTerm], _ term: FilterTerm
    ) throws(FilterError) -> Typed {
        guard ["count", "len", "lower", "upper"].contains(name) else {
            throw error("unknown function; there are count, len, lower and upper", term.range)
        }
        guard arguments.count == 1, let argument = arguments.first else {
            throw error("\(name) takes one argument", term.range)
        }
        guard let typed = try operand(argument) else { throw notAField(argument) }
        switch (name, typed.operand) {
        case ("len", .masked), ("len", .length), ("len", .count):
            throw error("len takes a field, bytes or a text", argument.range)
        case ("len", _):
            return Typed(operand: .length(typed.operand), kinds: [Self.computedNumber], term: term)
        case ("count", .fields(let fields)):
            return Typed(operand: .count(fields), kinds: [Self.computedNumber], term: term)
        case ("count", _):
            throw error("count takes the name of a field", argument.range)
        default:
            if typed.kinds.contains(where: { $0.valueClass != .text }) {
                throw error("\(name) takes a text", argument.range)
            }
            return Typed(
                operand: name == "lower" ? .lowercased(typed.operand) : .uppercased(typed.operand),
                kinds: [ValueKind(valueClass: .text, field: nil)], term: term)
        }
    }

    private func masked(_ typed: Typed, _ mask: FilterTerm, _ term: FilterTerm) throws(FilterError) -> Typed {
        switch typed.kinds.first?.valueClass {
        case .number:
            guard let number = try number(mask), let bits = UInt64(exactly: number) else {
                throw error("a number is expected", mask.range)
            }
            let kinds = [ValueKind](repeating: Self.computedNumber, count: typed.kinds.count)
            return Typed(operand: .masked(typed.operand, bits), kinds: kinds, term: term)
        case .bytes:
            let bytes = try byteString(mask)
            return Typed(operand: .maskedBytes(typed.operand, bytes), kinds: [Self.computedBytes], term: term)
        default:
            throw error("& takes a number or bytes on its left side", term.range)
        }
    }
}

extension FilterOperand {
    /// Number of pieces of a field's value in one value of the operand.
    fileprivate var pieces: Int {
        switch self {
        case .fields, .length, .count: 1
        case .slice(let inner, let slices): inner.pieces * slices.count
        case .masked(let inner, _), .maskedBytes(let inner, _), .lowercased(let inner), .uppercased(let inner):
            inner.pieces
        }
    }
}

// MARK: - Unknown names

extension FilterCompiler {
    /// Whether a word looks like a field name rather than a value.
    func looksLikeField(_ term: FilterTerm) -> Bool {
        guard case .word(let word) = term.kind, word.contains("."), let first = word.first else { return false }
        return first.isLetter && !word.allSatisfy { $0.isHexDigit || $0 == "." }
    }

    /// The error for a term in place of a field.
    func notAField(_ term: FilterTerm) -> FilterError {
        guard case .word(let word) = term.kind else {
            return error("a field or a function is expected", term.range)
        }
        return error("unknown field" + Spelling.suggestion(catalog.nearest(to: word), last: " or "), term.range)
    }
}
