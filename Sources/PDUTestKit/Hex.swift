/// The bytes that hex digits spell; blanks and line ends are passed over. For literals: other characters trap.
package func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }.map { $0.hexDigitValue! }
    precondition(digits.count.isMultiple(of: 2), "an odd number of hex digits: \(text)")
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// The bytes as hex digits in lower case.
package func hexText(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// The number that hex digits spell, the most significant first.
package func number(_ text: String) -> UInt128 {
    hex(text).reduce(0) { $0 << 8 | UInt128($1) }
}
