import Bluetooth
import Conversation
import PluginKit

/// The pairing of a failure, with the questions that its causes ask.
struct FailedPairing {
    let pairing: PairingAttempt
    /// The reason of Pairing Failed; nil if the pairing just did not go on.
    let reason: SMP.FailureReason?
    /// The side that gave it up.
    let side: SecuritySide
    /// The frame that shows the failure.
    let frame: FrameReference
    let session: Session

    /// Nil if the failure is not one of a pairing: of a disconnection, only if its reason is about security.
    init?(_ failure: Failure, in session: Session) {
        let pairings = session.security.pairings
        switch (failure.kind, failure.detail) {
        case (.pairingFailed, _):
            guard let found = pairings.last(where: { $0.first == failure.frames[0] }) else { return nil }
            pairing = found
        case (.disconnected, .reason(let code?)) where code.isAboutSecurity:
            guard let found = pairings.last else { return nil }
            pairing = found
        default: return nil
        }
        switch pairing.outcome {
        case .failed(let reason, let frame, let side):
            (self.reason, self.side, self.frame) = (reason, side, frame)
        case .open: (reason, side, frame) = (nil, .unknown, failure.frames[failure.frames.count - 1])
        case .encrypted, .replaced: return nil
        }
        self.session = session
    }

    /// The confidence of a cause that the reason names, or of one that also depends on the commands before.
    func confidence(dependsOnCommands: Bool) -> Confidence {
        if session.mayHideSecurity(after: frame) { return .likely }
        return dependsOnCommands && (pairing.hasGap || !pairing.isBeginningCaptured) ? .likely : .certain
    }

    /// The frames of the evidence.
    var frames: [FrameReference] { ([pairing.first] + pairing.features + [pairing.last, frame]).inOrder }

    /// How the pairing ended: `the peripheral ended the pairing in frame 12 with Pairing Failed, Busy (0x10)`.
    var ending: String {
        guard let reason else { return "the pairing was not completed" }
        return "\(side.name) ended the pairing in frame \(frame.frame) with Pairing Failed, \(reason.text)"
    }

    /// The IO capabilities and requirements of both sides: `the central (Display Only, MITM protection, frame 3) and …`.
    var featuresText: String? {
        guard let one = pairing.initiator.features, let other = pairing.responder.features else { return nil }
        return "\(Self.text(one, pairing.initiatorSide, pairing.initiator.featuresFrame)) and "
            + Self.text(other, pairing.initiatorSide.other, pairing.responder.featuresFrame)
    }

    private static func text(_ features: SMP.PairingFeatures, _ side: SecuritySide, _ frame: FrameReference?) -> String
    {
        let capability = features.ioCapability.name ?? "IO capability \(features.ioCapability.rawValue)"
        let requirements = features.requirements
        let words = [
            capability, requirements.needsMITMProtection ? "MITM protection" : nil,
            requirements.isSecureConnections ? "Secure Connections" : nil,
            features.oobDataFlag == 1 ? "OOB data" : nil, frame.map { "frame \($0.frame)" },
        ]
        return "\(side.name) (\(words.compactMap(\.self).joined(separator: ", ")))"
    }

    /// The method in words.
    var methodText: String {
        if pairing.isOutOfBand { return "Out of Band" }
        return switch pairing.method {
        case .justWorks?: "Just Works"
        case .numericComparison?: "Numeric Comparison"
        case .passkey?: "Passkey Entry"
        case nil: "an unknown method"
        }
    }

    var isPasskey: Bool { if case .passkey? = pairing.method { true } else { false } }

    /// Whether the features were captured, so that the method is known.
    var isMethodKnown: Bool { pairing.method != nil || pairing.isOutOfBand }

    /// Whether the refusing side had received a random value, with which it checks the confirm value before.
    var isAfterCheck: Bool {
        let other = side == pairing.initiatorSide ? pairing.responder : pairing.initiator
        return other.randoms > 0 && other.confirms > 0
    }
}

extension Session {
    /// Whether what was not captured after a frame may contain a pairing or a start of encryption.
    func mayHideSecurity(after frame: FrameReference) -> Bool {
        guard connection.lastGap > frame.frame else { return false }
        let reasons = Set(connection.gaps.keys)
        return !reasons.isDisjoint(with: [.encrypted, .undecidedEncryption, .droppedPackets])
    }
}
