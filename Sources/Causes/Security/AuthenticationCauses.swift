import Bluetooth
import PluginKit

/// The two sides used different passkeys.
enum PasskeyWrong: Cause {
    static let info = CauseInfo(
        "passkey_wrong", "The passkeys of the two sides differ.", explains: [.pairingFailed, .disconnected],
        evidence: """
            Certain: the features select Passkey Entry and a side ended the pairing with Confirm Value Failed (0x04) \
            once it had received what it checks; in LE Secure Connections the confirm value fits the other values that \
            were captured. Likely: the same, where a part of the pairing is missing; Passkey Entry Failed (0x01), as \
            no passkey was entered. Possible: Confirm Value Failed where the features were not captured, or where the \
            confirm value fits neither value of the passkey's bit.
            """,
        against: "The features select another method.",
        advice: """
            Enter the six digits that the other device displays, with leading zeros. If the device has a fixed \
            passkey, compare the passkeys of both sides; an application that provides it must not change its byte \
            order.
            """,
        source: "Vol 3, Part H, 2.3.5.3 and 2.3.5.6.3")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard let failed = FailedPairing(failure, in: session), let reason = failed.reason else { return nil }
        guard reason == .confirmValueFailed || reason == .passkeyEntryFailed else { return nil }
        guard failed.isPasskey || !failed.isMethodKnown else {
            return .excluded("the features select \(failed.methodText): no passkey is in play")
        }
        if reason == .passkeyEntryFailed {
            return .found(
                .likely, frames: failed.frames, text: "\(failed.ending): no passkey was entered, or it was cancelled")
        }
        guard failed.isPasskey else {
            let hasRounds = max(failed.pairing.initiator.confirms, failed.pairing.responder.confirms) > 1
            return .found(
                hasRounds ? .likely : .possible, frames: failed.frames,
                text: failed.ending + (hasRounds ? ", after several rounds of Passkey Entry" : ""))
        }
        switch failed.pairing.confirmCheck(refusedBy: failed.side) {
        case .differs:
            return .found(
                .possible, frames: failed.frames,
                text:
                    "\(failed.ending), in Passkey Entry, but the confirm value fits neither value of the passkey's bit")
        case .fits(let bit):
            return found(failed, failed.confidence(dependsOnCommands: true), " uses \(bit) for it")
        case .unknown:
            let isChecked = failed.isAfterCheck && failed.pairing.isSecureConnections == false
            if isChecked { return found(failed, failed.confidence(dependsOnCommands: true)) }
            return found(failed, failed.isAfterCheck ? .likely : .possible)
        }
    }

    private static func found(_ failed: FailedPairing, _ confidence: Confidence, _ bit: String? = nil) -> Assessment {
        var text = "\(failed.ending), in Passkey Entry"
        if let round = failed.pairing.round {
            text += ": the passkeys differ in round \(round) of 20, in bit \(round - 1)"
            if let bit { text += "; \(failed.side.other.name)\(bit)" }
        }
        return .found(confidence, frames: failed.frames, text: text)
    }
}

/// A confirm value does not fit the random value that it committed to.
enum ConfirmMismatch: Cause {
    static let info = CauseInfo(
        "confirm_mismatch", "A confirm value does not match its random value.",
        explains: [.pairingFailed, .disconnected],
        evidence: """
            Certain: Confirm Value Failed (0x04) after the random value that discloses the confirm value, where the \
            features select no passkey; in LE Secure Connections the values that were captured do not match. Likely: a \
            part of the pairing is missing, or the confirm value of Passkey Entry fits neither value of the passkey's \
            bit. Possible: the side had nothing to check yet, or the values match, so that its host or its user gave \
            up for another reason.
            """,
        against: "A passkey is in play, or the values that were captured match.",
        advice: """
            Compare how both sides compute the confirm value: the byte order, the addresses and their types, the bytes \
            of Pairing Request and Response, the coordinates of the public keys. Someone between the devices also \
            causes this.
            """,
        source: "Vol 3, Part H, 2.2.3 and 2.2.6")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard let failed = FailedPairing(failure, in: session), failed.reason == .confirmValueFailed else { return nil }
        let check = failed.pairing.confirmCheck(refusedBy: failed.side)
        if failed.isPasskey, check != .differs { return .excluded("the features select Passkey Entry") }
        switch check {
        case .differs:
            // With a passkey in play, the side may have used something else for its bit.
            return found(
                failed, failed.isPasskey ? .likely : failed.confidence(dependsOnCommands: true),
                ": the confirm value of \(failed.side.other.name) does not match its random value")
        case .fits:
            if failed.pairing.method == .numericComparison {
                return .excluded("the confirm value matches its random value")
            }
            return found(failed, .possible, ", although the confirm value matches its random value")
        case .unknown:
            guard failed.isMethodKnown else { return found(failed, .possible, "; the features were not captured") }
            guard failed.isAfterCheck else { return found(failed, .possible, " before it could check a confirm value") }
            let isLegacy = failed.pairing.isSecureConnections == false
            return found(
                failed, isLegacy ? failed.confidence(dependsOnCommands: true) : .likely, " in \(failed.methodText)")
        }
    }

    private static func found(_ failed: FailedPairing, _ confidence: Confidence, _ rest: String) -> Assessment {
        .found(confidence, frames: failed.frames, text: failed.ending + rest)
    }
}

