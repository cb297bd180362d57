import CMbedTLS

/// The SHA-256 hash function (FIPS 180-4); the digest has 32 bytes.
package enum SHA256 {
    package static func digest(of message: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let status = unsafe mbedtls_md(
            mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), message, message.count, &digest)
        precondition(status == 0, "SHA-256 failed: \(status)")
        return digest
    }
}
