import Bluetooth
import PluginKit

/// One start of encryption on a connection, in the log of either host or on the air (Vol 6, Part B, 5.1.3).
struct EncryptionAttempt: Sendable {
    /// Where the start was seen.
    enum Origin: Sendable {
        /// In the central's log: LE Enable Encryption.
        case command
        /// In the peripheral's log: LE Long Term Key Request.
        case keyRequest
        /// On the air: LL_ENC_REQ.
        case linkLayer
        /// On BR/EDR, or where only the outcome was captured.
        case unknown
    }

    enum Outcome: Sendable {
        case open
        case started(FrameReference)
        /// The captured host has no key.
        case denied(FrameReference)
        /// The controller reports an error to the captured host.
        case failed(HCI.ErrorCode, FrameReference)
        /// On the air: a side refused.
        case rejected(HCI.ErrorCode, FrameReference, by: SecuritySide)
        /// Another attempt began before, or the connection ended.
        case dropped
    }

    let origin: Origin
    /// The first frame.
    let first: FrameReference
    /// Whether the key comes from a pairing on this connection.
    let isFresh: Bool
    /// The frame in which the captured host provided its key.
    var provided: FrameReference?
    /// The frame in which the captured host stated that it has no link key, on BR/EDR.
    var refusedLinkKey: FrameReference?
    var outcome = Outcome.open
    /// Whether something is missing between the first frame and the end.
    var hasGap = false

    init(_ origin: Origin, at moment: FrameReference, isFresh: Bool) {
        self.origin = origin
        first = moment
        self.isFresh = isFresh
    }

    var isOpen: Bool { if case .open = outcome { true } else { false } }

    /// The error and the frame of the failure; nil unless it failed.
    var failure: (code: HCI.ErrorCode, frame: FrameReference)? {
        switch outcome {
        case .open, .started, .dropped: nil
        case .denied(let frame): (.pinOrKeyMissing, frame)
        case .failed(let code, let frame), .rejected(let code, let frame, _): (code, frame)
        }
    }
}
