import Bytes

extension Checksum.Algorithm {
    /// The checksum of bytes.
    func compute(_ bytes: RawSpan) -> UInt64 {
        let result: UInt64
        switch operation {
        case .sum: result = fold(bytes, from: initial) { $0 &+ $1 }
        case .negatedSum: result = 0 &- fold(bytes, from: initial) { $0 &+ $1 }
        case .xor: result = fold(bytes, from: initial) { $0 ^ $1 }
        case .crc(let polynomial, false):
            let top = UInt64(width - 8)
            result = fold(bytes, from: initial) { register, byte in
                (0..<8).reduce(register ^ byte << top) { register, _ in
                    register << 1 ^ (register >> UInt64(width - 1) & 1 == 1 ? polynomial : 0)
                }
            }
        case .crc(let polynomial, true):
            let mirrored = reflected(polynomial)
            result = fold(bytes, from: reflected(initial)) { register, byte in
                (0..<8).reduce(register ^ byte) { register, _ in
                    register >> 1 ^ (register & 1 == 1 ? mirrored : 0)
                }
            }
        }
        return (result ^ finalXor) & mask
    }

    private var width: Int { 8 * bytes }

    /// Mask of the checksum's width.
    var mask: UInt64 { UInt64.max >> UInt64(64 - width) }

    /// The bits in reverse order.
    private func reflected(_ number: UInt64) -> UInt64 {
        (0..<width).reduce(0) { $0 << 1 | number >> UInt64($1) & 1 }
    }

    private func fold(_ bytes: RawSpan, from start: UInt64, _ next: (UInt64, UInt64) -> UInt64) -> UInt64 {
        var register = start
        for index in 0..<bytes.byteCount { register = next(register, UInt64(bytes.byte(at: index))) & mask }
        return register
    }
}
