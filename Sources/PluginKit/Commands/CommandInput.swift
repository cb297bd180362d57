package import Bytes
import Profile

/// All that a command knows: what its parameters say, what is in its files, and the time.
package struct CommandInput: Sendable {
    /// What a parameter was given.
    package enum Value: Sendable, Hashable {
        case flag
        case text(String)
        case number(Double)
        case content(InputContent)
    }

    /// By name of the parameter; those that were not given are missing.
    package var values: [String: Value]
    /// The files of the data folder, by name.
    package var stored: [String: KeptFile]
    /// The files of the settings folder, by name.
    package var settings: [String: KeptFile]
    package var now: Timestamp

    package init(
        values: [String: Value] = [:], stored: [String: KeptFile] = [:], settings: [String: KeptFile] = [:],
        now: Timestamp
    ) {
        self.values = values
        self.stored = stored
        self.settings = settings
        self.now = now
    }

    package func isSet(_ parameter: CommandParameter) -> Bool { values[parameter.name] != nil }

    package func text(_ parameter: CommandParameter) -> String? {
        guard case .text(let text) = values[parameter.name] else { return nil }
        return text
    }

    package func number(_ parameter: CommandParameter) -> Double? {
        guard case .number(let number) = values[parameter.name] else { return nil }
        return number
    }

    package func content(_ parameter: CommandParameter) -> InputContent? {
        guard case .content(let content) = values[parameter.name] else { return nil }
        return content
    }
}

/// What was found in a file that the user named.
package struct InputContent: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        /// The attribute values of a capture, in the order of the frames.
        case values([ObservedValue])
        /// What no capture is.
        case bytes([UInt8])
    }

    /// Path of the file, or "standard input".
    package var name: String
    package var content: Content

    package init(name: String, content: Content) {
        self.name = name
        self.content = content
    }
}

/// A file that the program keeps for its user.
package struct KeptFile: Sendable, Hashable {
    package var path: String
    /// Nil where there is no such file.
    package var bytes: [UInt8]?

    package init(path: String, bytes: [UInt8]?) {
        self.path = path
        self.bytes = bytes
    }
}
