import Bluetooth
import Bytes

// Literal values, converted to the kind of the field they are compared with.
extension FilterCompiler {
    /// The predicate for comparing values of this kind with a literal.
    func comparison(
        _ comparison: FilterComparison, _ kind: ValueKind, _ term: FilterTerm
    ) throws(FilterError) -> FilterPredicate {
        switch kind.valueClass {
        case .number:
            if let number = try number(term, kind.field) {
                if let values = kind.field?.numbers, !values.contains(number) {
                    let (word, limit, end) =
                        number > values.upperBound
                        ? ("great", values.upperBound, "greatest") : ("small", values.lowerBound, "least")
                    throw error("\(number) is too \(word): \(limit) is the \(end) value", term.range)
                }
                return .number(comparison, number)
            }
            if let decimal = decimal(term, kind) { return .real(comparison, decimal) }
            return try named(comparison, kind, term)
        case .real:
            guard case .word(let word) = term.kind, let number = Double(word) else {
                throw wrongValue("a number is expected", term)
            }
            return .real(comparison, number)
        case .bytes:
            let bytes = try byteString(term, kind.field)
            if kind.field?.format == .address, bytes.count != 6 { throw wrongValue(Self.addressExpected, term) }
            return .bytes(comparison, bytes, .lengthFirst)
        case .text:
            return .bytes(comparison, try textBytes(term), .lexicographic)
        }
    }

    /// The bytes that `contains` looks for in values of this kind.
    func part(_ kind: ValueKind, _ term: FilterTerm) throws(FilterError) -> [UInt8] {
        try requireBytes(kind, term, "contains")
        return kind.valueClass == .text ? try textBytes(term) : try byteString(term)
    }

    func requireBytes(_ kind: ValueKind, _ term: FilterTerm, _ operation: String) throws(FilterError) {
        if kind.valueClass.isNumeric {
            throw error("\(operation) applies to bytes and texts, not to numbers", term.range)
        }
    }

    /// The pattern on the right side of `matches`.
    func pattern(_ term: FilterTerm) throws(FilterError) -> BytePattern {
        guard case .string(let string) = term.kind else {
            throw error("a pattern in double quotes is expected", term.range)
        }
        do {
            return try BytePattern(string.bytes)
        } catch {
            throw self.error("pattern: \(error.message)", term.range)
        }
    }

    private func wrongValue(_ message: String, _ term: FilterTerm) -> FilterError {
        looksLikeField(term) ? notAField(term) : error(message, term.range)
    }
}

// MARK: - Numbers

extension FilterCompiler {
    /// The integer that a term spells; nil for a name or anything else.
    func number(_ term: FilterTerm, _ field: Field? = nil) throws(FilterError) -> Int128? {
        switch term.kind {
        case .character(let character):
            return Int128(character)
        case .word(let word):
            if field?.format == .boolean {
                if word.lowercased() == "true" { return 1 }
                if word.lowercased() == "false" { return 0 }
            }
            return try integer(word, term)
        default:
            return nil
        }
    }

    /// The decimal number that a term spells; nil for other terms, for dotted fields, and for the name of one of the
    /// field's values, such as a version.
    private func decimal(_ term: FilterTerm, _ kind: ValueKind) -> Double? {
        guard case .word(let word) = term.kind, word.contains("."), kind.field?.format != .dotted,
            let number = Double(word)
        else { return nil }
        let names = kind.field.flatMap { valueNames.of($0)?.ranges }
        return names?[word.lowercased()] == nil ? number : nil
    }

    /// Decimal, 0x… hexadecimal, 0b… binary or 0… octal, with a sign.
    private func integer(_ word: String, _ term: FilterTerm) throws(FilterError) -> Int128? {
        var digits = word[...]
        let isNegative = digits.hasPrefix("-")
        if isNegative || digits.hasPrefix("+") { digits.removeFirst() }
        let radix: Int
        switch digits.prefix(2).lowercased() {
        case "0x": (radix, digits) = (16, digits.dropFirst(2))
        case "0b": (radix, digits) = (2, digits.dropFirst(2))
        default: radix = digits.count > 1 && digits.hasPrefix("0") ? 8 : 10
        }
        guard !digits.isEmpty, digits.allSatisfy({ ($0.hexDigitValue ?? 16) < radix }) else { return nil }
        guard let magnitude = UInt64(digits, radix: radix) else {
            throw error("does not fit into 64 bits", term.range)
        }
        return isNegative ? -Int128(magnitude) : Int128(magnitude)
    }

