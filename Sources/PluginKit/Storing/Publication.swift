public import Profile

/// How the records of a plugin's devices are published: rows of a table that only grows, in the order of their `id`, in batches.
public struct Publication: Sendable {
    public var table: String
    /// Tables that are read whole for each batch: the present state, which is published with it.
    public var stateTables: [String]
    /// A name for a row that is the same wherever and whenever it is published; letters, digits, `-` and `_` only.
    public var identity: @Sendable (Record) -> String
    /// The documents of a batch, for a database in the cloud. The same batch gives the same documents.
    public var documents: @Sendable (PublishedBatch) -> [CloudDocument]
    /// The messages of a batch, for an MQTT broker.
    public var messages: @Sendable (PublishedBatch) -> [CloudMessage]

    public init(
        table: String, stateTables: [String] = [], identity: @escaping @Sendable (Record) -> String,
        documents: @escaping @Sendable (PublishedBatch) -> [CloudDocument],
        messages: @escaping @Sendable (PublishedBatch) -> [CloudMessage]
    ) {
        self.table = table
        self.stateTables = stateTables
        self.identity = identity
        self.documents = documents
        self.messages = messages
    }
}

/// Rows that are published together.
public struct PublishedBatch: Sendable {
    /// By their `id`; empty where the present state of everything is published by itself, as it changes without rows.
    public var rows: [Record]
    /// The rows of the state tables, by table.
    public var states: [String: [Record]]
    /// What the user sets for all of it, like `capacity`.
    public var settings: [String: Int64]

    public init(rows: [Record], states: [String: [Record]] = [:], settings: [String: Int64] = [:]) {
        self.rows = rows
        self.states = states
        self.settings = settings
    }
}

/// A document that is written as a whole.
public struct CloudDocument: Hashable, Sendable {
    /// `entries/hardware-504341955-1-0-1772449201598`: collection and document in turn.
    public var path: String
    /// Integers, truth values, texts and times; absent ones are left out.
    public var fields: Record
    /// Whether only one publisher should write it. It gets the field `conflict`: whether another one has written it since this
    /// one last did.
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
    /// Whether the broker keeps it for those who subscribe later.
    public var isRetained: Bool

    public init(_ topic: String, _ payload: String, isRetained: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}
