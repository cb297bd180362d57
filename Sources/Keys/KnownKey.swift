package import Bluetooth
package import BluetoothCrypto

/// A key that opens encrypted packets, or from which such a key is derived, with all that is known about it.
package struct KnownKey: Sendable, Hashable {
    package var value: Value
    /// The device that it belongs to; nil for any.
    package var address: Address?
    /// EDIV and Rand of a legacy Long Term Key, by which LL_ENC_REQ names it (Vol 3, Part H, 2.4.2.4); nil for other
    /// keys, and where they are not known.
    package var name: LegacyName?
    package var origin: Origin
    /// Whether the bytes are in the order opposite to the one in which they were given.
    package var isReversed: Bool

    package init(
        _ value: Value, address: Address? = nil, name: LegacyName? = nil, origin: Origin, isReversed: Bool = false
    ) {
        self.value = value
        self.address = address
        self.name = name
        self.origin = origin
        self.isReversed = isReversed
    }

    /// The kinds of keys, spelled as `--key` has them.
    package enum Kind: String, Sendable, CaseIterable {
        case ltk, stk, tk, passkey, irk, csrk
        case privateKey = "private"
        case session
        case broadcastCode = "broadcast-code"
        case ead
    }

    package enum Value: Sendable, Hashable {
        /// Long Term Key, of legacy pairing or of Secure Connections.
        case longTerm(SecretKey)
        /// Short Term Key of legacy pairing.
        case shortTerm(SecretKey)
        /// Temporary Key of legacy pairing.
        case temporary(SecretKey)
        /// 0 to 999,999; the Temporary Key of Passkey Entry.
        case passkey(UInt32)
        case identityResolving(SecretKey)
        case signature(SecretKey)
        /// The private key of a P-256 key pair (Vol 3, Part H, 2.3.5.6).
        case privateKey(P256.KeyPair)
        /// Session key and initialization vector of an encrypted link (Vol 6, Part B, 5.1.3.1).
        case session(SecretKey, vector: UInt64)
        /// Broadcast Code of a BIG (Vol 3, Part C, 3.2.6).
        case broadcastCode(SecretKey)
        /// Key material of Encrypted Advertising Data (Supplement to the Core Specification, Part A, 1.23); the first byte
        /// of the vector is the most significant.
        case advertising(SecretKey, vector: UInt64)
    }

    package struct LegacyName: Sendable, Hashable {
        package var encryptedDiversifier: UInt16
        package var random: UInt64

        /// Nil for zeros, which name no key: those of LE Secure Connections and Short Term Keys have them.
        package init?(encryptedDiversifier: UInt16, random: UInt64) {
            guard encryptedDiversifier != 0 || random != 0 else { return nil }
            self.encryptedDiversifier = encryptedDiversifier
            self.random = random
        }
    }

    /// Where a key comes from.
    package enum Origin: Sendable, Hashable {
        /// `--key`, or what standard input or the variable GATTBENCH_KEYS provides.
        case given
        /// A key file or a log, by its name.
        case file(String)
        /// A frame of the capture, and what it was: “LE Enable Encryption”, “SMP Encryption Information”, …
        case frame(Int, String)
        /// Derived from the pairing in the capture that ends in a frame: “Just Works”, “passkey”, “Temporary Key”, “debug
        /// key”, “private key”; followed by “not confirmed” where no check value proves it.
        case pairing(frame: Int, String)
    }

    package var kind: Kind { value.kind }
}

extension KnownKey.Value {
    package var kind: KnownKey.Kind {
        switch self {
        case .longTerm: .ltk
        case .shortTerm: .stk
        case .temporary: .tk
        case .passkey: .passkey
        case .identityResolving: .irk
        case .signature: .csrk
        case .privateKey: .privateKey
        case .session: .session
        case .broadcastCode: .broadcastCode
        case .advertising: .ead
        }
    }
}
