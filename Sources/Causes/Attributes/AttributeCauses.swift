extension CauseCatalog {
    /// Causes of failures of ATT, GATT and of the channels below.
    static let attributes: [any Cause.Type] = [
        CCCDNeverWritten.self, CCCDWrongHandle.self, SubscriptionLost.self, StaleHandles.self,
        ServiceChangedIgnored.self, MTUTooSmall.self, NotificationTruncated.self, RequestTimeout.self,
        RequestsOverlapped.self, PrepareQueueFull.self, AttributeNotFound.self, WriteNotPermitted.self,
        ValueRejected.self, ApplicationError.self,
    ]
}
