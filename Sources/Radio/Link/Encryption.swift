import BluetoothCrypto

/// What a central's host gives to encrypt a link, and a peripheral's host is asked for (Vol 6, Part B, 2.4.2.4).
struct EncryptionKey: Hashable, Sendable {
    var random: UInt64
    var diversifier: UInt16
    var key: SecretKey
}

/// How far encryption of a connection is (Vol 6, Part B, 5.1.3).
struct Encryption: Sendable {
    /// What this end waits for.
    enum Step: Hashable, Sendable {
        case idle
        /// Central: the answer to its request.
        case response
        /// Central: the peripheral's wish to start.
        case startRequest
        /// The peer's confirmation that it has started.
        case startResponse
        /// The host's key, at the peripheral.
        case key
        /// The peer's answer to the wish to pause.
        case pauseResponse
        /// The central's request, at a peripheral that has paused.
        case request
    }

    var step = Step.idle
    /// Whether a key is in force that is to be changed for another.
    var isRefresh = false
    /// The central's part of the session, at the peripheral too.
    var request: (diversifier: UInt64, vector: UInt32)?
    /// The peripheral's part of the session, at the central too.
    var response: (diversifier: UInt64, vector: UInt32)?
    /// What PDUs are sent with; nil: in the clear.
    var txSession: EncryptionSession?
    /// What the peer's PDUs are expected with; nil: in the clear.
    var rxSession: EncryptionSession?

    /// Whether data wait until the procedure is over.
    var holdsData: Bool { step != .idle }

    /// The session that a key makes of both parts.
    func session(_ key: SecretKey) -> EncryptionSession {
        EncryptionSession(
            key: key, centralDiversifier: request?.diversifier ?? 0, peripheralDiversifier: response?.diversifier ?? 0,
            centralVector: request?.vector ?? 0, peripheralVector: response?.vector ?? 0)
    }
}
