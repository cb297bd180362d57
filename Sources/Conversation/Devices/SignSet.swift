/// A set of signs, by their numbers in `EvidenceTable`.
///
/// Tens of thousands of devices have one each, so the first 64 signs, nearly always all of them, are bits in place.
struct SignSet: Sendable, Hashable {
    private var bits: UInt64 = 0
    /// Signs that have no bit.
    private var others: Set<UInt16> = []

    var isEmpty: Bool { bits == 0 && others.isEmpty }

    mutating func insert(_ sign: UInt16) {
        if sign < UInt64.bitWidth {
            bits |= 1 << sign
        } else {
            others.insert(sign)
        }
    }

    mutating func formUnion(_ signs: SignSet) {
        bits |= signs.bits
        if !signs.others.isEmpty { others.formUnion(signs.others) }
    }

    /// All signs, those with a bit first.
    var numbers: [UInt16] {
        var numbers: [UInt16] = []
        var rest = bits
        while rest != 0 {
            numbers.append(UInt16(rest.trailingZeroBitCount))
            rest &= rest - 1
        }
        return numbers + others
    }
}
