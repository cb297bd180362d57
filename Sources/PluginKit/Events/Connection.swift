/// The state of a connection at an event.
public struct Connection: Hashable, Sendable {
    /// From 1; 0 for events without a connection, such as advertisements.
    public var number = 0
    /// Whether the beginning of the connection was captured.
    public var isBeginningCaptured = true
    /// Whether nothing after the beginning is known to be missing.
    public var isGapless = true
    public var isEncrypted = false
    /// Whether a host has started encryption and no event has confirmed it yet.
    public var isStartingEncryption = false
    /// ATT_MTU of the bearer of the event, in bytes.
    public var mtu = 23
    /// Whether both sides have stated their MTU.
    public var isMTUExchanged = false

    public init(number: Int = 0) {
        self.number = number
    }

    /// Whether the PDU may have been sent encrypted: on USB, events and data have separate endpoints, and either may arrive
    /// first (Vol 4, Part B, 2.1).
    public var mayBeEncrypted: Bool { isEncrypted || isStartingEncryption }

    /// Whether an event that was not captured did not occur: nothing of the connection is missing.
    public var isComplete: Bool { isBeginningCaptured && isGapless }
}
