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
