extension CauseCatalog {
    /// Causes of what the link layer and the controllers are about.
    static let link: [any Cause.Type] = []
}
