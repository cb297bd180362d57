extension CauseCatalog {
    /// Causes of failures of ATT, GATT and of the channels below.
    static let attributes: [any Cause.Type] = [
        PrepareQueueFull.self, WriteNotPermitted.self, ValueRejected.self, ApplicationError.self,
        AttributeNotFound.self, RequestsOverlapped.self, RequestTimeout.self,
    ]
}
