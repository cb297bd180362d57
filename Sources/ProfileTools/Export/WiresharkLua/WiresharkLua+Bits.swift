import Profile

// Numbers with bit parts, and the notation of numbers in Lua.
extension LuaWriter {
    /// Table entries for reading a number with bit parts.
    mutating func bits(
        _ definition: FieldDefinition, _ outline: FieldOutline, bytes: Int, _ parts: [BitsDefinition],
        _ ignoresOthers: Bool
    ) -> [String] {
        let type = "uint\(Self.bits(bytes))"
        let field = declare(type, (outline.filterName, label(outline)), ["base.HEX"])
        let nodes = parts.map { "{" + part($0, of: outline.filterName, bytes: bytes).joined(separator: ", ") + "}" }
        let gaps = ignoresOthers ? [] : Self.gaps(between: parts, bits: 8 * bytes)
        return [
            "kind = \"bits\"", "size = \(bytes)", "field = \(field)", "parts = {\(nodes.joined(separator: ", "))}",
            "reserved = {\(gaps.map { "{\($0.lowerBound), \($0.count)}" }.joined(separator: ", "))}",
        ]
    }

    private mutating func part(_ part: BitsDefinition, of path: String, bytes: Int) -> [String] {
        let name = (name: "\(path).\(part.name)", title: part.title)
        let width = part.bits.count
        let isFlag = part.isBoolean
        // With a mask, Wireshark shows the position of the bits. Parts of wide and of scaled numbers are computed
        // instead.
        let isMasked = bytes <= 4 && part.scale == nil
        let mask = "0x" + String(((1 as UInt64) << UInt64(width) &- 1) << UInt64(part.bits.lowerBound), radix: 16)
        func number(_ raw: UInt64) -> String { Self.signed(raw, bits: part.isSigned ? width : nil) }
        let special = part.special.sorted { $0.key < $1.key }
        let cases = table(part.cases.map { (number($0.value), $0.display) })
        let names = cases ?? table(special.map { (number($0.key), $0.value.asWords) })
        let field: String
        if isFlag {
            field = declare("bool", name, isMasked ? ["\(8 * bytes)", "nil", mask] : [])
        } else if part.scale != nil {
            field = declare("double", name)
        } else {
            // Reserved bits are not shown as a number.
            let isHex = part.constant != nil
            let type = (part.isSigned && !isHex ? "int" : "uint") + (isMasked ? "\(Self.bits(bytes))" : "64")
            let base = isHex ? "base.HEX" : "base.DEC"
            field = declare(type, name, [base, isMasked ? cases ?? "nil" : "nil"] + (isMasked ? [mask] : []))
        }
        var entries = [
            "name = \(Self.quoted(part.name))", "field = \(field)", "shift = \(part.bits.lowerBound)",
            "width = \(width)",
        ]
        if isMasked { entries.append("masked = true") }
        if isFlag { entries.append("flag = true") }
        if part.isSigned { entries.append("signed = true") }
        if let unit = part.unit { entries.append("unit = \(Self.quoted(unit))") }
        if let constant = part.constant {
            entries.append("constant = \(number(constant))")
        }
        if let scale = part.scale { entries.append("scale = \(Self.table(scale))") }
        if let range = part.range {
            entries += ["low = \(Self.number(range.lowerBound))", "high = \(Self.number(range.upperBound))"]
        }
        if let names { entries.append("names = \(names)") }
        if isMasked, cases != nil { entries.append("shows_names = true") }
        if needsIdentifiers,
            let table = table(
                part.cases.map { (number($0.value), $0.name) } + special.map { (number($0.key), $0.value) })
        {
            entries.append("identifiers = \(table)")
        }
        return entries
    }

    static func table(_ scale: Scale) -> String { "{\(scale.m), \(scale.d), \(scale.b), \(scale.offset)}" }

    /// Bits outside all parts.
    private static func gaps(between parts: [BitsDefinition], bits: Int) -> [Range<Int>] {
        var gaps: [Range<Int>] = []
        var next = 0
        for part in parts.sorted(by: { $0.bits.lowerBound < $1.bits.lowerBound }) {
            if part.bits.lowerBound > next { gaps.append(next..<part.bits.lowerBound) }
            next = max(next, part.bits.upperBound + 1)
        }
        return next < bits ? gaps + [next..<bits] : gaps
    }

    /// Width in bits of Wireshark's type for a number of `bytes` bytes.
    static func bits(_ bytes: Int) -> Int { bytes <= 4 ? 8 * bytes : 64 }

    /// A raw number, converted to a negative number if the field is signed and the sign bit set.
    static func signed(_ raw: UInt64, _ kind: FieldDefinition.Kind) -> String {
        if case .signed(let bytes) = kind { signed(raw, bits: 8 * bytes) } else { signed(raw, bits: nil) }
    }

    /// A raw number of `bits` bits in two's complement; nil for an unsigned number.
    static func signed(_ raw: UInt64, bits: Int?) -> String {
        guard let bits else { return raw <= UInt64(Int64.max) ? "\(raw)" : "\(Double(raw))" }
        let shift = UInt64(64 - min(64, max(1, bits)))
        return "\(Int64(bitPattern: raw << shift) >> Int64(shift))"
    }

    /// A number in Lua syntax, including infinity.
    static func number(_ number: Double) -> String {
        if number.isInfinite { return number < 0 ? "-math.huge" : "math.huge" }
        return "\(number)"
    }
}
