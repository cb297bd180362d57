public import Bytes

/// A client of a plugin's devices that the program runs for a command, until it is stopped.
public struct CommandClient: Sendable {
    /// Text printed before the client starts.
    public var heading: String
    public var client: any DeviceClient
    /// The task for the client.
    public var task: Stimulus
    /// How to pair with a device that demands it; nil to pair with none.
    public var pairing: ClientPairing?
    /// Formats a note of the client at a time as a line for people; nil to print nothing.
    public var line: @Sendable (TwinNote, Timestamp) -> String?

    public init(
        heading: String, client: any DeviceClient, task: Stimulus, pairing: ClientPairing? = nil,
        line: @escaping @Sendable (TwinNote, Timestamp) -> String?
    ) {
        self.heading = heading
        self.client = client
        self.task = task
        self.pairing = pairing
        self.line = line
    }
}

/// How a client pairs with a device that refuses a request until the connection is encrypted.
public struct ClientPairing: Hashable, Sendable {
    /// The six digits that the device shows; nil to pair without its user (Just Works).
    public var passkey: UInt32?

    public init(passkey: UInt32? = nil) {
        self.passkey = passkey
    }
}
