public import Bytes

/// A client of a plugin's devices that the program runs for a command, until it is stopped.
public struct CommandClient: Sendable {
    /// What is printed before it begins.
    public var heading: String
    public var client: any DeviceClient
    /// What it is told to do.
    public var task: Stimulus
    /// The line for people of what the client tells at a time; nil for none.
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
