/// How messages stand in a stream of bytes that values carry: in one value, in many, a byte in each.
package struct StreamFraming: Sendable, Hashable {
    /// Bytes before a message; empty for none.
    package var start: [UInt8] = []
    /// Bytes after a message; empty for none.
    package var end: [UInt8] = []
    package var escape: Escape?
    package var length: Length?
    /// Bytes that a message may have; longer ones are given up.
    package var limit = StreamFraming.defaultLimit

    /// What stands for bytes that would be taken for delimiters.
    package struct Escape: Sendable, Hashable {
        package enum Form: Sendable, Hashable {
            /// The byte after the escape, combined with this one by xor.
            case xor(UInt8)
            /// The byte after the escape, and what it stands for.
            case codes([UInt8: UInt8])
        }

        package var byte: UInt8
        package var form: Form

        package init(_ byte: UInt8, _ form: Form) {
            self.byte = byte
            self.form = form
        }
    }

    /// How long a message is.
    package enum Length: Sendable, Hashable {
        case fixed(Int)
        case field(LengthField)
    }

    /// A number in the message that states its length.
    package struct LengthField: Sendable, Hashable {
        package enum Form: Sendable, Hashable {
            case unsigned(isBigEndian: Bool)
            /// Digits as ASCII, of base 10 or 16.
            case digits(base: Int)
        }

        /// From the first byte after `start`.
        package var offset: Int
        /// Bytes of the number.
        package var size: Int
        package var form: Form
        /// What the number and this add up to is the message's length, without `start` and `end`.
        package var addend: Int

        package init(offset: Int, size: Int, form: Form, addend: Int) {
            self.offset = offset
            self.size = size
            self.form = form
            self.addend = addend
        }
    }

    package init() {}

    /// More than devices send in one message over a serial service.
    package static let defaultLimit = 4096
    package static let largestLimit = 65_535
    /// Bytes of a delimiter.
    package static let delimiterLimit = 16
}

// MARK: - Lengths

extension StreamFraming.LengthField {
    /// The length of a message; nil where its digits are none.
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

// MARK: - Putting messages into a stream

extension StreamFraming {
    /// A message as it stands in the stream. Throws where it has another length than it says.
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
