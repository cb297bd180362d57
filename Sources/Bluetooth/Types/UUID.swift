public import Bytes

/// A Bluetooth UUID (Vol 3, Part B, 2.5.1). A short form equals its 128-bit form on the Base UUID.
public struct UUID: Hashable, Sendable {
    /// The first 64 bits as written.
    private let high: UInt64
    /// The last 64 bits as written.
    private let low: UInt64

    /// The Base UUID 00000000-0000-1000-8000-00805F9B34FB in two halves (Vol 3, Part B, 2.5.1).
    private static let baseHigh: UInt64 = 0x0000_0000_0000_1000
    private static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

    /// The 128-bit value; the byte written first is the most significant.
    public var value: UInt128 { UInt128(high) << 64 | UInt128(low) }

    public init(value: UInt128) {
        high = UInt64(truncatingIfNeeded: value >> 64)
        low = UInt64(truncatingIfNeeded: value)
    }

    private init(high: UInt64, low: UInt64) {
        (self.high, self.low) = (high, low)
    }

    /// A 16- or 32-bit UUID.
    public init(_ short: UInt32) {
        high = UInt64(short) << 32 | Self.baseHigh
        low = Self.baseLow
    }

    /// The UUID with these little-endian bytes; nil unless there are 2, 4 or 16.
    public init?(wire bytes: [UInt8]) { self.init(wire: bytes.span.rawBytes) }

    /// The UUID with these little-endian bytes, read in place; nil unless there are 2, 4 or 16.
    public init?(wire bytes: RawSpan) {
        switch bytes.byteCount {
        case 2: self.init(UInt32(bytes.littleEndian(at: 0, as: UInt16.self)))
        case 4: self.init(bytes.littleEndian(at: 0, as: UInt32.self))
        case 16: self.init(high: bytes.littleEndian(at: 8), low: bytes.littleEndian(at: 0))
        default: return nil
        }
    }

    /// The 16-bit form; nil for none.
    public var uuid16: UInt16? { uuid32.flatMap { $0 <= 0xFFFF ? UInt16($0) : nil } }

    /// The 32-bit form; nil for none.
    public var uuid32: UInt32? {
        low == Self.baseLow && UInt32(truncatingIfNeeded: high) == Self.baseHigh
            ? UInt32(truncatingIfNeeded: high >> 32) : nil
    }

    /// Parses `180f`, `0x180F` or the 36-character form; nil for any other text.
    public init?(_ text: some StringProtocol) {
        let hasPrefix = text.utf8.starts(with: "0x".utf8) || text.utf8.starts(with: "0X".utf8)
        var value: UInt128 = 0
        var (digits, hyphens) = (0, 0)
        for character in text.utf8.dropFirst(hasPrefix ? 2 : 0) {
            if let digit = character.hexDigitValue, digits < 32 {
                value = value << 4 | UInt128(digit)
                digits += 1
            } else if character == UInt8(ascii: "-"), hyphens < 4, digits == 8 + 4 * hyphens {
                hyphens += 1
            } else {
                return nil
            }
        }
        switch (digits, hyphens) {
        case (4, 0), (8, 0): self.init(UInt32(value))
        case (32, 4): self.init(value: value)
        default: return nil
        }
    }
}

extension UUID: CustomStringConvertible {
    /// The shortest form: `0x180f`, `0x0001180f` or the 36-character form in lower case.
    public var description: String {
        guard let short = uuid32 else { return longDescription }
        return "0x" + String(hex: short, digits: short <= 0xFFFF ? 4 : 8)
    }

    /// The 36-character form in lower case.
    public var longDescription: String {
        var text = TextWriter(capacity: 36)
        text.writeHex(high >> 32, digits: 8)
        text.write(UInt8(ascii: "-"))
        text.writeHex(high >> 16 & 0xFFFF, digits: 4)
        text.write(UInt8(ascii: "-"))
        text.writeHex(high & 0xFFFF, digits: 4)
        text.write(UInt8(ascii: "-"))
        text.writeHex(low >> 48, digits: 4)
        text.write(UInt8(ascii: "-"))
        text.writeHex(low & 0xFFFF_FFFF_FFFF, digits: 12)
        return String(decoding: text.bytes, as: UTF8.self)
    }
}

extension ByteReader {
    /// Reads a 16-bit UUID.
    @_lifetime(self: copy self)
    public mutating func readUUID16(_ field: @autoclosure () -> Field) throws(DecodeError) -> UUID {
        UUID(UInt32(try read(field(), as: UInt16.self)))
    }

    /// Reads a 128-bit UUID, little-endian.
    @_lifetime(self: copy self)
    public mutating func readUUID128(_ field: @autoclosure () -> Field) throws(DecodeError) -> UUID {
        UUID(value: try read(field(), as: UInt128.self))
    }
}

extension ByteWriter {
    /// Writes the 16-bit form if there is one, otherwise the 128-bit form, as in ATT (Vol 3, Part F, 3.2.1).
    public mutating func write(_ uuid: UUID) {
        if let short = uuid.uuid16 { write(short) } else { write(uuid.value) }
    }
}

extension UUID: ExpressibleByIntegerLiteral {
    /// A 16- or 32-bit UUID.
    public init(integerLiteral value: UInt32) {
        self.init(value)
    }
}
