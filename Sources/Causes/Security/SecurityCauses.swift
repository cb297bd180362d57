extension CauseCatalog {
    /// Causes of failures of pairing and encryption. Of two that are equally confident, the first is named.
    static let security: [any Cause.Type] = [
        BondMissingLocal.self, BondMissingRemote.self, PairingNotSupported.self, PairingMethodMismatch.self,
        PasskeyWrong.self, NumericComparisonRejected.self, ConfirmMismatch.self, DHKeyMismatch.self,
        KeySizeTooSmall.self, PairingTimeout.self, InsufficientAuthentication.self, InsufficientAuthorization.self,
        InsufficientEncryption.self,
    ]
}
