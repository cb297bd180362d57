/// The byte order of an integer.
public enum ByteOrder: Sendable, Hashable {
    case bigEndian
    case littleEndian
}

/// Integers at offsets that the caller has checked, for the framing of capture files, where naming every field with a
/// `ByteReader` would cost more than the decoding. An offset out of range traps, as an array's index does.
extension RawSpan {
    /// The integer at `offset`, most significant byte first.
    @inlinable
    public func bigEndian<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: T.Type = T.self) -> T {
        T(bigEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: T.self))
    }

    /// The integer at `offset`, least significant byte first.
    @inlinable
    public func littleEndian<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: T.Type = T.self) -> T {
        T(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: T.self))
    }

    /// The integer at `offset`, in a byte order known only at run time.
    @inlinable
    public func integer<T: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, _ order: ByteOrder, as type: T.Type = T.self
    ) -> T {
        let value = littleEndian(at: offset, as: T.self)
        return order == .littleEndian ? value : value.byteSwapped
    }

    /// The unsigned integer of 0 to 8 bytes at `offset`.
    @inlinable @inline(__always)
    public func number(at offset: Int, size: Int, _ order: ByteOrder) -> UInt64 {
        switch size {
        case 1: return UInt64(byte(at: offset))
        case 2: return UInt64(integer(at: offset, order, as: UInt16.self))
        case 4: return UInt64(integer(at: offset, order, as: UInt32.self))
        default:
            var number: UInt64 = 0
            for index in 0..<size {
                number = number << 8 | UInt64(byte(at: offset + (order == .bigEndian ? index : size - 1 - index)))
            }
            return number
        }
    }

    /// The byte at `offset`.
    @inlinable
    public func byte(at offset: Int) -> UInt8 {
        unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self)
    }

    /// The bytes in `range` as UTF-8 text; invalid UTF-8 is replaced.
    public func text(_ range: Range<Int>) -> String {
        unsafe extracting(range).withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

extension Span<UInt8> {
    /// The same bytes as a raw span, to load integers from.
    public var rawBytes: RawSpan {
        @_lifetime(copy self)
        @inlinable get { unsafe bytes }
    }
}
