import Bytes

/// Replaces names and other texts by texts of the same length and shape.
///
/// A digit becomes a digit, a letter a letter of the same case; other characters stay. Texts with the same beginning have
/// replacements with the same beginning, so that a shortened name remains one. Hexadecimal digits that end a known
/// address become those of its replacement.
struct TextPseudonyms {
    private let pseudonyms: Pseudonyms
    private let tails: AddressTails
    private let signs: [NameSign]
    private var cache: [[UInt8]: [UInt8]] = [:]

    private static let cacheLimit = 10_000
    /// Texts up to this length keep common beginnings; the work grows with the square of the length.
    private static let prefixLimit = 256

    init(_ pseudonyms: Pseudonyms, tails: AddressTails, signs: [NameSign]) {
        self.pseudonyms = pseudonyms
        self.tails = tails
        self.signs = signs
    }

    mutating func replacement(for text: [UInt8]) -> [UInt8] {
        if let known = cache[text] { return known }
        let replacement = computed(text)
        if cache.count >= Self.cacheLimit { cache.removeAll() }
        cache[text] = replacement
        return replacement
    }

    /// A text that stays, but for the digits of addresses in it; nil if it has none.
    func withoutAddresses(_ text: [UInt8]) -> [UInt8]? {
        var result = text
        let isChanged = tails.replace(in: &result, atLeast: 4) != []
        return isChanged ? result : nil
    }

    private func computed(_ text: [UInt8]) -> [UInt8] {
        var result = text
        var done = Set(tails.replace(in: &result, atLeast: 2))
        for sign in signs { done.formUnion(sign.kept(in: text)) }
        let runs = HexDigits.runs(in: text)
        let stream = text.count > Self.prefixLimit ? pseudonyms.stream(for: text, count: text.count, .text) : nil
        for place in text.indices where !done.contains(place) {
            let random = stream?[place] ?? pseudonyms.stream(for: Array(text[...place]), count: 1, .text)[0]
            result[place] = Self.character(for: text[place], random, isHex: runs.contains { $0.contains(place) })
        }
        return result
    }

    private static func character(for original: UInt8, _ random: UInt8, isHex: Bool) -> UInt8 {
        let digits = Array("0123456789ABCDEF".utf8)
        let lowerDigits = Array("0123456789abcdef".utf8)
        switch original {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return UInt8(ascii: "0") + random % 10
        case UInt8(ascii: "A")...UInt8(ascii: "F") where isHex: return digits[10 + Int(random % 6)]
        case UInt8(ascii: "a")...UInt8(ascii: "f") where isHex: return lowerDigits[10 + Int(random % 6)]
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): return UInt8(ascii: "A") + random % 26
        case UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...0xFF: return UInt8(ascii: "a") + random % 26
        default: return original
        }
    }
}

/// A pattern by which a profile recognizes the names of its devices: what it requires of them stays.
struct NameSign: Sendable {
    private let pattern: BytePattern
    private let literal: [UInt8]

    /// Nil for a pattern that requires no text.
    init?(_ text: String) {
        let special = Set(".[]()|*+?{}\\$".utf8)
        var bytes = Array(text.utf8)
        guard let pattern = try? BytePattern(bytes) else { return nil }
        self.pattern = pattern
        if bytes.first == UInt8(ascii: "^") { bytes.removeFirst() }
        let end = bytes.firstIndex { special.contains($0) } ?? bytes.endIndex
        var literal = Array(bytes[..<end])
        // What is repeated or optional is not required; with alternatives, nothing is.
        if end < bytes.endIndex, Set("*?{".utf8).contains(bytes[end]), !literal.isEmpty { literal.removeLast() }
        guard !literal.isEmpty, !bytes.contains(UInt8(ascii: "|")) else { return nil }
        self.literal = literal
    }

    /// The places of a text that the pattern requires to be as they are.
    func kept(in text: [UInt8]) -> Range<Int> {
        guard literal.count <= text.count, pattern.matches(text) else { return 0..<0 }
        for start in 0...(text.count - literal.count) {
            let range = start..<(start + literal.count)
            let isEqual = zip(text[range], literal).allSatisfy { $0 | 0x20 == $1 | 0x20 }
            if isEqual { return range }
        }
        return 0..<0
    }
}
