/// A checksum over preceding bytes.
package struct Checksum: Sendable {
    package var algorithm: Algorithm
    /// First field covered, or the discriminant before the fields; nil for the structure's first field.
    package var from: String?
    /// Last field covered; nil for the field directly before the checksum.
    package var to: String?

    package init(_ algorithm: Algorithm, from: String? = nil, to: String? = nil) {
        self.algorithm = algorithm
        self.from = from
        self.to = to
    }

    /// The algorithm of a checksum and its size in bytes.
    package struct Algorithm: Sendable, Hashable {
        package enum Operation: Sendable, Hashable {
            /// Sum of the bytes.
            case sum
            /// Two's complement of the sum: the bytes and the checksum add up to 0.
            case negatedSum
            case xor
            /// The polynomial omits its highest term. Reflected algorithms process the lowest bit of each byte first.
            case crc(polynomial: UInt64, isReflected: Bool)
        }

        package var operation: Operation
        /// Size of the result, in bytes.
        package var bytes: Int
        /// Initial register value; not bit-reversed, even for reflected algorithms.
        package var initial: UInt64 = 0
        package var finalXor: UInt64 = 0

        package init(_ operation: Operation, bytes: Int, initial: UInt64 = 0, finalXor: UInt64 = 0) {
            self.operation = operation
            self.bytes = bytes
            self.initial = initial
            self.finalXor = finalXor
        }
    }
}

// MARK: - Named algorithms

extension Checksum.Algorithm {
    package static let sum8 = Self(.sum, bytes: 1)
    package static let xor8 = Self(.xor, bytes: 1)
    /// CRC-8/SMBUS in the catalogue of parametrised CRC algorithms.
    package static let crc8 = Self(.crc(polynomial: 0x07, isReflected: false), bytes: 1)
    /// CRC-16/IBM-3740, often named CCITT-FALSE.
    package static let crc16CCITT = Self(.crc(polynomial: 0x1021, isReflected: false), bytes: 2, initial: 0xFFFF)
    /// CRC-16/MODBUS.
    package static let crc16Modbus = Self(.crc(polynomial: 0x8005, isReflected: true), bytes: 2, initial: 0xFFFF)
    /// CRC-32/ISO-HDLC.
    package static let crc32 = Self(
        .crc(polynomial: 0x04C1_1DB7, isReflected: true), bytes: 4, initial: 0xFFFF_FFFF, finalXor: 0xFFFF_FFFF)

    /// Algorithms by their names in profiles.
    package static let named: [(name: String, algorithm: Self)] = [
        ("sum8", sum8), ("xor8", xor8), ("crc8", crc8), ("crc16_ccitt", crc16CCITT), ("crc16_modbus", crc16Modbus),
        ("crc32", crc32),
    ]

    /// Description of the algorithm: `crc16_ccitt`, or `sum` with its parameters.
    package var words: String {
        if let known = Self.named.first(where: { $0.algorithm == self }) { return known.name }
        var words: String
        switch operation {
        case .sum: words = "sum"
        case .negatedSum: words = "negated sum"
        case .xor: words = "xor"
        case .crc(let polynomial, let isReflected):
            words = "CRC-\(8 * bytes) with polynomial \(hex(polynomial))" + (isReflected ? ", reflected" : "")
        }
        if initial != 0 { words += ", initial value \(hex(initial))" }
        if finalXor != 0 { words += ", final xor \(hex(finalXor))" }
        return words
    }

    private func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: max(0, 2 * bytes - digits.count)) + digits
    }
}
