import Bluetooth
import Bytes

extension Form where Value == String {
    /// Free text.
    package static var text: Self { Form(scalar: "a text", \.text) }

    /// Free text for use within a line of output: line breaks become spaces, control characters are escaped.
    package static var line: Self { Form(scalar: "a text") { $0.text.legibleLine() } }

    /// Name of a type, field, case or characteristic.
    static var name: Self {
        let expected = "a name of lower-case letters, digits and underscores that begins with a letter"
        return Form(expected) { node, faults in
            guard let scalar = node.scalar, !scalar.isNothing else {
                faults.add("expected \(expected), found \(node.described)", at: node)
                return nil
            }
            if isName(scalar.text) { return scalar.text }
            let like = String(ProfileName.make(from: scalar.text).prefix(64))
            faults.add("expected \(expected), like \"\(like)\", found \(node.described)", at: node)
            return nil
        }
    }

    private static func isName(_ text: String) -> Bool {
        guard text.utf8.count <= 64, case (UInt8(ascii: "a")...UInt8(ascii: "z"))? = text.utf8.first else {
            return false
        }
        return text.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
            default: false
            }
        }
    }

    /// Path of a nested field: names joined by dots.
    static var path: Self {
        Form(scalar: "the name of a field, with dots between the names on the way to it") { scalar in
            let names = scalar.text.split(separator: ".", omittingEmptySubsequences: false)
            return names.count <= 8 && names.allSatisfy { isName(String($0)) } ? scalar.text : nil
        }
    }

    /// Filter name of a field, with dots: `btatt.esp.operand`.
    static var filterName: Self {
        Form(scalar: "a name for filters, of lower-case names with dots between them") { scalar in
            let names = scalar.text.split(separator: ".", omittingEmptySubsequences: false)
            return (2...8).contains(names.count) && names.allSatisfy { isName(String($0)) } ? scalar.text : nil
        }
    }

    /// A regular expression with the syntax of the display filter's `matches`.
    static var pattern: Self {
        Form("a regular expression") { node, faults in
            guard let text = Form.text.read(node, faults) else { return nil }
            do throws(BytePattern.Fault) {
                _ = try BytePattern(Array(text.utf8))
                return text
            } catch {
                faults.add("expected a regular expression, found \(node.described): \(error.message)", at: node)
                return nil
            }
        }
    }
}

extension Form where Value == Bool {
    package static var boolean: Self { Form(plain: "true or false") { ["true": true, "false": false][$0] } }
}

