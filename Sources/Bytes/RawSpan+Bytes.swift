extension RawSpan {
    /// The byte at this offset, which must lie inside.
    @inlinable
    package func byte(at offset: Int) -> UInt8 {
        unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }
}
