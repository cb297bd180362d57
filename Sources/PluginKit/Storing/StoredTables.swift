public import Bytes
public import Profile

/// The tables of the store that belong to a plugin: the records of its devices.
///
/// The plugin says what the tables are; the program makes them, and adds and removes rows. Each table has a column `id` (its
/// primary key) and a column `peer_id`, which references `peers(id) ON DELETE CASCADE`.
public struct StoredTables: Sendable {
    /// A step from one version of the tables to the next.
    public struct Migration: Sendable {
        /// Unique among all plugins: `aquavate-1`.
        public var name: String
        /// Statements of SQLite.
        public var sql: String

        public init(_ name: String, sql: String) {
            self.name = name
            self.sql = sql
        }
    }

    /// Names of the tables, in the order in which they are listed.
    public var names: [String]
    /// The tasks of the client that fetch all that the tables hold, by dialect.
    public var tasks: [String: [String]]
    /// The stimulus that makes a twin of the device reachable for them: `motion`; nil where none is needed.
    public var wakeUp: String?
    /// Whether the client goes on until it is stopped, as a gateway does, and is not done when it has fetched everything.
    public var isContinuous = false
    /// How the rows are published; nil where nothing is.
    public var publication: Publication?
    /// Statements of SQLite that compute anew what is computed of rows, after those of a device were deleted.
    public var recomputation = ""
    /// What tells that the client of another program is at work, for clients that go on until they are stopped.
    public var softLock: SoftLock?
    /// Oldest first. A migration that was released is never changed.
    public var migrations: [Migration]

    public init(
        _ names: [String], tasks: [String: [String]], wakeUp: String? = nil, isContinuous: Bool = false,
        publication: Publication? = nil, recomputation: String = "", softLock: SoftLock? = nil,
        migrations: [Migration]
    ) {
        self.names = names
        self.tasks = tasks
        self.wakeUp = wakeUp
        self.isContinuous = isContinuous
        self.publication = publication
        self.recomputation = recomputation
        self.softLock = softLock
        self.migrations = migrations
    }
}

/// Keeps two programs from receiving for the same device with one store. It holds for some time after a program that was killed.
public struct SoftLock: Sendable {
    /// The devices that are received for at a time: a column `peer_id` and the seconds since a device was heard.
    public var query: @Sendable (Timestamp) -> StoredQuery
    /// What a program changes for its device when it ends.
    public var release: [StoreChange]

    public init(query: @escaping @Sendable (Timestamp) -> StoredQuery, release: [StoreChange]) {
        self.query = query
        self.release = release
    }
}

/// A change to the rows of a plugin's tables. Those of one commit are made together or not at all.
public enum StoreChange: Hashable, Sendable {
    /// Adds rows of the device; a row whose unique columns are in the table already is left out.
    case add([Record], to: String)
    /// The same of rows whose numbers follow from those that are there: where another program was first, nothing of the commit is
    /// done, and a command is run again with what is there now.
    case addNew([Record], to: String)
    /// Sets columns of the device's only row in a table, which is added where there is none.
    case set(Record, in: String)
    /// Removes all rows of the device; of a command, which has no device, all rows of the table.
    case clear(String)
    /// Sets columns in the newest row of the device that has these values.
    case mark(Record, in: String, where: Record)
    /// Sets columns in all rows of the device whose columns have at least these values.
    case markAll(Record, in: String, from: Record)
    /// Sets columns of the row with this `id`, of whatever device.
    case update(Int64, Record, in: String)
}

/// Why changes could not be made.
public struct StoreFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String
    /// Whether the disk is full.
    public var isDiskFull: Bool
    /// Whether another program has added a row that was to be new.
    public var isConflict: Bool

    public init(_ description: String, isDiskFull: Bool = false, isConflict: Bool = false) {
        self.description = description
        self.isDiskFull = isDiskFull
        self.isConflict = isConflict
    }
}

extension StoreChange {
    /// Whether it adds rows that nobody else may add.
    package var isNew: Bool { if case .addNew = self { true } else { false } }

    /// Rows that it adds at most.
    package var added: Int {
        switch self {
        case .add(let rows, _), .addNew(let rows, _): rows.count
        default: 0
        }
    }
}

/// The values of a row of the store.
extension Record {
    /// Nil for no integer, or for NULL.
    public func integer(_ name: String) -> Int64? { if case .integer(let number)? = self[name] { number } else { nil } }

    /// A number, also one that is whole.
    public func real(_ name: String) -> Double? {
        switch self[name] {
        case .real(let number): number
        case .integer(let number): Double(number)
        default: nil
        }
    }

    public func text(_ name: String) -> String? { if case .text(let text)? = self[name] { text } else { nil } }
}
