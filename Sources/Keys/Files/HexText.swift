import Bytes

/// Hexadecimal digits as programs write keys: `57a9d1…`, `0x57 0xa9 …`, `57:a9:…`.
enum HexText {
    /// Maximum number of bytes that a text may have.
    private static let limit = 64

    /// The bytes in the order of the text; nil for other characters, half a byte, and too many bytes. Blanks, colons and
    /// `0x` between bytes are skipped.
    static func bytes(of text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in text {
            switch character {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: ":"):
                guard high == nil else { return nil }
            case UInt8(ascii: "x"), UInt8(ascii: "X"):
                guard high == 0 else { return nil }
                high = nil
            default:
                guard let digit = character.hexDigitValue else { return nil }
                if let first = high {
                    guard bytes.count < limit else { return nil }
                    bytes.append(first << 4 | digit)
                    high = nil
                } else {
                    high = digit
                }
            }
        }
        return high == nil ? bytes : nil
    }

    static func bytes(of text: some StringProtocol) -> [UInt8]? { bytes(of: text.utf8) }

    /// The digits of bytes, in lower case.
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        bytes.reduce(into: "") { $0 += String(hex: $1, digits: 2) }
    }
}
