extension ByteReader {
    /// Reads a little-endian integer that stands for a number; the number is what is recorded.
    @inlinable
    @_lifetime(self: copy self)
    package mutating func read<T: FixedWidthInteger & BitwiseCopyable>(
        _ field: @autoclosure () -> Field, as type: T.Type = T.self, meaning number: (T) -> Double
    ) throws(DecodeError) -> T {
        T(littleEndian: try load(field, recordedAs: { number(T(littleEndian: $0)).bitPattern }))
    }
}

extension ByteReader {
    /// Reads an integer of 1 to 8 bytes whose width and order are known only at run time. Records nothing: the number
    /// may stand for something else, which is recorded in its place.
    @inlinable
    @inline(__always)
    @_lifetime(self: copy self)
    package mutating func take(bytes size: Int, _ order: ByteOrder, _ field: Field) throws(DecodeError) -> UInt64 {
        try require(size, { field })
        let start = position
        position &+= size
        switch size {
        case 1: return UInt64(peekByte(at: start))
        case 2: return UInt64(bytes.integer(at: start, order, as: UInt16.self))
        case 4: return UInt64(bytes.integer(at: start, order, as: UInt32.self))
        default: return takeBytes(start, size, order)
        }
    }

    /// An integer of a width that no type has.
    @inline(never)
    @usableFromInline
    func takeBytes(_ start: Int, _ size: Int, _ order: ByteOrder) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<size {
            let place = order == .littleEndian ? index : size &- 1 &- index
            value |= UInt64(peekByte(at: start &+ place)) << (8 &* UInt64(index))
        }
        return value
    }
}
