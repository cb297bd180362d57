extension String {
    /// A number as so many hex digits at least, in lower case: `001f`.
    public init(hex value: some FixedWidthInteger & UnsignedInteger, digits: Int) {
        var text = TextWriter(capacity: digits)
        text.writeHex(UInt64(value), digits: digits)
        self.init(decoding: text.bytes, as: UTF8.self)
    }
}
