extension CauseCatalog {
    /// Causes of failures of pairing and encryption.
    static let security: [any Cause.Type] = []
}
