import Bluetooth

/// How well a connection is protected (Vol 3, Part C, 10.2.1).
package enum SecurityLevel: UInt8, Sendable, Hashable, Comparable, CaseIterable {
    /// No encryption.
    case open
    /// Encrypted with a key that came from unauthenticated pairing.
    case encrypted
    /// Encrypted with a key that came from pairing with protection against a man in the middle.
    case authenticated

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// What protects a connection at a moment.
package struct LinkSecurity: Hashable, Sendable {
    package var level: SecurityLevel
    /// Bytes of the encryption key, 7 to 16; 0 without encryption.
    package var keySize: UInt8
    /// Whether the two devices share a long term key, so that they could encrypt.
    package var hasKey: Bool

    package init(level: SecurityLevel = .open, keySize: UInt8 = 0, hasKey: Bool = false) {
        self.level = level
        self.keySize = keySize
        self.hasKey = hasKey
    }
}

/// What a client needs to read or to write an attribute (Vol 3, Part F, 3.2.5).
package enum Access: Hashable, Sendable {
    case never
    /// `keySize`: bytes that the encryption key needs at least, where the level asks for encryption.
    case from(SecurityLevel, keySize: UInt8 = 7)

    package static var open: Access { .from(.open) }
    package static var encrypted: Access { .from(.encrypted) }
    package static var authenticated: Access { .from(.authenticated) }

    /// Why a client on such a connection is refused; nil if it is not. `denied` says what `never` means
    /// (Vol 3, Part C, 10.3.1.1).
    func refusal(_ security: LinkSecurity, denied: ATT.ErrorCode) -> ATT.ErrorCode? {
        switch self {
        case .never: return denied
        case .from(.open, _): return nil
        case .from(let level, let keySize):
            if security.level == .open {
                return security.hasKey ? .insufficientEncryption : .insufficientAuthentication
            }
            if security.level < level { return .insufficientAuthentication }
            return security.keySize < keySize ? .encryptionKeySizeTooShort : nil
        }
    }
}