    /// A comparison with named values: `btatt.opcode == "Write Request"`.
    private func named(
        _ comparison: FilterComparison, _ kind: ValueKind, _ term: FilterTerm
    ) throws(FilterError) -> FilterPredicate {
        let name = String(decoding: try textBytes(term), as: UTF8.self)
        guard let field = kind.field, let known = valueNames.of(field) else {
            throw wrongValue("a number is expected", term)
        }
        guard let ranges = known.ranges[name.lowercased()], let first = ranges.first else {
            let nearest = Spelling.nearest(to: name, among: known.names, limit: 3)
            let suggestion = Spelling.suggestion(nearest.map { "\"\($0)\"" }, last: " or ")
            throw wrongValue("\(field.name) has no value of this name\(suggestion)", term)
        }
        switch comparison {
        case .equal: return .numbers(ranges)
        case .notEqual: return .not(.numbers(ranges))
        default:
            guard ranges.count == 1, first.count == 1 else {
                throw error("several values have this name: it can be compared by == and != only", term.range)
            }
            return .number(comparison, first.lowerBound)
        }
    }
}

// MARK: - Bytes and texts

extension FilterCompiler {
    /// The bytes that a term spells: `01:02`, `01-02`, `01.02`, `0102`, `0x01`, an address, a UUID or a text.
    func byteString(_ term: FilterTerm, _ field: Field? = nil) throws(FilterError) -> [UInt8] {
        switch (term.kind, field?.format) {
        case (.word(let word), .uuid128), (.word(let word), .bigEndianUUID128):
            if let uuid = UUID(word) { return ByteWriter.bytes { $0.writeBigEndian(uuid.value) } }
            if let bytes = Self.bytes(word) { return bytes }
            throw wrongValue("a UUID is expected", term)
        case (.word(let word), .address):
            if let bytes = Self.bytes(word) { return bytes }
            throw wrongValue(Self.addressExpected, term)
        case (.word(let word), _):
            if let bytes = Self.bytes(word) { return bytes }
            throw wrongValue("bytes are expected: 01:02:03 or \"text\"", term)
        case (.string(let string), .address):
            if let bytes = Self.bytes(string.text) { return bytes }
            throw error(Self.addressExpected, term.range)
        default:
            return try textBytes(term)
        }
    }

    private static let addressExpected = "an address is expected: aa:bb:cc:dd:ee:ff"

    private func textBytes(_ term: FilterTerm) throws(FilterError) -> [UInt8] {
        switch term.kind {
        case .word(let word): return Array(word.utf8)
        case .character(let character): return [character]
        case .string(let string):
            if let range = string.unknownEscape {
                throw error("no escape sequence; write \\\\ for a backslash, or r\"…\"", range)
            }
            return string.bytes
        default: throw error("a value is expected", term.range)
        }
    }

    private static func bytes(_ word: String) -> [UInt8]? {
        var digits = word[...]
        if digits.lowercased().hasPrefix("0x"), digits.count <= 4 { digits.removeFirst(2) }
        if digits.hasPrefix(":") { digits.removeFirst() }
        guard let separator = digits.first(where: { ":-.".contains($0) }) else {
            return digits.count < 2 ? group(digits, width: 1) : group(digits, width: 2)
        }
        var bytes: [UInt8] = []
        for part in digits.split(separator: separator, omittingEmptySubsequences: false) {
            guard part.count <= 2 || (separator == "." && part.count == 4),
                let group = group(part, width: part.count == 1 ? 1 : 2)
            else { return nil }
            bytes += group
        }
        return bytes
    }

    /// The bytes of hex digits, `width` digits per byte; nil for anything else.
    private static func group(_ digits: Substring, width: Int) -> [UInt8]? {
        let values = digits.compactMap { $0.hexDigitValue.map(UInt8.init) }
        guard values.count == digits.count, !values.isEmpty, values.count.isMultiple(of: width) else { return nil }
        return width == 1 ? values : stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}

extension Field {
    /// The numbers comparable with the field: its value range and, for unsigned fields, all numbers below it. Nil if
    /// the field's declaration does not limit them.
    fileprivate var numbers: ClosedRange<Int128>? {
        let bits: Int
        switch format {
        case _ where mask != 0: bits = 64 - mask.leadingZeroBitCount - mask.trailingZeroBitCount
        case .hex(let digits): bits = 4 * min(digits, 16)
        default: bits = 8 * size
        }
        if bits == 0 { return nil }
        let limit: Int128 = 1 << Int128(format == .signed ? bits - 1 : bits)
        return (format == .signed ? -limit : .min)...(limit - 1)
    }
}
