import Bluetooth
import Captures
import PluginKit

/// The side that should have a key of the bond, as seen from the captured host or from the central.
private enum BondSide { case local, remote }

/// The captured host, or the central on the air, has no key.
enum BondMissingLocal: Cause {
    static let info = CauseInfo(
        "bond_missing_local", "The captured host has lost the key of the bond; on the air, the central has.",
        explains: [.encryptionFailed, .pairingFailed, .disconnected, .procedureFailed],
        evidence: """
            Certain: the captured host answered LE Long Term Key Request with a negative reply, or the request for the \
            link key of the connection's device; on the air, the central refused to encrypt with PIN or Key Missing \
            (0x06). Likely: the key should come from a pairing on the same connection; the two devices were bonded on \
            an earlier connection, and the central paired anew instead of using its key. Possible: the same, and the \
            central did not encrypt at all.
            """,
        against: "The captured host used its key, and the other side refused it.",
        advice: """
            Remove the bond on the other device and pair again. If the bond should have survived, check where the \
            captured host stores its keys: it may have been reset, may have too many bonds, or may look for the key \
            under another address.
            """,
        source: "Vol 3, Part C, 10.3.2 and Vol 4, Part E, 7.8.26")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        MissingKey(failure, in: session)?.assessment(of: .local)
    }
}

/// The device at the other end, or the peripheral on the air, has no key.
enum BondMissingRemote: Cause {
    static let info = CauseInfo(
        "bond_missing_remote", "The other device has lost the key of the bond; on the air, the peripheral has.",
        explains: [.encryptionFailed, .pairingFailed, .disconnected, .procedureFailed],
        evidence: """
            Certain: the captured host started encryption and its controller reports PIN or Key Missing (0x06); on the \
            air, the peripheral refused LL_ENC_REQ with it. Likely: the start was not captured; the key should come \
            from a pairing on the same connection; the other device is the central and paired anew although an earlier \
            connection showed a bond. Possible: the same, and it did not encrypt at all; Authentication Failure (0x05) \
            on BR/EDR.
            """,
        against: "The captured host itself stated that it has no key.",
        advice: """
            Remove the bond on the captured host (“Forget this device”) and pair again. If the bond should have \
            survived, check that the other device stores its keys where a reset or an update does not erase them.
            """,
        source: "Vol 3, Part C, 10.3.2 and Vol 6, Part B, 5.1.3.1")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        MissingKey(failure, in: session)?.assessment(of: .remote)
    }
}

/// A failure that may come from a missing key, and the side that has lost it.
private struct MissingKey {
    private enum Finding {
        case lost(BondSide, Confidence, frames: [FrameReference], text: String)
        case neither(String)
    }

    private var finding: Finding

    /// Nil if no key is concerned.
    init?(_ failure: Failure, in session: Session) {
        let security = session.security
        switch (failure.kind, failure.detail) {
        case (.encryptionFailed, _):
            let last = failure.frames[failure.frames.count - 1]
            guard let attempt = security.encryptions.last(where: { $0.failure?.frame == last }) else { return nil }
            finding = Self.judge(attempt, in: session)
        case (.disconnected, .reason(let code?)) where code.isAboutSecurity:
            guard let closing = security.closing else { return nil }
            if let attempt = security.encryptions.last, attempt.failure != nil {
                finding = Self.judge(attempt, in: session)
            } else if code == .pinOrKeyMissing {
                finding = .lost(
                    .remote, .likely, frames: [closing.frame],
                    text: "the connection ended in frame \(closing.frame.frame) with \(code.text)")
            } else {
                return nil
            }
        case (.pairingFailed, _):
            guard let failed = FailedPairing(failure, in: session), !failed.pairing.isOnlyRequested,
                failed.pairing.direction != .unknown, security.encryptions.isEmpty,
                let bonded = session.capture.earlier(than: session)?.bond.bonded
            else { return nil }
            guard failed.reason == .pairingNotSupported || failed.reason == .unspecifiedReason else {
                finding = .neither("the pairing failed for another reason")
                return
            }
            finding = .lost(
                failed.pairing.direction == .sent ? .local : .remote, .likely, frames: [bonded.frame] + failed.frames,
                text: "connection \(bonded.connection) showed a bond in frame \(bonded.frame.frame), but "
                    + "\(failed.pairing.initiatorSide.name) paired anew in frame \(failed.pairing.first.frame) instead of "
                    + "using its key; \(failed.ending)")
        case (.procedureFailed, .error(let code, _, let handle)):
            guard code == .insufficientEncryption || code == .insufficientAuthentication, security.encryptions.isEmpty,
                security.pairings.isEmpty, !session.connection.isEncrypted, session.connection.central != .unknown,
                let bonded = session.capture.earlier(than: session)?.bond.bonded
            else { return nil }
            finding = .lost(
                session.connection.central == .sent ? .local : .remote, .possible,
                frames: [bonded.frame] + failure.frames,
                text:
                    "connection \(bonded.connection) showed a bond in frame \(bonded.frame.frame), but the central did not "
                    + "start encryption when the access to handle \(handle) was refused")
        default: return nil
        }
    }

