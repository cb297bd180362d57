import PluginKit

/// The tables common to every store: devices, their attribute tables, sessions and connections with them, and the journal
/// of commits. Times are nanoseconds since 1970.
enum BaseTables {
    /// Names of the tables that are listed and exported.
    static let names = ["peers", "sessions", "connections", "journal", "gatt_tables"]

    static let times: [String: [String: StoredTime]] = [
        "peers": ["first_seen": .nanoseconds, "last_seen": .nanoseconds],
        "sessions": ["started_at": .nanoseconds, "ended_at": .nanoseconds],
        "connections": ["started_at": .nanoseconds, "ended_at": .nanoseconds],
        "journal": ["committed_at": .nanoseconds],
        "gatt_tables": ["first_seen": .nanoseconds, "last_seen": .nanoseconds],
    ]
    /// Columns that identify a row, of tables without a unique index in which not all columns do.
    static let keys = ["sessions": ["plugin", "peer_id", "transport", "started_at"]]
    /// As `StoredTables.revisions`.
    static let revisions = ["sessions": "ended_at", "gatt_tables": "last_seen"]

    static let migrations: [StoredTables.Migration] = [
        .init(
            "store-1",
            sql: """
                CREATE TABLE peers (
                    id INTEGER PRIMARY KEY,
                    plugin TEXT NOT NULL,
                    address TEXT NOT NULL,
                    name TEXT,
                    first_seen INTEGER NOT NULL,
                    last_seen INTEGER NOT NULL,
                    UNIQUE (plugin, address)
                ) STRICT;
                CREATE TABLE sessions (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    plugin TEXT NOT NULL,
                    peer_id INTEGER REFERENCES peers(id) ON DELETE CASCADE,
                    transport TEXT NOT NULL,
                    started_at INTEGER NOT NULL,
                    ended_at INTEGER,
                    outcome TEXT
                ) STRICT;
                CREATE INDEX sessions_by_peer ON sessions (peer_id);
                CREATE TABLE journal (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
                    committed_at INTEGER NOT NULL,
                    changes TEXT NOT NULL,
                    new_rows INTEGER NOT NULL
                ) STRICT;
                CREATE INDEX journal_by_session ON journal (session_id);
                CREATE TABLE gatt_tables (
                    id INTEGER PRIMARY KEY,
                    peer_id INTEGER NOT NULL REFERENCES peers(id) ON DELETE CASCADE,
                    first_seen INTEGER NOT NULL,
                    last_seen INTEGER NOT NULL,
                    content TEXT NOT NULL,
                    UNIQUE (peer_id, content)
                ) STRICT;
                """),
        // Publishing positions of each table, by destination.
        .init(
            "store-2",
            sql: """
                CREATE TABLE publications (
                    destination TEXT NOT NULL,
                    table_name TEXT NOT NULL,
                    confirmed_id INTEGER NOT NULL,
                    pending_id INTEGER,
                    PRIMARY KEY (destination, table_name)
                ) STRICT;
                """),
        // Sessions of earlier versions have no connections: their times are not known.
        .init(
            "store-3",
            sql: """
                CREATE TABLE connections (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
                    started_at INTEGER NOT NULL,
                    ended_at INTEGER NOT NULL
                ) STRICT;
                CREATE INDEX connections_by_session ON connections (session_id);
                """),
        // The process of a session shows whether one without an end is still under way.
        .init("store-4", sql: "ALTER TABLE sessions ADD COLUMN process TEXT;"),
    ]
}
