package import Bluetooth
import Bytes

/// The functions of LE Secure Connections (Vol 3, Part H, 2.2.6 to 2.2.11), and h8 of isochronous streams.
package enum SecureConnections {
    /// The confirm value f4 of a random number, the X coordinates of both public keys and one bit of a passkey (Vol 3,
    /// Part H, 2.2.6).
    package static func f4(u: P256.Coordinate, v: P256.Coordinate, x: UInt128, z: UInt8) -> UInt128 {
        AES128(key: x).authenticationCode(of: u.bytes + v.bytes + [z])
    }

    /// The keys that f5 derives (Vol 3, Part H, 2.2.7).
    package struct Keys: Hashable, Sendable {
        /// The key for the check values.
        package var macKey: SecretKey
        package var longTermKey: SecretKey
    }

    /// Derives the keys from the shared secret, both random numbers and both addresses, initiator first (Vol 3, Part H,
    /// 2.2.7).
    package static func f5(
        secret: SharedSecret, initiatorRandom: UInt128, responderRandom: UInt128, initiator: DeviceAddress,
        responder: DeviceAddress
    ) -> Keys {
        let salt: UInt128 = 0x6C88_8391_AAF5_A538_6037_0BDB_5A60_83BE
        let cipher = AES128(key: AES128(key: salt).authenticationCode(of: secret.bytes))
        func key(_ counter: UInt8) -> SecretKey {
            SecretKey(
                cipher.authenticationCode(
                    of: ByteWriter.bytes {
                        $0.write(counter)
                        $0.writeBigEndian(0x6274_6C65 as UInt32)
                        $0.writeBigEndian(initiatorRandom)
                        $0.writeBigEndian(responderRandom)
                        $0.writeForPairing(initiator)
                        $0.writeForPairing(responder)
                        $0.writeBigEndian(256 as UInt16)
                    }))
        }
        return Keys(macKey: key(0), longTermKey: key(1))
    }

    /// The inputs of the check value f6 of one side (Vol 3, Part H, 2.2.8).
    package struct Check: Hashable, Sendable {
        /// The random number of the side that sends the check.
        package var own: UInt128
        /// The random number of the other side.
        package var other: UInt128
        /// The passkey or out-of-band random number of the other side; 0 without one.
        package var r: UInt128
        /// AuthReq, OOB data flag and IO capability of the side that sends the check; AuthReq is the most significant
        /// byte.
        package var capabilities: UInt32
        package var from: DeviceAddress
        package var to: DeviceAddress

        package init(
            own: UInt128, other: UInt128, r: UInt128, capabilities: UInt32, from: DeviceAddress, to: DeviceAddress
        ) {
            self.own = own
            self.other = other
            self.r = r
            self.capabilities = capabilities
            self.from = from
            self.to = to
        }
    }

    /// The check value f6 (Vol 3, Part H, 2.2.8).
    package static func f6(macKey: SecretKey, _ check: Check) -> UInt128 {
        AES128(key: macKey).authenticationCode(
            of: ByteWriter.bytes {
                $0.writeBigEndian(check.own)
                $0.writeBigEndian(check.other)
                $0.writeBigEndian(check.r)
                $0.writeBigEndian(bytes: 3, UInt64(check.capabilities))
                $0.writeForPairing(check.from)
                $0.writeForPairing(check.to)
            })
    }

    /// The numeric comparison value, 0 to 999999 (Vol 3, Part H, 2.2.9 and 2.3.5.6.2).
    package static func g2(u: P256.Coordinate, v: P256.Coordinate, x: UInt128, y: UInt128) -> UInt32 {
        let code = AES128(key: x).authenticationCode(
            of: u.bytes + v.bytes + ByteWriter.bytes { $0.writeBigEndian(y) })
        return UInt32(truncatingIfNeeded: code) % 1_000_000
    }

    /// Converts a key with a 4-byte identifier (Vol 3, Part H, 2.2.10).
    package static func h6(key: SecretKey, identifier: UInt32) -> SecretKey {
        SecretKey(
            AES128(key: key).authenticationCode(of: ByteWriter.bytes { $0.writeBigEndian(identifier) }))
    }

    /// Converts a key with a salt (Vol 3, Part H, 2.2.11).
    package static func h7(salt: UInt128, key: SecretKey) -> SecretKey {
        SecretKey(AES128(key: salt).authenticationCode(of: key.bytes))
    }

    /// Converts a key with a salt and a 4-byte identifier (Vol 6, Part E, 1.1.1).
    package static func h8(key: SecretKey, s: UInt128, identifier: UInt32) -> SecretKey {
        h6(key: h7(salt: s, key: key), identifier: identifier)
    }
}

extension SecureConnections {
    /// The BR/EDR link key derived from an LE key. `usesH7` if both devices support h7 (Vol 3, Part H, 2.4.2.4).
    package static func linkKey(from longTermKey: SecretKey, usesH7: Bool) -> SecretKey {
        convert(longTermKey, salt: 0x746D_7031, identifier: 0x746D_7031, last: 0x6C65_6272, usesH7)
    }

    /// The LE key derived from a BR/EDR link key (Vol 3, Part H, 2.4.2.5).
    package static func longTermKey(from linkKey: SecretKey, usesH7: Bool) -> SecretKey {
        convert(linkKey, salt: 0x746D_7032, identifier: 0x746D_7032, last: 0x6272_6C65, usesH7)
    }

    private static func convert(
        _ key: SecretKey, salt: UInt128, identifier: UInt32, last: UInt32, _ usesH7: Bool
    ) -> SecretKey {
        let intermediate = usesH7 ? h7(salt: salt, key: key) : h6(key: key, identifier: identifier)
        return h6(key: intermediate, identifier: last)
    }
}

extension ByteWriter {
    /// Writes an address as f5 and f6 take it: 56 bits, most significant byte first, which is the address type.
    fileprivate mutating func writeForPairing(_ address: DeviceAddress) {
        write(address.kind.rawValue)
        writeBigEndian(bytes: 6, address.address.value)
    }

    /// Writes the `size` low bytes of a number, most significant first.
    fileprivate mutating func writeBigEndian(bytes size: Int, _ value: UInt64) {
        for index in (0..<size).reversed() {
            write(UInt8(truncatingIfNeeded: value >> (8 * UInt64(index))))
        }
    }
}