    /// Finds the side without a key in a start of encryption that failed.
    private static func judge(_ attempt: EncryptionAttempt, in session: Session) -> Finding {
        guard let (code, frame) = attempt.failure else { return .neither("encryption has begun") }
        let frames = [attempt.first, attempt.refusedLinkKey, attempt.provided, frame].compactMap(\.self).inOrder
        let mayChange = attempt.isFresh || session.mayHideSecurity(after: frame)
        let sure: Confidence = mayChange ? .likely : .certain
        let origin = attempt.isFresh ? ", although the two sides had paired on this connection" : history(session)
        switch attempt.outcome {
        case .denied:
            let start = attempt.origin == .keyRequest ? " of frame \(attempt.first.frame)" : ""
            return .lost(
                .local, sure, frames: frames,
                text: "the captured host answered LE Long Term Key Request\(start) with a negative reply in frame "
                    + "\(frame.frame): it has no key\(origin)")
        case .rejected(_, _, let side):
            guard code == .pinOrKeyMissing else { break }
            return .lost(
                side == .central ? .local : .remote, side == .unknown ? .likely : sure, frames: frames,
                text: "\(side.name) refused LL_ENC_REQ of frame \(attempt.first.frame) in frame \(frame.frame) with "
                    + "\(code.text): it has no key\(origin)")
        default:
            if let refused = attempt.refusedLinkKey {
                guard code == .pinOrKeyMissing || code == .authenticationFailure || code == .pairingNotAllowed else {
                    break
                }
                return .lost(
                    .local, code == .pinOrKeyMissing ? sure : .likely, frames: frames,
                    text: "the captured host stated in frame \(refused.frame) that it has no link key; authentication "
                        + "failed in frame \(frame.frame) with \(code.text)")
            }
            if code == .authenticationFailure {
                return .lost(
                    .remote, .possible, frames: frames,
                    text:
                        "authentication failed in frame \(frame.frame) with \(code.text): the keys of both sides differ"
                )
            }
            guard code == .pinOrKeyMissing else { break }
            let isStartCaptured = attempt.origin == .command || attempt.provided != nil
            let start =
                attempt.origin == .command ? " that the captured host started in frame \(attempt.first.frame)" : ""
            return .lost(
                .remote, isStartCaptured ? sure : .likely, frames: frames,
                text: "encryption\(start) failed in frame \(frame.frame) with \(code.text): the other device has no "
                    + "key\(origin)")
        }
        return .neither("encryption failed in frame \(frame.frame) with \(code.text), not for a missing key")
    }

    private static func history(_ session: Session) -> String {
        guard let bonded = session.capture.earlier(than: session)?.bond.bonded else { return "" }
        return "; connection \(bonded.connection) showed a bond in frame \(bonded.frame.frame)"
    }

    /// The assessment of the cause that a side has lost its key.
    func assessment(of side: BondSide) -> Assessment {
        switch finding {
        case .lost(side, let confidence, let frames, let text): .found(confidence, frames: frames, text: text)
        case .lost(_, _, let frames, _):
            .excluded(
                "the key of the other side is missing, as frame \(frames.last?.frame ?? 0) shows")
        case .neither(let reason): .excluded(reason)
        }
    }
}
