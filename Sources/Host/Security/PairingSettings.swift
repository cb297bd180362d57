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
