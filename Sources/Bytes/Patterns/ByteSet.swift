struct ByteSet: Sendable, Hashable {
    /// One bit per value, 128 in each half.
    private var low: UInt128 = 0
    private var high: UInt128 = 0

    init() {}

    init(_ ranges: ClosedRange<UInt8>...) {
        for range in ranges { insert(range) }
    }

    static let digit = ByteSet(0x30...0x39)
    static let word = ByteSet(0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F...0x5F)
    static let space = ByteSet(0x09...0x0D, 0x20...0x20)
    static let newline = ByteSet(0x0A...0x0A)

    func contains(_ byte: UInt8) -> Bool {
        (byte < 128 ? low >> UInt128(byte) : high >> UInt128(byte - 128)) & 1 != 0
    }

    mutating func insert(_ range: ClosedRange<UInt8>) {
        for byte in range {
            if byte < 128 { low |= 1 << UInt128(byte) } else { high |= 1 << UInt128(byte - 128) }
        }
    }

    mutating func formUnion(_ other: ByteSet) {
        low |= other.low
        high |= other.high
    }

    /// The only member; nil for none or several.
    var single: UInt8? {
        guard low.nonzeroBitCount + high.nonzeroBitCount == 1 else { return nil }
        return UInt8(low != 0 ? low.trailingZeroBitCount : 128 + high.trailingZeroBitCount)
    }

    var inverted: ByteSet {
        var set = self
        set.low = ~low
        set.high = ~high
        return set
    }

    /// The set extended by the other case of each of its letters.
    var ignoringCase: ByteSet {
        var set = self
        for upper in 0x41...0x5A as ClosedRange<UInt8> {
            let lower = upper | 0x20
            if contains(upper) || contains(lower) {
                set.insert(upper...upper)
                set.insert(lower...lower)
            }
        }
        return set
    }
}
