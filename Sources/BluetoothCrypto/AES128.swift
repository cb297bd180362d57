import Bytes
import Crypto
import CryptoExtras

/// AES with a 128-bit key: the block function and the message authentication code that Bluetooth builds on.
///
/// Keys and blocks are numbers whose most significant byte comes first, as the specification writes them.
package struct AES128: Sendable {
    private let key: SymmetricKey

    package init(key: UInt128) {
        self.key = SymmetricKey(data: ByteWriter.bytes { $0.writeBigEndian(key) })
    }

    /// The block function, `e` of the Security Manager (Vol 3, Part H, 2.2.1).
    package func encrypt(_ block: UInt128) -> UInt128 {
        var bytes = ByteWriter.bytes { $0.writeBigEndian(block) }
        do {
            try AES.permute(&bytes, key: key)
        } catch {
            preconditionFailure("AES refused a key and a block of 16 bytes: \(error)")
        }
        return UInt128(bigEndianBytes: bytes)
    }

    /// AES-CMAC of a message, its first byte first (Vol 3, Part H, 2.2.5; RFC 4493).
    package func authenticationCode(of message: [UInt8]) -> UInt128 {
        do {
            var code = try AES.CMAC(key: key)
            code.update(data: message)
            return UInt128(bigEndianBytes: Array(code.finalize()))
        } catch {
            preconditionFailure("AES-CMAC refused a key of 16 bytes: \(error)")
        }
    }
}

extension UInt128 {
    /// The number that these bytes are, the most significant first.
    init(bigEndianBytes bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }
}
