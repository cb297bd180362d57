public import Bytes
public import Profile

/// All that a command knows: what its parameters say, what is in its files, and the time.
public struct CommandInput: Sendable {
    /// What a parameter was given.
    public enum Value: Sendable, Hashable {
        case flag
        case text(String)
        case number(Double)
        case content(InputContent)
        case zone(TimeZoneTable)
    }

    /// By name of the parameter; those that were not given are missing.
    public var values: [String: Value]
    /// The files of the settings folder, by name.
    public var settings: [String: KeptFile]
    /// Rows of the store's tables, by table; each has `id`, and `device` and `device_name` of its device.
    public var rows: [String: [Record]] = [:]
    /// Hands over the rows of a query of the store one after the other, the columns of each as integers; nil for a command that
    /// does not use the store.
    public var forEachRow: StoredRows?
    /// The zone of the user's clock.
    public var localZone = TimeZoneTable.utc
    /// Finds the zone of a name that is stored; nil for no such zone.
    public var findZone: (@Sendable (String) -> TimeZoneTable?)?
    public var now: Timestamp

    public init(
        values: [String: Value] = [:], settings: [String: KeptFile] = [:], now: Timestamp
    ) {
        self.values = values
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

    /// The zone that a parameter names; the user's own where it was not given.
    public func zone(_ parameter: CommandParameter) -> TimeZoneTable {
        guard case .zone(let zone) = values[parameter.name] else { return localZone }
        return zone
    }

    public func content(_ parameter: CommandParameter) -> InputContent? {
        guard case .content(let content) = values[parameter.name] else { return nil }
        return content
    }
}

/// Runs a query, and gives each of its rows to a function.
public typealias StoredRows = @Sendable (StoredQuery, _ body: ([Int64]) -> Void) throws(CommandError) -> Void

/// A query of the store whose columns are integers; NULL is 0.
public struct StoredQuery: Hashable, Sendable {
    /// One SELECT.
    public var sql: String
    /// The values of its parameters, in their order.
    public var arguments: [Int64]

    public init(_ sql: String, _ arguments: [Int64] = []) {
        self.sql = sql
        self.arguments = arguments
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
