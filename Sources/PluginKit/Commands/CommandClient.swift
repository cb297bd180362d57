public import Bytes

/// A client of a plugin's devices that the program runs for a command, until it is stopped.
public struct CommandClient: Sendable {
    /// Text printed before the client starts.
    public var heading: String
    public var client: any DeviceClient
    /// The task for the client.
    public var task: Stimulus
    /// Formats a note of the client at a time as a line for people; nil to print nothing.
    public var line: @Sendable (TwinNote, Timestamp) -> String?

    public init(
        heading: String, client: any DeviceClient, task: Stimulus,
        line: @escaping @Sendable (TwinNote, Timestamp) -> String?
    ) {
        self.heading = heading
        self.client = client
        self.task = task
        self.line = line
    }
}
