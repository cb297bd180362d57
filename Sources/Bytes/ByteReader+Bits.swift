extension ByteReader {
    /// Reads a little-endian integer that is nothing but the fields in it, which stand in its place in the tree.
    @_lifetime(self: copy self)
    public mutating func readBits<T: FixedWidthInteger & BitwiseCopyable>(
        _ fields: @autoclosure () -> [Field], as type: T.Type = T.self
    ) throws(DecodeError) -> T {
        T(truncatingIfNeeded: try readBits(fields(), bytes: MemoryLayout<T>.size))
    }

    /// Reads a little-endian integer of `size` bytes, 1 to 8, that is nothing but the fields in it.
    @_lifetime(self: copy self)
    public mutating func readBits(_ fields: @autoclosure () -> [Field], bytes size: Int) throws(DecodeError)
        -> UInt64
    {
        if remaining < size, let field = fields().first { throw truncated(field, needed: size) }
        let start = position
        position &+= size
        let value = (0..<size).reduce(0 as UInt64) { $0 | UInt64(peekByte(at: start &+ $1)) << (8 &* UInt64($1)) }
        if let recorder {
            for field in fields() {
                let bits = (value & field.mask) >> UInt64(field.mask.trailingZeroBitCount)
                recorder.add(field, value: bits, offset: origin &+ start, length: size)
            }
        }
        return value
    }
}
