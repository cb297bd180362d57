import Bluetooth
import Bytes
import Output
import PluginKit

/// Makes outlines of the pairings of a connection: features, method, distributed keys and result, never the keys
/// themselves (Vol 3, Part H, 2.3).
struct PairingRecorder {
    private var current: Progress?
    private var done: PairingOutline?
    /// Whether the peripheral has requested security, and no pairing has begun since.
    private var isSecurityRequested = false

    private struct Progress {
        var frames: ClosedRange<Int>
        let start: Timestamp
        var end: Timestamp
        let isSecurityRequested: Bool
        var initiator: SMP.PairingFeatures?
        var responder: SMP.PairingFeatures?
        /// Keys in the order of distribution, by whether the initiator has sent them.
        var keys: [Bool: [String]] = [:]
        var failure: String?
        var isEncrypted = false
    }

    /// Handles a command of the Security Manager.
    mutating func record(_ opcode: SMP.Opcode, _ event: Event) {
        if opcode == .securityRequest {
            isSecurityRequested = true
            return
        }
        if opcode == .pairingRequest {
            finish()
            current = Progress(
                frames: event.moment.frame...event.moment.frame, start: event.moment.time, end: event.moment.time,
                isSecurityRequested: isSecurityRequested)
            isSecurityRequested = false
            current?.initiator = event.smp(SMP.PairingRequest.self)?.features
            return
        }
        guard var pairing = current else { return }
        pairing.frames = pairing.frames.lowerBound...max(pairing.frames.lowerBound, event.moment.frame)
        pairing.end = event.moment.time
        if opcode == .pairingResponse {
            pairing.responder = event.smp(SMP.PairingResponse.self)?.features
        } else if opcode == .pairingFailed {
            let reason = event.smp(SMP.PairingFailed.self)?.reason
            pairing.failure = Self.failure(reason, by: event.moment.sender)
        } else if let key = Self.key(in: opcode) {
            let isInitiator = event.isFromCentral ?? false
            if pairing.keys[isInitiator, default: []].count < 8 { pairing.keys[isInitiator, default: []].append(key) }
        }
        current = pairing
        if pairing.failure != nil { finish() }
    }

    /// Records that the connection is encrypted.
    mutating func noteEncryption() { current?.isEncrypted = true }

    /// Ends the pairing, if there is one.
    mutating func finish() {
        guard let pairing = current else { return }
        current = nil
        done = Self.outline(of: pairing)
    }

    /// The pairing that has ended since the last call.
    mutating func takeDone() -> PairingOutline? {
        defer { done = nil }
        return done
    }

    private static func failure(_ reason: SMP.FailureReason?, by sender: FrameReference.Sender) -> String {
        let name = reason.map { $0.name ?? "reason 0x\(String(hex: $0.rawValue, digits: 2))" } ?? "no reason"
        return "failed: \(name)" + (sender == .unknown ? "" : ", by the \(sender)")
    }

    /// The kind of key that a command distributes (Vol 3, Part H, 3.6.1).
    private static func key(in opcode: SMP.Opcode) -> String? {
        switch opcode {
        case .encryptionInformation: "LTK"
        case .identityInformation: "IRK"
        case .signingInformation: "CSRK"
        default: nil
        }
    }
}

// MARK: - Fields

extension PairingRecorder {
    private static func outline(of pairing: Progress) -> PairingOutline {
        var fields: [OutlinedField] = []
        if pairing.isSecurityRequested { fields.append(OutlinedField("security request", "yes")) }
        if let initiator = pairing.initiator, let responder = pairing.responder {
            fields.append(OutlinedField("method", method(initiator, responder)))
            fields.append(
                OutlinedField("encryption key size", "\(min(initiator.maximumKeySize, responder.maximumKeySize))"))
        }
        for (side, features) in [("initiator", pairing.initiator), ("responder", pairing.responder)] {
            guard let features else { continue }
            let capability = features.ioCapability
            fields += [
                OutlinedField(
                    "\(side) IO capability", capability.name ?? "0x\(String(hex: capability.rawValue, digits: 2))"),
                OutlinedField("\(side) OOB data flag", "\(features.oobDataFlag)"),
                OutlinedField("\(side) AuthReq", words(features.requirements)),
                OutlinedField("\(side) maximum encryption key size", "\(features.maximumKeySize)"),
                OutlinedField("\(side)'s initiator key distribution", words(features.initiatorKeys)),
                OutlinedField("\(side)'s responder key distribution", words(features.responderKeys)),
            ]
        }
        for (side, isInitiator) in [("initiator", true), ("responder", false)] {
            guard let keys = pairing.keys[isInitiator] else { continue }
            fields.append(OutlinedField("keys of the \(side)", keys.joined(separator: ", ")))
        }
        let result = pairing.failure ?? (pairing.isEncrypted ? "completed" : "not completed")
        fields.append(OutlinedField("result", result))
        return PairingOutline(
            frames: pairing.frames, fields: fields,
            duration: result == "completed" ? pairing.end - pairing.start : nil)
    }

    /// The method that the features of both sides select (Vol 3, Part H, 2.3.5.1).
    private static func method(_ initiator: SMP.PairingFeatures, _ responder: SMP.PairingFeatures) -> String {
        let isSecure = initiator.requirements.isSecureConnections && responder.requirements.isSecureConnections
        let kind = isSecure ? "LE Secure Connections" : "LE legacy"
        let (one, other) = (initiator.oobDataFlag == 1, responder.oobDataFlag == 1)
        if isSecure ? one || other : one && other { return "\(kind), Out of Band" }
        let method =
            switch PairingMethod(initiator: initiator, responder: responder, isSecureConnections: isSecure) {
            case .justWorks: "Just Works"
            case .numericComparison: "Numeric Comparison"
            case .passkey(displayedBy: .initiator?): "Passkey Entry, displayed by the initiator"
            case .passkey(displayedBy: .responder?): "Passkey Entry, displayed by the responder"
            case .passkey(displayedBy: nil): "Passkey Entry, entered on both"
            }
        return "\(kind), \(method)"
    }

    private static func words(_ requirements: SMP.AuthenticationRequirements) -> String {
        list([
            ("Bonding", requirements.isBonding), ("MITM", requirements.needsMITMProtection),
            ("SC", requirements.isSecureConnections), ("Keypress", requirements.sendsKeypresses),
            ("CT2", requirements.supportsCT2),
        ])
    }

    private static func words(_ keys: SMP.KeyDistribution) -> String {
        list([
            ("EncKey", keys.encryption), ("IdKey", keys.identity), ("SignKey", keys.signing), ("LinkKey", keys.link),
        ])
    }

    private static func list(_ bits: [(name: String, isSet: Bool)]) -> String {
        let names = bits.filter(\.isSet).map(\.name)
        return names.isEmpty ? "none" : names.joined(separator: ", ")
    }
}
