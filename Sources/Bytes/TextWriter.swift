/// Collects UTF-8 text without building strings: what millions of output lines are made with.
package struct TextWriter: Sendable {
    /// The text so far.
    package var bytes: [UInt8] = []

    package init() {}

    @inlinable
    package mutating func write(_ byte: UInt8) {
        bytes.append(byte)
    }

    package mutating func write(_ text: [UInt8]) {
        bytes.append(contentsOf: text)
    }

    package mutating func write(_ text: StaticString) {
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    package mutating func write(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes a number in decimal, with zeros before it up to `digits`.
    package mutating func writeDecimal(_ value: UInt64, digits: Int = 1) {
        var rest = value
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest != 0 || bytes.count - start < digits
        bytes[start...].reverse()
    }

    package mutating func writeDecimal(_ value: Int64) {
        if value < 0 { write(UInt8(ascii: "-")) }
        writeDecimal(value.magnitude)
    }

    /// Writes a number as so many hex digits at least, in lower case.
    package mutating func writeHex(_ value: UInt64, digits: Int) {
        let needed = max(digits, (64 - value.leadingZeroBitCount + 3) / 4)
        var shift = 4 * (needed - 1)
        while shift >= 0 {
            bytes.append(Self.digit(UInt8(truncatingIfNeeded: shift < 64 ? (value >> UInt64(shift)) & 0xF : 0)))
            shift -= 4
        }
    }

    /// Writes bytes as pairs of hex digits in lower case.
    package mutating func writeHex(_ value: ArraySlice<UInt8>) {
        for byte in value {
            bytes.append(Self.digit(byte >> 4))
            bytes.append(Self.digit(byte & 0xF))
        }
    }

    /// Writes a time in nanoseconds as seconds with nine decimals.
    package mutating func writeSeconds(nanoseconds: Int64) {
        if nanoseconds < 0 { write(UInt8(ascii: "-")) }
        let (seconds, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        writeDecimal(seconds)
        write(UInt8(ascii: "."))
        writeDecimal(rest, digits: 9)
    }

    @inlinable
    static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &- 10 &+ value
    }
}
