import Bytes

/// AES-CCM as the Link Layer uses it: a 13-byte nonce, one byte of associated data and a 4-byte MIC (Vol 6, Part E, 2;
/// RFC 3610).
package struct CCM: Sendable {
    /// Bytes of the message integrity check.
    package static let codeSize = 4
    package static let nonceSize = 13

    private let cipher: AES128

    package init(key: SecretKey) {
        cipher = AES128(key: key.value)
    }

    /// The encrypted message followed by its MIC. The nonce has 13 bytes.
    package func seal(_ message: [UInt8], nonce: [UInt8], associated: UInt8) -> [UInt8] {
        let code = authenticationCode(of: message, nonce: nonce, associated: associated)
        return crypt(message, nonce: nonce) + encryptedCode(code, nonce: nonce)
    }

    /// The decrypted message; nil if the MIC is wrong or missing.
    package func open(_ sealed: [UInt8], nonce: [UInt8], associated: UInt8) -> [UInt8]? {
        guard sealed.count >= Self.codeSize else { return nil }
        let message = crypt(Array(sealed.dropLast(Self.codeSize)), nonce: nonce)
        let code = authenticationCode(of: message, nonce: nonce, associated: associated)
        return encryptedCode(code, nonce: nonce) == Array(sealed.suffix(Self.codeSize)) ? message : nil
    }

    /// The CBC-MAC over block B0, the associated data and the message.
    private func authenticationCode(of message: [UInt8], nonce: [UInt8], associated: UInt8) -> UInt128 {
        var chain = cipher.encrypt(block(flags: 0x49, nonce: nonce, counter: UInt16(truncatingIfNeeded: message.count)))
        chain = cipher.encrypt(chain ^ UInt128(1) << 112 ^ UInt128(associated) << 104)
        for start in stride(from: 0, to: message.count, by: 16) {
            chain = cipher.encrypt(chain ^ padded(message[start..<min(start + 16, message.count)]))
        }
        return chain
    }

    /// The message XORed with the key stream; encrypts and decrypts.
    private func crypt(_ message: [UInt8], nonce: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(message.count + Self.codeSize)
        for (index, start) in stride(from: 0, to: message.count, by: 16).enumerated() {
            let part = message[start..<min(start + 16, message.count)]
            let stream = keyStream(UInt16(truncatingIfNeeded: index + 1), nonce: nonce)
            let block = ByteWriter.bytes { $0.writeBigEndian(stream ^ padded(part)) }
            result += block.prefix(part.count)
        }
        return result
    }

    private func encryptedCode(_ code: UInt128, nonce: [UInt8]) -> [UInt8] {
        let block = ByteWriter.bytes { $0.writeBigEndian(code ^ keyStream(0, nonce: nonce)) }
        return Array(block.prefix(Self.codeSize))
    }

    private func keyStream(_ counter: UInt16, nonce: [UInt8]) -> UInt128 {
        cipher.encrypt(block(flags: 0x01, nonce: nonce, counter: counter))
    }

    private func block(flags: UInt8, nonce: [UInt8], counter: UInt16) -> UInt128 {
        UInt128(bigEndianBytes: [flags] + nonce.prefix(Self.nonceSize)) << 16 | UInt128(counter)
    }

    /// A part of a message as a block, padded with zeros.
    private func padded(_ part: ArraySlice<UInt8>) -> UInt128 {
        UInt128(bigEndianBytes: part) << (8 * UInt128(16 - part.count))
    }
}
