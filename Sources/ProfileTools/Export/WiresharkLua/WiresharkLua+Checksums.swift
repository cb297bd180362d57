import Profile

extension LuaWriter {
    /// A checksum's algorithm and the fields that it covers.
    static func table(_ checksum: Checksum) -> String {
        let algorithm = checksum.algorithm
        func hex(_ number: UInt64) -> String {
            let digits = String(number, radix: 16)
            return "\"" + String(repeating: "0", count: max(0, 2 * algorithm.bytes - digits.count)) + digits + "\""
        }
        var entries: [String]
        switch algorithm.operation {
        case .sum: entries = ["operation = \"sum\""]
        case .negatedSum: entries = ["operation = \"sum\"", "negated = true"]
        case .xor: entries = ["operation = \"xor\""]
        case .crc(let polynomial, let isReflected):
            entries = ["operation = \"crc\"", "polynomial = \(hex(polynomial))", "reflected = \(isReflected)"]
        }
        entries += ["initial = \(hex(algorithm.initial))", "final_xor = \(hex(algorithm.finalXor))"]
        if let from = checksum.from { entries.append("from = \"\(from)\"") }
        if let to = checksum.to { entries.append("to = \"\(to)\"") }
        return "{\(entries.joined(separator: ", "))}"
    }
}
