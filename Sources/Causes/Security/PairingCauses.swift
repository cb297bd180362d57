import Bluetooth
import Bytes
import PluginKit

/// A side does not pair.
enum PairingNotSupported: Cause {
    static let info = CauseInfo(
        "pairing_not_supported", "One side does not pair.", explains: [.pairingFailed, .disconnected],
        evidence: """
            Certain: Pairing Failed with Pairing Not Supported (0x05), or the connection ended with Pairing Not \
            Allowed (0x18). Likely: the same although an earlier connection showed a bond of the two devices; Command \
            Not Supported (0x07) in reply to Pairing Request; Pairing With Unit Key Not Supported (0x29).
            """,
        against: "Pairing failed for another reason.",
        advice: """
            Enable pairing on the side that refused, put it in its pairing mode, or remove the requirement of security \
            from the attributes or from the Security Request of the other side.
            """,
        source: "Vol 3, Part H, 3.5.5")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard let failed = FailedPairing(failure, in: session) else { return nil }
        if let reason = failed.reason {
            let isInReplyToRequest = [.pairingRequest, .securityRequest].contains(failed.pairing.lastCode)
            if reason == .pairingNotSupported {
                let earlier = session.capture.earlier(than: session)?.bond.bonded
                let confidence = earlier == nil ? failed.confidence(dependsOnCommands: false) : .likely
                return .found(confidence, frames: failed.frames, text: text(failed))
            }
            if reason == .commandNotSupported, isInReplyToRequest {
                return .found(.likely, frames: failed.frames, text: text(failed))
            }
            return .excluded("\(failed.side.name) gave another reason, \(reason.text)")
        }
        guard let closing = session.security.closing, let reason = closing.reason else { return nil }
        switch reason {
        case .pairingNotAllowed, .unitKeyNotSupported:
            return .found(
                reason == .pairingNotAllowed && !failed.pairing.hasGap ? .certain : .likely,
                frames: (failed.frames + [closing.frame]).inOrder,
                text: "the connection ended in frame \(closing.frame.frame) during pairing, with \(reason.text)")
        default: return nil
        }
    }

    private static func text(_ failed: FailedPairing) -> String {
        let code = failed.pairing.lastCode
        guard code == .pairingRequest || code == .securityRequest else { return failed.ending }
        return "\(failed.ending), in reply to \(code.name ?? "a command") of frame \(failed.pairing.last.frame)"
    }
}

/// The features of both sides select no method that both accept.
enum PairingMethodMismatch: Cause {
    static let info = CauseInfo(
        "pairing_method_mismatch", "The two sides agree on no pairing method that both accept.",
        explains: [.pairingFailed, .disconnected],
        evidence: """
            Certain: Pairing Failed with Authentication Requirements (0x03) or OOB Not Available (0x02). Likely: a \
            side sent a command of LE Secure Connections although the features select LE legacy pairing, or the \
            reverse. Possible: a side requires MITM protection that the IO capabilities do not give, and the pairing \
            failed for a reason that names nothing.
            """,
        against: "The features select a method that gives both sides what they require.",
        advice: """
            Give both sides IO capabilities that allow Passkey Entry or Numeric Comparison, provide the OOB data, or \
            lower the authentication requirements of the side that refused. Both must also agree on LE Secure \
            Connections.
            """,
        source: "Vol 3, Part H, 2.3.5.1")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard let failed = FailedPairing(failure, in: session) else { return nil }
        if failed.reason == .authenticationRequirements || failed.reason == .oobNotAvailable {
            return .found(
                failed.confidence(dependsOnCommands: false), frames: failed.frames,
                text: failed.ending + details(failed))
        }
        if let stray = failed.pairing.strayCommand {
            return .found(
                .likely, frames: (failed.frames + [stray.frame]).inOrder,
                text: "\(stray.side.name) sent \(stray.code.name ?? "a command") in frame \(stray.frame.frame), which "
                    + "does not belong to the pairing that the features select; \(failed.ending)")
        }
        if failed.pairing.unmetRequirement != nil, failed.reason.map({ $0 == .unspecifiedReason }) ?? true {
            return .found(.possible, frames: failed.frames, text: failed.ending + details(failed))
        }
        guard failed.isMethodKnown else { return nil }
        return .excluded("the features select \(failed.methodText), and no side refused it")
    }

    private static func details(_ failed: FailedPairing) -> String {
        guard let features = failed.featuresText else {
            guard let request = failed.pairing.initiator.featuresFrame else { return "" }
            return ", after the Pairing Request of frame \(request.frame)"
        }
        let method = "; \(features) select \(failed.methodText)"
        guard let side = failed.pairing.unmetRequirement else { return method }
        return method + ", which does not give the MITM protection that \(side.name) requires"
    }
}

