import Bluetooth
import Bytes
import PluginKit

/// The failures of a connection's security, found when it has ended.
struct SecurityFailures {
    private(set) var all: [Failure] = []
    private let history: SecurityHistory
    private let connection: Connection

    init(_ history: SecurityHistory, on session: Session) {
        self.history = history
        connection = session.connection
        addPairings()
        addEncryptions()
        if all.isEmpty || hasOnlyAuthorization { addRefusals() } else { addRefusals(only: .insufficientAuthorization) }
    }

    private var hasOnlyAuthorization: Bool { all.allSatisfy { $0.kind == .procedureFailed } }

    // MARK: - Pairing

    /// Pairings that failed, unless a later one on the connection succeeded; one for each reason.
    private mutating func addPairings() {
        let succeeded = history.pairings.lastIndex {
            if case .encrypted = $0.outcome { !$0.isOnlyRequested } else { false }
        }
        var reasons: Set<UInt8> = []
        for pairing in history.pairings.dropFirst(succeeded.map { $0 + 1 } ?? 0) {
            switch pairing.outcome {
            case .failed(let reason, let frame, _):
                let isUsed = pairing.isOnlyRequested && isUsedWithoutEncryption(after: frame)
                // Repeated Attempts follows from the failures before it.
                let isConsequence = reason == .repeatedAttempts && !reasons.isEmpty
                guard !isUsed, !isConsequence, reasons.insert(reason.rawValue).inserted else { continue }
                let frames = [pairing.first] + pairing.features + [pairing.last, frame]
                all.append(Failure(.pairingFailed, frames.inOrder, .pairing(reason)))
            case .open where !pairing.isOnlyRequested: addUnfinished(pairing)
            default: break
            }
        }
    }

    /// Whether the client used the server after the central refused a Security Request, and the peripheral did not insist.
    private func isUsedWithoutEncryption(after frame: FrameReference) -> Bool {
        guard let use = history.lastUse, use > frame, history.errors.all.isEmpty else { return false }
        return !(history.closing?.reason?.isAboutSecurity ?? false)
    }

    /// Adds a pairing without an end, if its time ran out or if the connection ended because of it.
    private mutating func addUnfinished(_ pairing: PairingAttempt) {
        // The pairing has come to the start of encryption, which is a matter of its own, and may not have been captured.
        if let encryption = history.encryptions.last, encryption.first > pairing.last { return }
        if pairing.isAuthenticated, pairing.hasGap || !connection.isBeginningCaptured { return }
        if let doubt = connection.gaps[.undecidedEncryption], doubt > pairing.last { return }
        let silence = history.end - pairing.last.time as TimeSpan
        // The host's timer begins a little before or after the frame was captured.
        let tolerance: TimeSpan = history.closing == nil ? .zero : TimeSpan(milliseconds: 500)
        if max(silence, pairing.silence.span) >= SecurityHistory.timeout - tolerance {
            let frames = [pairing.first, pairing.last] + [history.closing?.frame].compactMap(\.self)
            all.append(Failure(.pairingFailed, frames.inOrder))
        } else if let closing = history.closing, let reason = closing.reason, reason.isAboutSecurity {
            all.append(Failure(.pairingFailed, [pairing.first, pairing.last, closing.frame].inOrder, .reason(reason)))
        }
    }

    // MARK: - Encryption

    /// Starts of encryption that failed, unless a later one or a later pairing succeeded; one for each error.
    private mutating func addEncryptions() {
        let started = history.encryptions.lastIndex { if case .started = $0.outcome { true } else { false } }
        var codes: Set<UInt8> = []
        for encryption in history.encryptions.dropFirst(started.map { $0 + 1 } ?? 0) {
            guard let (code, frame) = encryption.failure, codes.insert(code.rawValue).inserted else { continue }
            let repaired = history.pairings.contains {
                if case .encrypted(let later) = $0.outcome { later > frame } else { false }
            }
            if repaired { continue }
            let command: HCI.Opcode? =
                switch (encryption.origin, encryption.outcome) {
                case (_, .denied): .leLongTermKeyRequestNegativeReply
                case (.command, _): .leEnableEncryption
                default: nil
                }
            all.append(
                Failure(.encryptionFailed, [encryption.first, frame].inOrder, .status(code, command: command)))
        }
    }

    // MARK: - Refusals

    /// Requests that were refused and never succeeded, one for each error.
    private mutating func addRefusals(only code: ATT.ErrorCode? = nil) {
        let isUndecided = history.closing == nil && (history.isPairing || history.encryptions.last?.isOpen ?? false)
        if isUndecided { return }
        var codes: Set<UInt8> = []
        for refusal in history.errors.all where refusal.encrypted == nil && !refusal.isAmbiguous {
            guard code == nil || code == refusal.code, codes.insert(refusal.code.rawValue).inserted else { continue }
            all.append(
                Failure(
                    .procedureFailed, refusal.frames,
                    .error(refusal.code, request: refusal.request, handle: refusal.handle)))
        }
    }
}

extension [FrameReference] {
    /// The frames in order, each once.
    var inOrder: [FrameReference] {
        sorted().reduce(into: []) { if $0.last?.frame != $1.frame { $0.append($1) } }
    }
}

extension HCI.ErrorCode {
    /// Whether the error states that the sides could not agree on security.
    var isAboutSecurity: Bool {
        switch self {
        case .authenticationFailure, .pinOrKeyMissing, .pairingNotAllowed, .unitKeyNotSupported, .insufficientSecurity:
            true
        default: false
        }
    }

    static let unitKeyNotSupported = Self(rawValue: 0x29)
    static let insufficientSecurity = Self(rawValue: 0x2F)
}
