import Bytes

extension Checksum.Algorithm {
    /// The checksum of bytes.
    ///
    /// The CRCs are those that the catalogue of parametrised CRC algorithms calls CRC-8/SMBUS, CRC-16/IBM-3740 (often
    /// named CCITT-FALSE), CRC-16/MODBUS and CRC-32/ISO-HDLC.
    func compute(_ bytes: RawSpan) -> UInt64 {
        switch self {
        case .sum8: Self.fold(bytes, from: 0) { ($0 + $1) & 0xFF }
        case .xor8: Self.fold(bytes, from: 0) { $0 ^ $1 }
        case .crc8: Self.fold(bytes, from: 0) { Self.shiftLeft($0, $1, polynomial: 0x07, bits: 8) }
        case .crc16CCITT: Self.fold(bytes, from: 0xFFFF) { Self.shiftLeft($0, $1, polynomial: 0x1021, bits: 16) }
        case .crc16Modbus: Self.fold(bytes, from: 0xFFFF) { Self.shiftRight($0, $1, polynomial: 0xA001) }
        case .crc32:
            Self.fold(bytes, from: 0xFFFF_FFFF) { Self.shiftRight($0, $1, polynomial: 0xEDB8_8320) } ^ 0xFFFF_FFFF
        }
    }

    private static func fold(_ bytes: RawSpan, from start: UInt64, _ next: (UInt64, UInt64) -> UInt64) -> UInt64 {
        var register = start
        for index in 0..<bytes.byteCount { register = next(register, UInt64(bytes.byte(at: index))) }
        return register
    }

    private static func shiftLeft(_ register: UInt64, _ byte: UInt64, polynomial: UInt64, bits: UInt64) -> UInt64 {
        (0..<8).reduce(register ^ byte << (bits - 8)) { register, _ in
            let shifted = register << 1
            return (register >> (bits - 1) & 1 == 1 ? shifted ^ polynomial : shifted) & (1 << bits - 1)
        }
    }

    private static func shiftRight(_ register: UInt64, _ byte: UInt64, polynomial: UInt64) -> UInt64 {
        (0..<8).reduce(register ^ byte) { register, _ in
            register & 1 == 1 ? register >> 1 ^ polynomial : register >> 1
        }
    }
}
