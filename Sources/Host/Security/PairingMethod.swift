package import Bluetooth

/// Pairing capabilities and requirements of a device (Vol 3, Part H, 2.3).
package struct PairingSettings: Hashable, Sendable {
    package var ioCapability = SMP.IOCapability.noInputNoOutput
    /// Whether to create a bond.
    package var isBonding = true
    /// Whether pairing requires MITM protection.
    package var needsMITMProtection = false
    package var supportsSecureConnections = true
    /// Whether to reject LE legacy pairing.
    package var requiresSecureConnections = false
    /// Accepted encryption key sizes, 7 to 16 bytes.
    package var keySizes: ClosedRange<UInt8> = 7...16
    /// Keys that the initiator may distribute.
    package var initiatorKeys = SMP.KeyDistribution(encryption: true, identity: true)
    /// Keys that the responder may distribute.
    package var responderKeys = SMP.KeyDistribution(encryption: true, identity: true)
    /// Whether a peer may start pairing.
    package var isPairable = true

    package init() {}

    package init(
        _ ioCapability: SMP.IOCapability, needsMITMProtection: Bool = false, supportsSecureConnections: Bool = true
    ) {
        self.ioCapability = ioCapability
        self.needsMITMProtection = needsMITMProtection
        self.supportsSecureConnections = supportsSecureConnections
    }

    /// A device that displays six digits to be entered on the peer.
    package static let displayingPasskey = PairingSettings(.displayOnly, needsMITMProtection: true)
    /// A device whose user enters the six digits displayed by the peer.
    package static let typingPasskey = PairingSettings(.keyboardOnly, needsMITMProtection: true)

    /// A device with a keyboard, a display and a user; `needsMITMProtection` makes their use mandatory.
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

/// Pairing method: how two devices authenticate each other (Vol 3, Part H, 2.3.5.1).
package enum PairingMethod: Hashable, Sendable {
    case justWorks
    /// Both users compare a number; LE Secure Connections only.
    case numericComparison
    /// The user enters six digits; if `displayedBy` is nil, the same digits are entered on both devices.
    case passkey(displayedBy: Side?)

    package enum Side: Hashable, Sendable {
        case initiator, responder
    }

    /// Whether the method provides MITM protection.
    package var isAuthenticated: Bool { self != .justWorks }

    /// The method selected by both devices' features (Vol 3, Part H, 2.3.5.1, table 2.8).
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
