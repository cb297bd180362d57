/// The bytes of a hex string; whitespace is skipped. For literals: other characters trap.
package func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }.map { $0.hexDigitValue! }
    precondition(digits.count.isMultiple(of: 2), "an odd number of hex digits: \(text)")
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// The bytes as lower-case hex digits.
package func hexText(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// The number in a hex string, most significant digit first.
package func number(_ text: String) -> UInt128 {
    hex(text).reduce(0) { $0 << 8 | UInt128($1) }
}
