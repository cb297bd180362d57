/// Elliptic curve Diffie-Hellman on P-256, as LE Secure Connections uses it (Vol 3, Part H, 2.3.5.6.1).
package enum P256 {
    /// Size in bytes of a coordinate and of a private key.
    package static let size = 32

    /// One coordinate of a public key: 32 bytes, most significant first.
    package struct Coordinate: Hashable, Sendable {
        package let bytes: [UInt8]

        /// Nil unless there are 32 bytes.
        package init?(_ bytes: [UInt8]) {
            guard bytes.count == P256.size else { return nil }
            self.bytes = bytes
        }

        /// The bytes in SMP order, least significant first; nil unless there are 32.
        package init?(wire bytes: [UInt8]) {
            self.init(Array(bytes.reversed()))
        }

        /// The bytes in SMP order, least significant first.
        package var wireBytes: [UInt8] { bytes.reversed() }
    }

    /// A public key that a device sends. Only key agreement checks whether the point is on the curve.
    package struct PublicKey: Hashable, Sendable {
        package var x: Coordinate
        package var y: Coordinate

        package init(x: Coordinate, y: Coordinate) {
            self.x = x
            self.y = y
        }
    }

    package struct KeyPair: Hashable, Sendable {
        private let privateKey: SecretBytes
        package let publicKey: PublicKey

        /// Nil unless the bytes, most significant first, are a number from 1 to the order of the curve less 1.
        package init?(privateKey bytes: [UInt8]) {
            guard bytes.count == P256.size else { return nil }
            self.init(SecretBytes(bytes))
        }

        private init?(_ bytes: SecretBytes) {
            guard let point = Curve().publicPoint(of: bytes),
                let x = Coordinate(Array(point.prefix(P256.size))),
                let y = Coordinate(Array(point.dropFirst(P256.size)))
            else { return nil }
            privateKey = bytes
            publicKey = PublicKey(x: x, y: y)
        }

        /// The private key, most significant byte first: for a file of keys, or where the user asks to see keys.
        package var privateBytes: [UInt8] { privateKey.array }

        /// A new key pair. A private key out of range occurs once in 2³² draws and is drawn again.
        package init(using random: inout some RandomNumberGenerator) {
            while true {
                let bytes = SecretBytes(count: P256.size) { UInt8.random(in: .min ... .max, using: &random) }
                if let pair = KeyPair(bytes) {
                    self = pair
                    return
                }
            }
        }

        /// The secret shared with the owner of `other`; nil if `other` is not on the curve.
        package func sharedSecret(with other: PublicKey) -> SharedSecret? {
            Curve().sharedSecret(of: privateKey, with: other.x.bytes + other.y.bytes).map(SharedSecret.init)
        }

        /// The debug key pair: a device that uses it lets everybody read its encrypted connections (Vol 3, Part H,
        /// 2.3.5.6.1).
        package static let debug = KeyPair(
            privateKey: [
                0x3F, 0x49, 0xF6, 0xD4, 0xA3, 0xC5, 0x5F, 0x38, 0x74, 0xC9, 0xB3, 0xE3, 0xD2, 0x10, 0x3F, 0x50, 0x4A,
                0xFF, 0x60, 0x7B, 0xEB, 0x40, 0xB7, 0x99, 0x58, 0x99, 0xB8, 0xA6, 0xCD, 0x3C, 0x1A, 0xBD,
            ])
    }
}

extension P256.KeyPair: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "(key pair)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The Diffie-Hellman key that two devices compute from each other's public keys. It never appears in logs.
package struct SharedSecret: Hashable, Sendable {
    /// 32 bytes, most significant first.
    let bytes: SecretBytes

    init(_ bytes: SecretBytes) {
        self.bytes = bytes
    }

    /// Takes 32 bytes, most significant first.
    package init(bytes: [UInt8]) {
        self.bytes = SecretBytes(bytes)
    }

    /// The bytes in HCI order, least significant first.
    package var wireBytes: [UInt8] { bytes.array.reversed() }
}

extension SharedSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "(secret)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
