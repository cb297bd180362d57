/// Framing of messages in a byte stream that a characteristic's values carry. A message may lie in one value or be
/// split across many.
package struct StreamFraming: Sendable, Hashable {
    /// Start delimiter; empty for none.
    package var start: [UInt8] = []
    /// End delimiter; empty for none.
    package var end: [UInt8] = []
    package var escape: Escape?
    package var length: Length?
    /// Maximum message size, in bytes; longer messages are discarded.
    package var limit = StreamFraming.defaultLimit

    /// Escaping of bytes that would be mistaken for delimiters.
    package struct Escape: Sendable, Hashable {
        package enum Form: Sendable, Hashable {
            /// The byte after the escape is XORed with this mask.
            case xor(UInt8)
            /// Maps the byte after the escape to the byte it represents.
            case codes([UInt8: UInt8])
        }

        package var byte: UInt8
        package var form: Form

        package init(_ byte: UInt8, _ form: Form) {
            self.byte = byte
            self.form = form
        }
    }

    /// Length of a message.
    package enum Length: Sendable, Hashable {
        case fixed(Int)
        case field(LengthField)
    }

    /// A number in the message that states its length.
    package struct LengthField: Sendable, Hashable {
        package enum Form: Sendable, Hashable {
            case unsigned(isBigEndian: Bool)
            /// ASCII digits in base 10 or 16.
            case digits(base: Int)
        }

        /// From the first byte after `start`.
        package var offset: Int
        /// Size of the number, in bytes.
        package var size: Int
        package var form: Form
        /// Added to the number to give the message's length, without `start` and `end`.
        package var addend: Int

        package init(offset: Int, size: Int, form: Form, addend: Int) {
            self.offset = offset
            self.size = size
            self.form = form
            self.addend = addend
        }
    }

    package init() {}

    /// Exceeds the messages that devices send over a serial service.
    package static let defaultLimit = 4096
    package static let largestLimit = 65_535
    /// Maximum size of a delimiter, in bytes.
    package static let delimiterLimit = 16
}

// MARK: - Lengths

extension StreamFraming.LengthField {
    /// The length of a message; nil if its digits are invalid.
    func length(in content: [UInt8]) -> Int? {
        let bytes = content[offset..<(offset + size)]
        switch form {
        case .unsigned(let isBigEndian):
            let ordered = isBigEndian ? Array(bytes) : bytes.reversed()
            return ordered.reduce(0) { $0 << 8 | Int($1) } + addend
        case .digits(let base):
            var number = 0
            for byte in bytes {
                guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, digit < base else { return nil }
                number = number * base + digit
            }
            return number + addend
        }
    }
}

// MARK: - Encoding

extension StreamFraming {
    /// Encodes a message for the stream. Throws if its actual length differs from its stated length or exceeds the
    /// limit.
    package func encode(_ content: [UInt8]) throws(EncodeError) -> [UInt8] {
        if content.count > limit { throw EncodeError("", "\(content.count) bytes; a message has at most \(limit)") }
        let length: Int?
        switch self.length {
        case .fixed(let bytes)?: length = bytes
        case .field(let field)?:
            guard content.count >= field.offset + field.size else {
                throw EncodeError("", "\(content.count) bytes are too few for the length at \(field.offset)")
            }
            length = field.length(in: content)
        case nil: length = nil
        }
        if let length, length != content.count {
            throw EncodeError("", "\(content.count) bytes of a message with length \(length)")
        }
        return start + content.flatMap { escaped($0) } + end
    }

    private func escaped(_ byte: UInt8) -> [UInt8] {
        guard let escape else { return [byte] }
        switch escape.form {
        case .codes(let codes):
            return codes.filter { $0.value == byte }.keys.min().map { [escape.byte, $0] } ?? [byte]
        case .xor(let mask):
            let isSpecial = byte == escape.byte || start.contains(byte) || end.contains(byte)
            return isSpecial ? [escape.byte, byte ^ mask] : [byte]
        }
    }
}
