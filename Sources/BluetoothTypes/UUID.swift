package import Bytes

/// A Bluetooth UUID (Vol 3, Part B, 2.5.1). Short forms are the same value as their 128-bit form on the Base UUID.
package struct UUID: Hashable, Sendable {
    /// The 128-bit value; the byte that is written first is the most significant.
    package let value: UInt128

    /// 00000000-0000-1000-8000-00805F9B34FB.
    static let base: UInt128 = 0x0000_0000_0000_1000_8000_0080_5F9B_34FB

    package init(value: UInt128) {
        self.value = value
    }

    /// A 16- or 32-bit UUID.
    package init(_ short: UInt32) {
        value = UInt128(short) << 96 | Self.base
    }

    /// The UUID whose bytes, little-endian, are `bytes`; nil unless there are 2, 4 or 16 of them.
    package init?(wire bytes: [UInt8]) {
        guard [2, 4, 16].contains(bytes.count) else { return nil }
        let value = bytes.reversed().reduce(0 as UInt128) { $0 << 8 | UInt128($1) }
        if bytes.count == 16 { self.init(value: value) } else { self.init(UInt32(truncatingIfNeeded: value)) }
    }

    /// The 16-bit form, if it has one.
    package var uuid16: UInt16? { uuid32.flatMap(UInt16.init(exactly:)) }

    /// The 32-bit form, if it has one.
    package var uuid32: UInt32? {
        value & (UInt128(1) << 96 - 1) == Self.base ? UInt32(truncatingIfNeeded: value >> 96) : nil
    }

    /// Reads `180f`, `0x180F` or the 36-character form; nil when the text is anything else.
    package init?(_ text: some StringProtocol) {
        let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
        if digits.count == 4 || digits.count == 8, digits.first != "+", let short = UInt32(digits, radix: 16) {
            self.init(short)
            return
        }
        let parts = digits.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.count) == [8, 4, 4, 4, 12], !digits.contains("+"),
            let value = UInt128(parts.joined(), radix: 16)
        else { return nil }
        self.init(value: value)
    }
}

extension UUID: CustomStringConvertible {
    /// The shortest form: `0x180f`, `0x0001180f` or the 36-character form in lower case.
    package var description: String {
        if let short = uuid16 { return "0x" + Self.hex(UInt128(short), digits: 4) }
        if let short = uuid32 { return "0x" + Self.hex(UInt128(short), digits: 8) }
        return longDescription
    }

    /// The 36-character form in lower case.
    package var longDescription: String {
        var text = Self.hex(value, digits: 32)
        for position in [20, 16, 12, 8] {
            text.insert("-", at: text.index(text.startIndex, offsetBy: position))
        }
        return text
    }

    private static func hex(_ value: UInt128, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}

extension ByteReader {
    /// Reads a 16-bit UUID.
    @_lifetime(self: copy self)
    package mutating func readUUID16(_ field: @autoclosure () -> Field) throws(DecodeError) -> UUID {
        UUID(UInt32(try read(field(), as: UInt16.self)))
    }

    /// Reads a 128-bit UUID, little-endian.
    @_lifetime(self: copy self)
    package mutating func readUUID128(_ field: @autoclosure () -> Field) throws(DecodeError) -> UUID {
        UUID(value: try read(field(), as: UInt128.self))
    }
}

extension ByteWriter {
    /// Writes the 16-bit form where there is one, else the 128-bit form, as ATT does (Vol 3, Part F, 3.2.1).
    package mutating func write(_ uuid: UUID) {
        if let short = uuid.uuid16 { write(short) } else { write(uuid.value) }
    }
}
