import Bluetooth

/// Security level of a connection (Vol 3, Part C, 10.2.1).
package enum SecurityLevel: UInt8, Sendable, Hashable, Comparable, CaseIterable {
    /// No encryption.
    case open
    /// Encrypted with a key from unauthenticated pairing.
    case encrypted
    /// Encrypted with a key from pairing with MITM protection.
    case authenticated

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// Current security of a connection.
package struct LinkSecurity: Hashable, Sendable {
    package var level: SecurityLevel
    /// Size of the encryption key in bytes, 7 to 16; 0 without encryption.
    package var keySize: UInt8
    /// Whether the devices share a long term key with which they could encrypt.
    package var hasKey: Bool

    package init(level: SecurityLevel = .open, keySize: UInt8 = 0, hasKey: Bool = false) {
        self.level = level
        self.keySize = keySize
        self.hasKey = hasKey
    }
}

/// Access permission for reading or writing an attribute (Vol 3, Part F, 3.2.5).
package enum Access: Hashable, Sendable {
    case never
    /// `keySize` is the minimum size of the encryption key in bytes, if the level requires encryption.
    case from(SecurityLevel, keySize: UInt8 = 7)

    package static var open: Access { .from(.open) }
    package static var encrypted: Access { .from(.encrypted) }
    package static var authenticated: Access { .from(.authenticated) }

    /// The error for a client on a connection with this security; nil if access is permitted. `denied` is the error for
    /// `never` (Vol 3, Part C, 10.3.1.1).
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
