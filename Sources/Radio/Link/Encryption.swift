import BluetoothCrypto

/// Parameters provided by a central's host to encrypt a link, and requested from a peripheral's host (Vol 6, Part B,
/// 2.4.2.4).
struct EncryptionKey: Hashable, Sendable {
    var random: UInt64
    var diversifier: UInt16
    var key: SecretKey
}

/// State of the encryption procedure of a connection (Vol 6, Part B, 5.1.3).
struct Encryption: Sendable {
    /// Next input expected by this end.
    enum Step: Hashable, Sendable {
        case idle
        /// Central: LL_ENC_RSP.
        case response
        /// Central: LL_START_ENC_REQ.
        case startRequest
        /// LL_START_ENC_RSP.
        case startResponse
        /// Peripheral: the key from the host.
        case key
        /// LL_PAUSE_ENC_RSP.
        case pauseResponse
        /// Peripheral: LL_ENC_REQ after a pause.
        case request
    }

    var step = Step.idle
    /// Whether an encrypted connection is changing its key.
    var isRefresh = false
    /// The central's part of the session, known to both ends.
    var request: (diversifier: UInt64, vector: UInt32)?
    /// The peripheral's part of the session, known to both ends.
    var response: (diversifier: UInt64, vector: UInt32)?
    /// Session for sent PDUs; nil for unencrypted.
    var txSession: EncryptionSession?
    /// Session for received PDUs; nil for unencrypted.
    var rxSession: EncryptionSession?

    /// Whether data is held back until the procedure is complete.
    var holdsData: Bool { step != .idle }

    /// The session from a key and both parts.
    func session(_ key: SecretKey) -> EncryptionSession {
        EncryptionSession(
            key: key, centralDiversifier: request?.diversifier ?? 0, peripheralDiversifier: response?.diversifier ?? 0,
            centralVector: request?.vector ?? 0, peripheralVector: response?.vector ?? 0)
    }
}
