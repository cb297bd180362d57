/// The last bytes of a capture's addresses, as names and serial numbers have them in hexadecimal digits: with `A3F2` of
/// "Aquavate-A3F2", or with all of `24:0A:C4:12:A3:F2`.
struct AddressTails {
    /// The replacements of the last two to six bytes, by their number and value.
    private var replacements: [Tail: UInt64] = [:]

    private struct Tail: Hashable {
        var bytes: Int
        var value: UInt64
    }

    /// - Parameters:
    ///   - addresses: the replacements of addresses.
    ///   - numbers: the replacements of other numbers that identify a device, of up to four bytes.
    init(addresses: [UInt64: UInt64], numbers: [UInt64: UInt64]) {
        for (number, replacement) in numbers.sorted(by: { $0.key < $1.key }) { add(number, replacement, sizes: 2...4) }
        for (address, replacement) in addresses.sorted(by: { $0.key < $1.key }) where address != replacement {
            add(address, replacement, sizes: 2...6)
            add(Self.reversed(address), Self.reversed(replacement), sizes: 6...6)
        }
    }

    private mutating func add(_ value: UInt64, _ replacement: UInt64, sizes: ClosedRange<Int>) {
        for size in sizes {
            let mask: UInt64 = (1 << UInt64(8 * size)) - 1
            replacements[Tail(bytes: size, value: value & mask)] = replacement & mask
        }
    }

    private static func reversed(_ address: UInt64) -> UInt64 { address.byteSwapped >> 16 }

    /// Replaces the digits of addresses in a text, of `least` bytes at least; returns the places of these digits.
    func replace(in text: inout [UInt8], atLeast least: Int) -> [Int] {
        var places: [Int] = []
        for digits in HexDigits.all(in: text) {
            var end = digits.count
            while end >= 2 * least {
                guard let size = size(endingAt: end, of: digits, in: text, atLeast: least) else {
                    end -= 1
                    continue
                }
                let tail = digits[(end - 2 * size)..<end]
                let value = HexDigits.value(of: tail.map { text[$0] })
                guard let replacement = replacements[Tail(bytes: size, value: value)] else { break }
                HexDigits.write(replacement, to: Array(tail), of: &text)
                places += tail
                end -= 2 * size
            }
        }
        return places
    }

    /// The bytes of the longest tail that ends at a digit.
    private func size(endingAt end: Int, of digits: [Int], in text: [UInt8], atLeast least: Int) -> Int? {
        for size in stride(from: min(6, end / 2), through: least, by: -1) {
            let value = HexDigits.value(of: digits[(end - 2 * size)..<end].map { text[$0] })
            if replacements[Tail(bytes: size, value: value)] != nil { return size }
        }
        return nil
    }
}

/// Hexadecimal digits in texts.
enum HexDigits {
    /// The places of consecutive digits; a colon or a hyphen may stand between two.
    static func all(in text: [UInt8]) -> [[Int]] {
        var lists: [[Int]] = []
        var current: [Int] = []
        for place in text.indices {
            if digit(text[place]) != nil {
                current.append(place)
            } else if ![UInt8(ascii: ":"), UInt8(ascii: "-")].contains(text[place]) || current.last != place - 1 {
                if !current.isEmpty { lists.append(current) }
                current = []
            }
        }
        return current.isEmpty ? lists : lists + [current]
    }

    /// Runs of four digits and more, with a decimal digit among them: a number rather than a word.
    static func runs(in text: [UInt8]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = 0
        for end in 0...text.count where end == text.count || digit(text[end]) == nil {
            let isNumber = text[start..<end].contains { $0 < UInt8(ascii: "A") }
            if end - start >= 4, isNumber { runs.append(start..<end) }
            start = end + 1
        }
        return runs
    }

    static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The number of up to 16 digits.
    static func value(of digits: [UInt8]) -> UInt64 { digits.reduce(0) { $0 << 4 | UInt64(digit($1) ?? 0) } }

    /// Writes a number in digits of the same case as those before.
    static func write(_ value: UInt64, to places: [Int], of text: inout [UInt8]) {
        let isLower = places.contains { text[$0] >= UInt8(ascii: "a") }
        let digits = Array((isLower ? "0123456789abcdef" : "0123456789ABCDEF").utf8)
        for (index, place) in places.enumerated() {
            text[place] = digits[Int(value >> UInt64(4 * (places.count - 1 - index)) & 0xF)]
        }
    }
}
