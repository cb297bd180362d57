import CMbedTLS
import Glibc

/// The curve P-256 of mbedTLS, with the operands of one computation.
@safe final class Curve {
    private let group = UnsafeMutablePointer<mbedtls_ecp_group>.allocate(capacity: 1)
    private let point = UnsafeMutablePointer<mbedtls_ecp_point>.allocate(capacity: 1)
    private let scalar = UnsafeMutablePointer<mbedtls_mpi>.allocate(capacity: 1)
    private let product = UnsafeMutablePointer<mbedtls_mpi>.allocate(capacity: 1)

    init() {
        unsafe mbedtls_ecp_group_init(group)
        unsafe mbedtls_ecp_point_init(point)
        unsafe mbedtls_mpi_init(scalar)
        unsafe mbedtls_mpi_init(product)
        let status = unsafe mbedtls_ecp_group_load(group, MBEDTLS_ECP_DP_SECP256R1)
        precondition(status == 0, "the curve P-256 cannot be loaded: \(status)")
    }

    deinit {
        // mbedTLS overwrites them with zeros.
        unsafe mbedtls_mpi_free(product)
        unsafe mbedtls_mpi_free(scalar)
        unsafe mbedtls_ecp_point_free(point)
        unsafe mbedtls_ecp_group_free(group)
        unsafe product.deallocate()
        unsafe scalar.deallocate()
        unsafe point.deallocate()
        unsafe group.deallocate()
    }

    /// The public point of a private key, X and Y; nil unless the key is from 1 to the order of the curve less 1.
    func publicPoint(of privateKey: SecretBytes) -> [UInt8]? {
        guard readScalar(privateKey),
            unsafe mbedtls_ecp_check_privkey(group, scalar) == 0,
            unsafe mbedtls_ecp_mul(group, point, scalar, &group.pointee.G, Self.blinding, nil) == 0
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: 1 + 2 * P256.size)
        var count = 0
        let status = unsafe mbedtls_ecp_point_write_binary(
            group, point, MBEDTLS_ECP_PF_UNCOMPRESSED, &count, &bytes, bytes.count)
        return status == 0 && count == bytes.count ? Array(bytes.dropFirst()) : nil
    }

    /// The X coordinate of a private key times a point, given as X and Y; nil if the point is not on the curve.
    func sharedSecret(of privateKey: SecretBytes, with other: [UInt8]) -> SecretBytes? {
        let encoded = [0x04] + other
        guard readScalar(privateKey),
            unsafe mbedtls_ecp_point_read_binary(group, point, encoded, encoded.count) == 0,
            unsafe mbedtls_ecp_check_pubkey(group, point) == 0,
            unsafe mbedtls_ecdh_compute_shared(group, product, point, scalar, Self.blinding, nil) == 0
        else { return nil }
        var status: CInt = 0
        let secret = unsafe SecretBytes(count: P256.size) {
            status = unsafe mbedtls_mpi_write_binary(product, $0, P256.size)
        }
        return status == 0 ? secret : nil
    }

    private func readScalar(_ privateKey: SecretBytes) -> Bool {
        unsafe privateKey.withUnsafeBytes { unsafe mbedtls_mpi_read_binary(scalar, $0, privateKey.count) } == 0
    }

    /// Random bytes that blind the computation against side channels; they do not change the result.
    private static let blinding: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?, Int) -> CInt =
        {
            _, bytes, count in
            guard let bytes = unsafe bytes else { return -1 }
            return unsafe getentropy(bytes, count)
        }
}
