import Profile

extension ValueBytes {
    /// What a write of these bytes configures: bit 0 turns notifications on, bit 1 indications. A server may take one octet as
    /// the low one of the two, which leaves the other as it was (Vol 3, Part F, 3.4.5.1): that one has reserved bits only. nil for
    /// a write of nothing.
    var configurationBits: UInt16? { u16(0) ?? u8(0).map(UInt16.init) }
}
