package import Bluetooth

/// What a device can do in pairing and what it wants of it (Vol 3, Part H, 2.3).
package struct PairingSettings: Hashable, Sendable {
    package var ioCapability = SMP.IOCapability.noInputNoOutput
    /// Whether keys are kept.
    package var isBonding = true
    /// Whether pairing has to be protected against a man in the middle.
    package var needsMITMProtection = false
    package var supportsSecureConnections = true
    /// Whether LE legacy pairing is refused.
    package var requiresSecureConnections = false
    /// Bytes of an encryption key, 7 to 16.
    package var keySizes: ClosedRange<UInt8> = 7...16
    /// What a central hands out at most.
    package var initiatorKeys = SMP.KeyDistribution(encryption: true, identity: true)
    /// What a peripheral hands out at most.
    package var responderKeys = SMP.KeyDistribution(encryption: true, identity: true)
    /// Whether a peer may begin pairing.
    package var isPairable = true

    package init() {}

    package init(
        _ ioCapability: SMP.IOCapability, needsMITMProtection: Bool = false, supportsSecureConnections: Bool = true
    ) {
        self.ioCapability = ioCapability
        self.needsMITMProtection = needsMITMProtection
        self.supportsSecureConnections = supportsSecureConnections
    }

    /// A device that shows six digits, which the user of the other one types.
    package static let displayingPasskey = PairingSettings(.displayOnly, needsMITMProtection: true)
    /// A device whose user types the six digits of the other one.
    package static let typingPasskey = PairingSettings(.keyboardOnly, needsMITMProtection: true)

    /// A device with a keyboard and a display, and somebody there; `needsMITMProtection` makes use of them a condition.
    package static func attended(needsMITMProtection: Bool) -> PairingSettings {
        PairingSettings(.keyboardDisplay, needsMITMProtection: needsMITMProtection)
    }

    var requirements: SMP.AuthenticationRequirements {
        SMP.AuthenticationRequirements(
            isBonding: isBonding, needsMITMProtection: needsMITMProtection,
            isSecureConnections: supportsSecureConnections)
    }

    var features: SMP.PairingFeatures {
        SMP.PairingFeatures(
            ioCapability: ioCapability, requirements: requirements, maximumKeySize: keySizes.upperBound,
            initiatorKeys: isBonding ? initiatorKeys : SMP.KeyDistribution(),
            responderKeys: isBonding ? responderKeys : SMP.KeyDistribution())
    }
}

/// How two devices make sure of each other (Vol 3, Part H, 2.3.5.1).
package enum PairingMethod: Hashable, Sendable {
    case justWorks
    /// Both users compare a number; LE Secure Connections only.
    case numericComparison
    /// Users type six digits; `nil` displays: both users type the same.
    case passkey(displayedBy: Side?)

    package enum Side: Hashable, Sendable {
        case initiator, responder
    }

    /// Whether it protects against a man in the middle.
    package var isAuthenticated: Bool { self != .justWorks }

    /// The method that both sides' features lead to (Vol 3, Part H, 2.3.5.1, table 2.8).
    package init(
        initiator: SMP.PairingFeatures, responder: SMP.PairingFeatures, isSecureConnections: Bool
    ) {
        self = .justWorks
        guard initiator.requirements.needsMITMProtection || responder.requirements.needsMITMProtection else { return }
        let (one, other) = (initiator.ioCapability, responder.ioCapability)
        if isSecureConnections, one.canCompare, other.canCompare {
            self = .numericComparison
        } else if one.hasKeyboard, other == .displayOnly || other == .displayYesNo {
            self = .passkey(displayedBy: .responder)
        } else if other.hasKeyboard, one.hasDisplay {
            self = .passkey(displayedBy: .initiator)
        } else if one.hasKeyboard, other == .keyboardDisplay {
            self = .passkey(displayedBy: .responder)
        } else if one.hasKeyboard, other.hasKeyboard {
            self = .passkey(displayedBy: nil)
        }
    }
}

extension SMP.IOCapability {
    fileprivate var hasDisplay: Bool { [.displayOnly, .displayYesNo, .keyboardDisplay].contains(self) }
    fileprivate var hasKeyboard: Bool { [.keyboardOnly, .keyboardDisplay].contains(self) }
    fileprivate var canCompare: Bool { [.displayYesNo, .keyboardDisplay].contains(self) }
}
