public import Profile

/// Publication of a plugin's records: the rows of an append-only table, in order of `id`, in batches.
public struct Publication: Sendable {
    public var table: String
    /// Tables with the current state, which are read completely and published with each batch.
    public var stateTables: [String]
    /// The state that is published, by table: the rows of the state tables, with what the plugin derives from the store
    /// and the present time. The input has no parameters.
    public var states: @Sendable (CommandInput) throws(CommandError) -> [String: [Record]]
    /// Stable identity of a row, equal wherever and whenever it is published; letters, digits, `-` and `_` only.
    public var identity: @Sendable (Record) -> String
    /// The documents of a batch, for a cloud database. The same batch gives the same documents.
    public var documents: @Sendable (PublishedBatch) -> [CloudDocument]
    /// The messages of a batch, for an MQTT broker.
    public var messages: @Sendable (PublishedBatch) -> [CloudMessage]

    public init(
        table: String, stateTables: [String] = [],
        states: @escaping @Sendable (CommandInput) throws(CommandError) -> [String: [Record]] = { $0.rows },
        identity: @escaping @Sendable (Record) -> String,
        documents: @escaping @Sendable (PublishedBatch) -> [CloudDocument],
        messages: @escaping @Sendable (PublishedBatch) -> [CloudMessage]
    ) {
        self.table = table
        self.stateTables = stateTables
        self.states = states
        self.identity = identity
        self.documents = documents
        self.messages = messages
    }
}

/// Rows that are published together.
public struct PublishedBatch: Sendable {
    /// Rows in order of `id`; empty if only the current state is published, which may change without new rows.
    public var rows: [Record]
    /// The state at the time of the batch, by table.
    public var states: [String: [Record]]
    /// User settings for all rows, such as `capacity`.
    public var settings: [String: Int64]
    /// Whether only the rows are published: the state only explains them.
    public var isEntriesOnly: Bool

    public init(
        rows: [Record], states: [String: [Record]] = [:], settings: [String: Int64] = [:], isEntriesOnly: Bool = false
    ) {
        self.rows = rows
        self.states = states
        self.settings = settings
        self.isEntriesOnly = isEntriesOnly
    }
}

/// A document that is always written completely.
public struct CloudDocument: Hashable, Sendable {
    /// `entries/hardware-504341955-1-0-1772449201598`: alternating collections and documents.
    public var path: String
    /// Integers, booleans, texts and times; absent values are left out.
    public var fields: Record
    /// Whether only one publisher should write the document. It then gets the field `conflict`: whether another
    /// publisher has written it since this one last did.
    public var isExclusive: Bool

    public init(_ path: String, _ fields: Record, isExclusive: Bool = false) {
        self.path = path
        self.fields = fields
        self.isExclusive = isExclusive
    }
}

public struct CloudMessage: Hashable, Sendable {
    public var topic: String
    public var payload: String
    /// Whether the broker retains it for later subscribers.
    public var isRetained: Bool

    public init(_ topic: String, _ payload: String, isRetained: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}
