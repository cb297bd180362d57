import Bluetooth
package import Keys

/// Why an encrypted PDU stays closed, spelled as `stats --json` has it.
package enum ClosedReason: String, Sendable, CaseIterable {
    /// No key is known from which a session can be derived.
    case noKey = "no_key"
    /// No known key opens a PDU of the session.
    case noKeyFits = "no_key_fits"
    /// A key has opened PDUs, and the packet counter was not found again after a gap.
    case counterLost = "counter_lost"
    /// There are keys, and LL_ENC_REQ or LL_ENC_RSP of the session was not captured.
    case sessionNotHeard = "session_not_heard"
    /// The packet counter was found anew by a long search, and no later PDU confirms it.
    case unconfirmed
    /// The PDU was not captured whole, or is of a kind that is not decrypted.
    case unsupported

    /// The reason in words, for the note on a PDU.
    package var text: String {
        switch self {
        case .noKey: "encrypted, and no key is known: upper layers not decoded"
        case .noKeyFits: "encrypted, and no known key opens it: upper layers not decoded"
        case .counterLost: "encrypted, and its packet counter was not found: upper layers not decoded"
        case .sessionNotHeard:
            "encrypted, and LL_ENC_REQ or LL_ENC_RSP was not captured: upper layers not decoded"
        case .unconfirmed:
            "encrypted, and no later PDU confirms the packet counter that was found: upper layers not decoded"
        case .unsupported: "encrypted, and not captured whole or of an unsupported kind: upper layers not decoded"
        }
    }

    /// Place in `allCases`.
    fileprivate var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// What was encrypted in a capture, and what of it keys have opened. PDUs with a bad CRC and retransmissions are not
/// counted.
package struct DecryptionSummary: Sendable {
    /// Data and control PDUs with a MIC.
    package private(set) var encrypted = 0
    package private(set) var decrypted = 0
    /// Packets of encrypted connections whose CRC is wrong.
    package private(set) var badCRC = 0
    /// By `ClosedReason.index`.
    private var closed = [Int](repeating: 0, count: ClosedReason.allCases.count)
    /// The sessions of which a key has opened a PDU, in capture order.
    package private(set) var sessions: [Session] = []

    /// A session of a connection, or of a stream.
    package struct Session: Sendable {
        /// Index of the connection.
        package var connection: Int32
        package var key: KnownKey.Kind
        package var origin: KnownKey.Origin
        /// Whether the key opens packets with its bytes reversed.
        package var isReversed: Bool
        package fileprivate(set) var encrypted = 0
        package fileprivate(set) var decrypted = 0

        package init(connection: Int32, key: KnownKey.Kind, origin: KnownKey.Origin, isReversed: Bool = false) {
            self.connection = connection
            self.key = key
            self.origin = origin
            self.isReversed = isReversed
        }
    }

    /// Sessions listed; later ones share the last entry.
    private static let sessionLimit = 10_000

    /// Whether anything was encrypted.
    package var isEmpty: Bool { encrypted == 0 && badCRC == 0 }

    /// Reasons with the number of PDUs that stayed closed for them, without zeros.
    package var undecrypted: [(reason: ClosedReason, packets: Int)] {
        zip(ClosedReason.allCases, closed).filter { $0.1 > 0 }.map { (reason: $0.0, packets: $0.1) }
    }

    /// Adds a session and returns its number.
    mutating func add(_ session: Session) -> Int {
        if sessions.count < Self.sessionLimit { sessions.append(session) }
        return sessions.count - 1
    }

    /// Counts a PDU that a session has opened.
    mutating func countOpened(in session: Int) {
        encrypted += 1
        decrypted += 1
        sessions[session].encrypted += 1
        sessions[session].decrypted += 1
    }

    /// Counts a PDU that stays closed; `session` is the one that it belongs to, if a key has opened others of it.
    mutating func countClosed(_ reason: ClosedReason, in session: Int?) {
        encrypted += 1
        closed[reason.index] += 1
        if let session { sessions[session].encrypted += 1 }
    }

    mutating func countBadCRC() { badCRC += 1 }
}
