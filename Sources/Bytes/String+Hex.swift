extension String {
    /// A number as so many hex digits at least, in lower case: `001f`.
    public init(hex value: some FixedWidthInteger & UnsignedInteger, digits: Int) {
        var text = TextWriter(capacity: digits)
        text.writeHex(UInt64(value), digits: digits)
        self.init(decoding: text.bytes, as: UTF8.self)
    }
}

extension UInt8 {
    /// The value of the hex digit that is this ASCII character; nil for other characters.
    public var hexDigitValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
