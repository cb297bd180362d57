public import Bytes
public import Profile

/// The input of a command: its parameters, the contents of files, and the time.
public struct CommandInput: Sendable {
    /// Value of a parameter.
    public enum Value: Sendable, Hashable {
        case flag
        case text(String)
        case number(Double)
        case content(InputContent)
        case zone(TimeZoneTable)
    }

    /// Values by parameter name; parameters that were not given are missing.
    public var values: [String: Value]
    /// Files of the settings folder, by name.
    public var settings: [String: KeptFile]
    /// Rows of the store's tables, by table. Each row has `id`, and its device's `device` and `device_name`.
    public var rows: [String: [Record]] = [:]
    /// Readers of the files of `file` parameters, by parameter name.
    public var files: [String: FileChunks] = [:]
    /// Passes the rows of a store query to a function one by one, with all columns as integers; nil for a command that
    /// does not use the store.
    public var forEachRow: StoredRows?
    /// The user's local time zone.
    public var localZone = TimeZoneTable.utc
    /// Looks up a stored zone name; returns nil for an unknown zone.
    public var findZone: (@Sendable (String) -> TimeZoneTable?)?
    public var now: Timestamp
    /// Whether text for people may have the colours of a terminal (`CommandOutput.isPainted`).
    public var wantsColor = false

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

    /// The date named by a parameter, like 2026-03-02; nil if it was not given.
    public func date(_ parameter: CommandParameter) throws(CommandError) -> CivilDate? {
        guard let text = self.text(parameter) else { return nil }
        guard let date = CivilDate(text) else {
            throw .usage("--\(parameter.name) \(text): expected a date like 2026-03-02")
        }
        return date
    }

    /// The zone named by a parameter; the user's zone if it was not given.
    public func zone(_ parameter: CommandParameter) -> TimeZoneTable {
        guard case .zone(let zone) = values[parameter.name] else { return localZone }
        return zone
    }

    /// The whole file of a `file` parameter; nil if it was not given.
    ///
    /// - Parameters:
    ///   - parameter: names the file.
    ///   - limit: size from which the file is refused, in bytes.
    public func bytes(_ parameter: CommandParameter, below limit: Int) throws(CommandError) -> [UInt8]? {
        guard let file = files[parameter.name] else { return nil }
        let name = text(parameter) ?? "?"
        var bytes: [UInt8] = []
        try file { chunk throws(CommandError) in
            bytes += chunk
            guard bytes.count < limit else { throw .unreadable("\(name): \(limit) bytes and more") }
        }
        return bytes
    }

    public func content(_ parameter: CommandParameter) -> InputContent? {
        guard case .content(let content) = values[parameter.name] else { return nil }
        return content
    }
}

/// Reads a file and passes its bytes to a function, chunk by chunk.
public typealias FileChunks =
    @Sendable (_ body: ([UInt8]) throws(CommandError) -> Void) throws(CommandError) -> Void

/// Runs a query and passes each row to a function.
public typealias StoredRows = @Sendable (StoredQuery, _ body: ([Int64]) -> Void) throws(CommandError) -> Void

/// A store query with integer columns; NULL becomes 0.
public struct StoredQuery: Hashable, Sendable {
    /// One SELECT statement.
    public var sql: String
    /// Parameter values, in order.
    public var arguments: [Int64]

    public init(_ sql: String, _ arguments: [Int64] = []) {
        self.sql = sql
        self.arguments = arguments
    }
}

/// The content of a file named by the user.
public struct InputContent: Sendable, Hashable {
    public enum Content: Sendable, Hashable {
        /// The attribute values of a capture, in the order of the frames.
        case values([ObservedValue])
        /// The bytes of a file that is no capture.
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

/// A settings file that the program keeps for its user.
public struct KeptFile: Sendable, Hashable {
    public var path: String
    /// The content; nil if the file does not exist.
    public var bytes: [UInt8]?

    public init(path: String, bytes: [UInt8]?) {
        self.path = path
        self.bytes = bytes
    }
}
