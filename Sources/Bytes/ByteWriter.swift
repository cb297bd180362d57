/// Collects the bytes of a PDU; the counterpart of `ByteReader`. Integers are little-endian unless the name says
/// otherwise.
public struct ByteWriter: Sendable {
    /// The bytes written so far.
    public private(set) var bytes: [UInt8] = []

    public init() {}

    /// Returns the bytes that `body` writes.
    public static func bytes(_ body: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        body(&writer)
        return writer.bytes
    }

    /// Number of bytes written so far.
    public var count: Int { bytes.count }

    public mutating func write<T: FixedWidthInteger>(_ value: T) {
        for index in 0..<MemoryLayout<T>.size {
            bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index)))
        }
    }

    public mutating func writeBigEndian<T: FixedWidthInteger>(_ value: T) {
        write(value.byteSwapped)
    }

    public mutating func write<T: WireInteger>(_ value: T) where T.RawValue: FixedWidthInteger {
        write(value.rawValue)
    }

    /// Writes the `size` low bytes of `value`, 1 to 8.
    public mutating func write(_ value: UInt64, bytes size: Int) {
        for index in 0..<size {
            bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(index))))
        }
    }

    public mutating func write(_ value: [UInt8]) {
        bytes.append(contentsOf: value)
    }

    /// Overwrites the 16-bit integer at `offset`, such as a length field written before the length was known.
    public mutating func patch(_ value: UInt16, at offset: Int) {
        bytes[offset] = UInt8(truncatingIfNeeded: value)
        bytes[offset + 1] = UInt8(truncatingIfNeeded: value >> 8)
    }
}