/// The two sides computed different keys.
enum DHKeyMismatch: Cause {
    static let info = CauseInfo(
        "dhkey_mismatch", "The DHKey checks of the two sides do not match.", explains: [.pairingFailed, .disconnected],
        evidence:
            "Certain: Pairing Failed with DHKey Check Failed (0x0B). Likely: later traffic may hide another pairing.",
        against: "Pairing failed for another reason, or before the public keys were exchanged.",
        advice: """
            Compare the inputs of f5 and f6 on both sides: the DHKey and its byte order, the addresses and their \
            types, the IO capabilities as they were sent, the random values and the passkey. Check that the private \
            key belongs to the public key that was sent, and that the public key is a point on the curve P-256.
            """,
        source: "Vol 3, Part H, 2.3.5.6.5")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard let failed = FailedPairing(failure, in: session), let reason = failed.reason else { return nil }
        guard reason == .dhKeyCheckFailed else {
            guard failed.pairing.initiator.checks + failed.pairing.responder.checks > 0 else { return nil }
            return .excluded("\(failed.side.name) gave another reason, \(reason.text)")
        }
        let checks = failed.pairing.initiator.checks + failed.pairing.responder.checks
        let rest = checks == 0 ? ", before a DHKey check was sent: it refused the public key" : ""
        return .found(failed.confidence(dependsOnCommands: false), frames: failed.frames, text: failed.ending + rest)
    }
}

/// A user stated that the numbers differ.
enum NumericComparisonRejected: Cause {
    static let info = CauseInfo(
        "numeric_comparison_rejected", "A user did not confirm the numbers that both sides display.",
        explains: [.pairingFailed, .disconnected],
        evidence: """
            Certain: Pairing Failed with Numeric Comparison Failed (0x0C). Likely: Confirm Value Failed (0x04) in \
            Numeric Comparison by a side that has no confirm value to check, or although the confirm value matches. \
            Possible: another reason without a meaning of its own in Numeric Comparison, once the numbers can be \
            displayed.
            """,
        against: "The features select another method, or the confirm value does not match.",
        advice: """
            If the numbers were equal, confirm them on both devices in time. If they differed, someone is between the \
            devices, or one side computes g2 from other values.
            """,
        source: "Vol 3, Part H, 2.3.5.6.2")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard let failed = FailedPairing(failure, in: session), let reason = failed.reason else { return nil }
        if reason == .numericComparisonFailed {
            return .found(failed.confidence(dependsOnCommands: false), frames: failed.frames, text: failed.ending)
        }
        guard failed.pairing.method == .numericComparison else { return nil }
        let pairing = failed.pairing
        guard pairing.initiator.randoms > 0, pairing.responder.randoms > 0 else {
            return .excluded("the pairing ended before the numbers could be displayed")
        }
        let text = "\(failed.ending), once both sides could display the number"
        switch reason {
        case .confirmValueFailed:
            switch pairing.confirmCheck(refusedBy: failed.side) {
            case .differs: return .excluded("the confirm value does not match its random value")
            case .fits: return .found(.likely, frames: failed.frames, text: "\(text); the confirm value matches")
            case .unknown:
                let isResponder = failed.side == pairing.initiatorSide.other && failed.side != .unknown
                return .found(isResponder ? .likely : .possible, frames: failed.frames, text: text)
            }
        case .unspecifiedReason, .passkeyEntryFailed: return .found(.possible, frames: failed.frames, text: text)
        default: return .excluded("\(failed.side.name) gave another reason, \(reason.text)")
        }
    }
}
