import BluetoothCrypto

extension KnownKey.Value {
    /// A key of a kind with the bytes that `--key` takes, most significant byte first; nil for another number of bytes,
    /// and for a private key that is out of range.
    package init?(_ kind: KnownKey.Kind, bytes: [UInt8]) {
        guard bytes.count == kind.size else { return nil }
        let key = SecretKey(wireBytes: bytes.prefix(16).reversed())
        let vector = bytes.dropFirst(16).reduce(0) { $0 << 8 | UInt64($1) }
        switch kind {
        case .ltk: self = .longTerm(key)
        case .stk: self = .shortTerm(key)
        case .tk: self = .temporary(key)
        case .irk: self = .identityResolving(key)
        case .csrk: self = .signature(key)
        case .broadcastCode: self = .broadcastCode(key)
        case .session: self = .session(key, vector: vector)
        case .ead: self = .advertising(key, vector: vector)
        case .privateKey:
            guard let pair = P256.KeyPair(privateKey: bytes) else { return nil }
            self = .privateKey(pair)
        case .passkey: return nil
        }
    }

    /// The bytes that `--key` takes, most significant byte first; nil for a passkey.
    package var bytes: [UInt8]? {
        switch self {
        case .longTerm(let key), .shortTerm(let key), .temporary(let key), .identityResolving(let key),
            .signature(let key), .broadcastCode(let key):
            key.wireBytes.reversed()
        case .session(let key, let vector), .advertising(let key, let vector):
            key.wireBytes.reversed() + (0..<8).reversed().map { UInt8(truncatingIfNeeded: vector >> (8 * $0)) }
        case .privateKey(let pair): pair.privateBytes
        case .passkey: nil
        }
    }

    /// The same bytes in the opposite order, those of a key and of its vector each; nil for a passkey, and where the
    /// result is the same or is no key.
    package var reversed: Self? {
        guard let bytes else { return nil }
        let size = kind == .privateKey ? bytes.count : min(16, bytes.count)
        let reversed = Array(bytes.prefix(size).reversed() + bytes.dropFirst(size).reversed())
        return reversed == bytes ? nil : Self(kind, bytes: reversed)
    }

    /// Whether all bytes are zero, as in fields of keys that were not distributed; such a key opens nothing.
    package var isZero: Bool { bytes?.allSatisfy { $0 == 0 } ?? false }
}

extension KnownKey.Kind {
    /// Number of bytes; 0 for a passkey, which is a decimal number.
    package var size: Int {
        switch self {
        case .ltk, .stk, .tk, .irk, .csrk, .broadcastCode: 16
        case .session, .ead: 24
        case .privateKey: 32
        case .passkey: 0
        }
    }
}
