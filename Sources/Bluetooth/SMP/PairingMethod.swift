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
