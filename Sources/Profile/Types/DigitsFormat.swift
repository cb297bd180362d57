import Bytes

/// Format of a number in ASCII digits: its base, and for decimal numbers the digits after the point.
package struct DigitsFormat: Sendable, Hashable {
    /// 10 or 16.
    package var base: Int
    /// Digits after the point; 0 for none and no point.
    package var decimals: Int

    package init(base: Int, decimals: Int = 0) {
        self.base = base
        self.decimals = decimals
    }

    /// The number without its decimal point, in two's complement; nil if the bytes are invalid. Surrounding spaces are
    /// ignored.
    func raw(_ bytes: RawSpan) -> UInt64? {
        var (start, end) = (0, bytes.byteCount)
        while start < end, bytes.byte(at: start) == UInt8(ascii: " ") { start += 1 }
        while start < end, bytes.byte(at: end - 1) == UInt8(ascii: " ") { end -= 1 }
        if base == 16 { return hexadecimal(bytes, start..<end) }
        var isNegative = false
        if start < end, [UInt8(ascii: "-"), UInt8(ascii: "+")].contains(bytes.byte(at: start)) {
            isNegative = bytes.byte(at: start) == UInt8(ascii: "-")
            start += 1
        }
        return decimal(bytes, start..<end).map { UInt64(bitPattern: isNegative ? -$0 : $0) }
    }

    private func hexadecimal(_ bytes: RawSpan, _ range: Range<Int>) -> UInt64? {
        guard (1...16).contains(range.count) else { return nil }
        var number: UInt64 = 0
        for index in range {
            guard let digit = bytes.byte(at: index).hexDigitValue else { return nil }
            number = number << 4 | UInt64(digit)
        }
        return number
    }

    private func decimal(_ bytes: RawSpan, _ range: Range<Int>) -> Int64? {
        var number: Int64 = 0
        var (hasDigits, fraction) = (false, -1)
        func append(_ digit: Int64) -> Bool {
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = product.addingReportingOverflow(digit)
            number = sum
            return !isTooLarge && !overflows
        }
        for index in range {
            let byte = bytes.byte(at: index)
            if byte == UInt8(ascii: "."), fraction < 0, decimals > 0 {
                fraction = 0
                continue
            }
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), fraction < decimals else { return nil }
            if fraction >= 0 { fraction += 1 }
            hasDigits = true
            if !append(Int64(byte - UInt8(ascii: "0"))) { return nil }
        }
        guard hasDigits else { return nil }
        for _ in max(0, fraction)..<max(0, fraction, decimals) where !append(0) { return nil }
        return number
    }

    /// The characters of a number, zero-padded to `length`; nil if they exceed it.
    func bytes(_ raw: UInt64, length: Int?) -> [UInt8]? {
        var digits: String
        var sign = ""
        if base == 16 {
            digits = String(raw, radix: 16, uppercase: true)
        } else {
            let number = Int64(bitPattern: raw)
            digits = String(number.magnitude)
            sign = number < 0 ? "-" : ""
            digits = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
            if decimals > 0 { digits.insert(".", at: digits.index(digits.endIndex, offsetBy: -decimals)) }
        }
        if let length {
            digits = String(repeating: "0", count: max(0, length - digits.count - sign.count)) + digits
            if digits.count + sign.count > length { return nil }
        }
        return Array((sign + digits).utf8)
    }

    /// Description of the characters, for diagnostics.
    var words: String {
        base == 16 ? "hexadecimal digits" : decimals > 0 ? "a decimal number" : "decimal digits"
    }
}
