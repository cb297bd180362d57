import Bytes

extension ByteReader {
    /// Reads a little-endian integer that is nothing but the fields in it, which stand in its place in the tree.
    @_lifetime(self: copy self)
    mutating func readBits<T: FixedWidthInteger & BitwiseCopyable>(
        _ fields: @autoclosure () -> [Field], as type: T.Type = T.self
    ) throws(DecodeError) -> T {
        T(truncatingIfNeeded: try readBits(fields(), bytes: MemoryLayout<T>.size))
    }

    /// Reads a little-endian integer of `size` bytes that is nothing but the fields in it.
    @_lifetime(self: copy self)
    mutating func readBits(_ fields: @autoclosure () -> [Field], bytes size: Int) throws(DecodeError) -> UInt64 {
        if remaining < size, let field = fields().first { throw truncated(field, needed: size) }
        let start = offset
        let part = try slice(count: size, lengthSetBy: LL.Fields.pdu)
        var unrecorded = ByteReader(part.rest, origin: start)
        let value = try unrecorded.read(LL.Fields.pdu, bytes: size)
        if let recorder {
            for field in fields() {
                recorder.add(
                    field, value: (value & field.mask) >> UInt64(field.mask.trailingZeroBitCount), offset: start,
                    length: size)
            }
        }
        return value
    }
}