/// The key would be shorter than a side accepts.
enum KeySizeTooSmall: Cause {
    static let info = CauseInfo(
        "key_size_too_small", "The encryption key is shorter than one side accepts.",
        explains: [.pairingFailed, .disconnected, .procedureFailed, .subscriptionFailed, .discoveryFailed],
        evidence: """
            Certain: Pairing Failed with Encryption Key Size (0x06), or a request that was refused with Encryption Key \
            Size Too Short (0x0C) and never succeeded. Likely: the same, where a part of the connection is missing; \
            Invalid Parameters (0x0A) after features with a Maximum Encryption Key Size outside of 7 to 16.
            """,
        against: "Both sides offer keys of 16 bytes.",
        advice: "Offer a Maximum Encryption Key Size of 16 bytes on both sides, remove the old bond and pair again.",
        source: "Vol 3, Part H, 2.3.4")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        if case .error(.encryptionKeySizeTooShort, _, _) = failure.detail {
            return RefusedRequest(failure, in: session).assessment
        }
        guard let failed = FailedPairing(failure, in: session) else { return nil }
        let offers = [
            size(failed.pairing.initiator, failed.pairing.initiatorSide),
            size(failed.pairing.responder, failed.pairing.initiatorSide.other),
        ].compactMap(\.self)
        let text = ([failed.ending] + offers.map(\.text)).joined(separator: "; ")
        switch failed.reason {
        case .encryptionKeySize?:
            return .found(failed.confidence(dependsOnCommands: false), frames: failed.frames, text: text)
        case .invalidParameters? where offers.contains { !(7...16).contains($0.size) }:
            return .found(.likely, frames: failed.frames, text: text)
        default:
            guard offers.count == 2, offers.contains(where: { $0.size != 16 }) else { return nil }
            return .excluded("no side refused the key size of \(offers.map(\.size).min() ?? 16) bytes")
        }
    }

    private static func size(_ part: PairingAttempt.Part, _ side: SecuritySide) -> (size: UInt8, text: String)? {
        guard let features = part.features, let frame = part.featuresFrame else { return nil }
        let size = features.maximumKeySize
        return (size, "\(side.name) offers up to \(size) bytes in frame \(frame.frame)")
    }
}

/// The pairing stood still until the Security Manager timeout.
enum PairingTimeout: Cause {
    static let info = CauseInfo(
        "pairing_timeout", "No pairing command came for 30 seconds.", explains: [.pairingFailed, .disconnected],
        evidence: """
            Certain: the pairing began, no command followed the last one for 30 s while the connection was open and \
            nothing of the pairing is missing. Likely: the same, where a part of the pairing is missing, where a \
            command does not belong to the method, or if Pairing Failed came after 30 s without a command.
            """,
        against: "Commands followed each other within 30 s, or a side ended the pairing before.",
        advice: """
            Find out what the silent side was waiting for: a confirmation or a passkey of its user, or a callback of \
            the application. After the timeout a new connection is needed to pair again.
            """,
        source: "Vol 3, Part H, 3.4")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard let failed = FailedPairing(failure, in: session), !failed.pairing.isOnlyRequested else { return nil }
        let pairing = failed.pairing
        if failed.reason != nil {
            let (frame, span) = pairing.silence
            guard span >= SecurityHistory.timeout else {
                return .excluded(
                    "\(failed.side.name) ended the pairing; there was no silence of 30 s, the longest was "
                        + span.seconds.secondsText)
            }
            return .found(
                .likely, frames: ([frame] + failed.frames).inOrder,
                text: "no pairing command came for \(span.seconds.secondsText) after frame \(frame.frame), "
                    + "then \(failed.ending)")
        }
        let atEnd = session.security.end - pairing.last.time as TimeSpan
        let (frame, span) = atEnd >= pairing.silence.span ? (pairing.last, atEnd) : pairing.silence
        guard failure.detail.isSilent else {
            return .excluded("the connection ended \(span.seconds.secondsText) after the last pairing command")
        }
        let isLast = frame == pairing.last
        let isSure = isLast && !pairing.hasGap && pairing.isBeginningCaptured && pairing.strayCommand == nil
        let command = isLast ? "\(pairing.lastCode.name ?? "a command") of \(pairing.lastSide.name) in " : ""
        return .found(
            isSure ? .certain : .likely, frames: ([frame] + failed.frames).inOrder,
            text: "no pairing command came for \(span.seconds.secondsText) after \(command)frame \(frame.frame)")
    }
}

extension Failure.Detail {
    /// Whether the failing procedure stated nothing.
    fileprivate var isSilent: Bool { if case .none = self { true } else { false } }
}
