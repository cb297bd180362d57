import CMbedTLS

/// AES with a 128-bit key: the block function and the message authentication code that Bluetooth builds on.
///
/// Keys and blocks are numbers, most significant byte first, as in the specification.
package struct AES128: Sendable {
    private let cipher: Cipher

    package init(key: SecretKey) {
        cipher = Cipher(key.bytes)
    }

    package init(key: UInt128) {
        cipher = Cipher(SecretBytes(key))
    }

    /// The block function, `e` of the Security Manager (Vol 3, Part H, 2.2.1).
    package func encrypt(_ block: UInt128) -> UInt128 { cipher.encrypt(block) }

    /// AES-CMAC of a message, first byte first (Vol 3, Part H, 2.2.5; RFC 4493).
    package func authenticationCode(of message: [UInt8]) -> UInt128 {
        unsafe cipher.authenticationCode(of: message, count: message.count)
    }

    /// AES-CMAC of key bytes.
    func authenticationCode(of message: SecretBytes) -> UInt128 {
        unsafe message.withUnsafeBytes { unsafe cipher.authenticationCode(of: $0, count: message.count) }
    }
}

/// The key of a cipher and its expansion: immutable, at a fixed address in memory.
@safe private final class Cipher: @unchecked Sendable {
    private let key: SecretBytes
    private let context: UnsafeMutablePointer<mbedtls_aes_context>

    init(_ key: SecretBytes) {
        self.key = key
        unsafe context = .allocate(capacity: 1)
        unsafe mbedtls_aes_init(context)
        let status = unsafe key.withUnsafeBytes { [context] in unsafe mbedtls_aes_setkey_enc(context, $0, 128) }
        precondition(status == 0, "AES refused a key of 16 bytes: \(status)")
    }

    deinit {
        // mbedTLS overwrites the expanded key with zeros.
        unsafe mbedtls_aes_free(context)
        unsafe context.deallocate()
    }

    func encrypt(_ block: UInt128) -> UInt128 {
        var input = block.bigEndian
        var output: UInt128 = 0
        let status = withExtendedLifetime(self) {
            unsafe withUnsafeBytes(of: &input) { input in
                unsafe withUnsafeMutableBytes(of: &output) { output in
                    unsafe mbedtls_aes_crypt_ecb(context, MBEDTLS_AES_ENCRYPT, input.baseAddress, output.baseAddress)
                }
            }
        }
        precondition(status == 0, "AES refused a block of 16 bytes: \(status)")
        return UInt128(bigEndian: output)
    }

    func authenticationCode(of message: UnsafePointer<UInt8>, count: Int) -> UInt128 {
        var code: UInt128 = 0
        let status = unsafe key.withUnsafeBytes { key in
            unsafe withUnsafeMutableBytes(of: &code) { code in
                unsafe mbedtls_cipher_cmac(
                    mbedtls_cipher_info_from_type(MBEDTLS_CIPHER_AES_128_ECB), key, 128, message, count,
                    code.baseAddress)
            }
        }
        precondition(status == 0, "AES-CMAC with a key of 16 bytes failed: \(status)")
        return UInt128(bigEndian: code)
    }
}

extension UInt128 {
    /// The number in these bytes, most significant byte first.
    init(bigEndianBytes bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }
}
