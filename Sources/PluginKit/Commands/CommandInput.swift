public import Bytes
import Profile

/// All that a command knows: what its parameters say, what is in its files, and the time.
public struct CommandInput: Sendable {
    /// What a parameter was given.
    public enum Value: Sendable, Hashable {
        case flag
        case text(String)
        case number(Double)
        case content(InputContent)
    }

    /// By name of the parameter; those that were not given are missing.
    public var values: [String: Value]
    /// The files of the data folder, by name.
    public var stored: [String: KeptFile]
    /// The files of the settings folder, by name.
    public var settings: [String: KeptFile]
    public var now: Timestamp

    public init(
        values: [String: Value] = [:], stored: [String: KeptFile] = [:], settings: [String: KeptFile] = [:],
        now: Timestamp
    ) {
        self.values = values
        self.stored = stored
        self.settings = settings
        self.now = now
    }

    public func isSet(_ parameter: CommandParameter) -> Bool { values[parameter.name] != nil }

    public func text(_ parameter: CommandParameter) -> String? {
        guard case .text(let text) = values[parameter.name] else { return nil }
        return text
    }

    public func number(_ parameter: CommandParameter) -> Double? {
        guard case .number(let number) = values[parameter.name] else { return nil }
        return number
    }

    public func content(_ parameter: CommandParameter) -> InputContent? {
        guard case .content(let content) = values[parameter.name] else { return nil }
        return content
    }
}

/// What was found in a file that the user named.
public struct InputContent: Sendable, Hashable {
    public enum Content: Sendable, Hashable {
        /// The attribute values of a capture, in the order of the frames.
        case values([ObservedValue])
        /// What no capture is.
        case bytes([UInt8])
    }

    /// Path of the file, or "standard input".
    public var name: String
    public var content: Content

    public init(name: String, content: Content) {
        self.name = name
        self.content = content
    }
}

/// A file that the program keeps for its user.
public struct KeptFile: Sendable, Hashable {
    public var path: String
    /// Nil where there is no such file.
    public var bytes: [UInt8]?

    public init(path: String, bytes: [UInt8]?) {
        self.path = path
        self.bytes = bytes
    }
}