extension Form where Value == Int {
    /// An integer, decimal or `0x` hexadecimal.
    package static func integer(_ range: ClosedRange<Int>) -> Self {
        Form(plain: "a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
            WholeNumber(text).flatMap { Int(exactly: $0.value) }.flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension Form where Value == UInt64 {
    /// An integer that fits into `bytes` bytes.
    static func raw(bytes: Int, signed: Bool) -> Self { raw(bits: bytes * 8, signed: signed) }

    /// An integer that fits into `bits` bits, as those bits; negative numbers in two's complement. Nil for `signed`
    /// accepts both.
    static func raw(bits: Int, signed: Bool?) -> Self {
        let lowest = signed == false ? 0 : -(Int128(1) << (bits - 1))
        let highest = (Int128(1) << (signed == true ? bits - 1 : bits)) - 1
        let mask = UInt64.max >> (64 - UInt64(bits))
        return Form(plain: "a whole number from \(lowest) to \(highest)") { text in
            guard let number = WholeNumber(text) else { return nil }
            // The bit pattern may be given directly: 0x8000 in an i16.
            let isBits = number.isHex && number.value >= 0 && number.value <= Int128(mask)
            return (lowest...highest).contains(number.value) || isBits
                ? UInt64(truncatingIfNeeded: number.value) & mask : nil
        }
    }
}

extension Form where Value == Double {
    static var number: Self { Form(plain: "a number", decimal) }

    static func number(_ range: ClosedRange<Double>, _ expected: String) -> Self {
        Form(plain: expected) { text in decimal(text).flatMap { range.contains($0) ? $0 : nil } }
    }

    /// A number in the format's syntax: no underscores, no words.
    package static func decimal(_ text: String) -> Double? {
        if let whole = WholeNumber(text) { return Double(whole.value) }
        guard text.utf8.count <= 40, text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }) else { return nil }
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    /// A duration in seconds: a plain number, or one with the unit ms, s, min or h.
    package static var duration: Self {
        Form(scalar: "a duration, like 5 s, 500 ms, 2 min or 8 h") { seconds(in: $0.text) }
    }

    /// A duration in seconds; nil for invalid text and for more than 366 days.
    fileprivate static func seconds(in text: String) -> Double? {
        let units: [(sign: String, seconds: Double)] = [("ms", 0.001), ("min", 60), ("s", 1), ("h", 3600)]
        let unit = units.first { text.hasSuffix($0.sign) }
        var digits = text.dropLast(unit?.sign.count ?? 0)
        while digits.last == " " { digits.removeLast() }
        guard let number = decimal(String(digits)) else { return nil }
        let seconds = unit?.sign == "ms" ? number / 1000 : number * (unit?.seconds ?? 1)
        return (0...31_622_400).contains(seconds) ? seconds : nil
    }
}

extension Duration {
    /// Parses a duration: `90 s`, `500ms`, `5min`, `8 h`; nil for anything else.
    package init?(parsing text: String) {
        guard let seconds = Form<Double>.seconds(in: text) else { return nil }
        self = .seconds(seconds)
    }
}

extension Form where Value == [UInt8] {
    /// Bytes in hexadecimal; whitespace is ignored.
    package static var bytes: Self {
        Form(scalar: "bytes in hexadecimal, like \"40 40 7F 69\"") { [UInt8](hexadecimal: $0.text) }
    }
}

extension [UInt8] {
    /// Parses hexadecimal digits, ignoring spaces, tabs and line feeds; nil for anything else and for more than 65,536
    /// bytes.
    public init?(hexadecimal text: String) {
        let digits = text.utf8.filter { ![0x20, 0x0A, 0x09].contains($0) }
        guard digits.count.isMultiple(of: 2), digits.count <= 2 * 65_536 else { return nil }
        let nibbles = digits.compactMap(\.hexDigitValue)
        guard nibbles.count == digits.count else { return nil }
        self = stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    }
}

extension Form where Value == UUID {
    static var uuid: Self {
        Form(scalar: "a UUID: 0x180F, 180F or all 36 characters") { UUID($0.text) }
    }
}

extension Form where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    /// One of the type's raw values.
    package static var word: Self { .word(Array(Value.allCases.map { ($0.rawValue, $0) })) }
}

extension Form {
    /// One of a few words.
    package static func word(_ words: [(String, Value)]) -> Self {
        Form(Advice.list(words.map(\.0))) { node, faults in
            let text = node.scalar?.text ?? ""
            if let found = words.first(where: { $0.0 == text }) { return found.1 }
            let names = words.map(\.0)
            let meant = Advice.meant(text, among: names)
            faults.add("expected \(Advice.list(names)), found \(node.described)\(meant)", at: node)
            return nil
        }
    }

    /// A range as a list of two bounds, the lower one first.
    static func range<Bound: Comparable>(of bound: Form<Bound>) -> Self where Value == ClosedRange<Bound> {
        let expected = "two bounds, [lower, upper]"
        return Form(expected) { node, faults in
            guard case .list(let nodes) = node.content, nodes.count == 2 else {
                faults.add("expected \(expected), found \(node.described)", at: node)
                return nil
            }
            let bounds = nodes.compactMap { bound.read($0, faults) }
            guard bounds.count == 2 else { return nil }
            guard bounds[0] <= bounds[1] else {
                let found = nodes.map(\.described).joined(separator: " before ")
                faults.add("expected the lower bound first, found \(found)", at: node)
                return nil
            }
            return bounds[0]...bounds[1]
        }
    }
}

/// An integer literal, decimal or `0x` hexadecimal.
struct WholeNumber {
    var value: Int128
    var isHex: Bool

    init?(_ text: String) {
        let isNegative = text.hasPrefix("-")
        let digits = isNegative ? text.dropFirst() : text[...]
        isHex = digits.hasPrefix("0x") || digits.hasPrefix("0X")
        let body = isHex ? digits.dropFirst(2) : digits
        guard let first = body.first, first.isHexDigit, let value = Int128(body, radix: isHex ? 16 : 10) else {
            return nil
        }
        self.value = isNegative ? -value : value
    }
}
