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
    @_lifetime(self: copy self)
    package mutating func take(bytes size: Int, _ order: ByteOrder, _ field: Field) throws(DecodeError) -> UInt64 {
        try require(size, { field })
        var value: UInt64 = 0
        for index in 0..<size {
            let place = order == .littleEndian ? index : size &- 1 &- index
            value |= UInt64(peekByte(at: position &+ place)) << (8 &* UInt64(index))
        }
        position &+= size
        return value
    }
}
