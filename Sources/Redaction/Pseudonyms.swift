import Bluetooth
package import BluetoothCrypto
import Bytes

/// Replacements that follow from the original and the secret of a run: equal originals have equal replacements, and
/// nobody without the secret can find the original by trying (AES-CMAC, RFC 4493).
package struct Pseudonyms: Sendable {
    private let cipher: AES128

    /// What a replacement is for: the same bytes have other replacements in another place.
    enum Purpose: UInt8 {
        case bytes, address, lowestByte, randomPart, text, number
    }

    package init(secret: SecretKey) {
        cipher = AES128(key: secret)
    }

    /// As many bytes as the original has, and others.
    func bytes(for original: [UInt8], _ purpose: Purpose = .bytes) -> [UInt8] {
        var result = stream(for: original, count: original.count, purpose)
        if result == original, !result.isEmpty { result[0] ^= 0x80 }
        return result
    }

    /// Bytes that look random and follow from the original.
    func stream(for original: [UInt8], count: Int, _ purpose: Purpose) -> [UInt8] {
        let seed = cipher.authenticationCode(of: [purpose.rawValue] + original)
        if count <= 16 { return Self.bytes(of: seed, count: count) }
        let generator = AES128(key: seed)
        var result: [UInt8] = []
        result.reserveCapacity(count + 16)
        var block: UInt128 = 0
        while result.count < count {
            result += Self.bytes(of: generator.encrypt(block), count: min(16, count - result.count))
            block += 1
        }
        return result
    }

    /// A number that looks random and follows from the original.
    func number(for original: UInt64, _ purpose: Purpose) -> UInt64 {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: original >> (8 * $0)) }
        return UInt64(truncatingIfNeeded: cipher.authenticationCode(of: [purpose.rawValue] + bytes))
    }

    /// The replacement of a key; a key of zeros, which stands for none, stays.
    func key(for original: [UInt8]) -> [UInt8] {
        original.allSatisfy { $0 == 0 } ? original : bytes(for: original)
    }

    private static func bytes(of number: UInt128, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt128($0))) }
    }
}
