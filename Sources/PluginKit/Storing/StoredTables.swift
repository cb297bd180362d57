public import Bytes
public import Profile

/// A plugin's tables in the store: the records of its devices.
///
/// The plugin defines the tables; the program creates them, and adds and removes rows. Each table has a primary key
/// column `id` and a column `peer_id`, which references `peers(id) ON DELETE CASCADE`.
public struct StoredTables: Sendable {
    /// A step from one version of the tables to the next.
    public struct Migration: Sendable {
        /// Name, unique among all plugins: `aquavate-1`.
        public var name: String
        /// SQLite statements.
        public var sql: String

        public init(_ name: String, sql: String) {
            self.name = name
            self.sql = sql
        }
    }

    /// Names of the tables, in listing order.
    public var names: [String]
    /// Client tasks that fetch everything the tables hold, by dialect.
    public var tasks: [String: [String]]
    /// Client tasks that keep the tables up to date until the client is stopped, by dialect: those of a gateway; empty if
    /// there is none, or if `tasks` do so.
    public var gatewayTasks: [String: [String]]
    /// The stimulus that makes a twin of the device reachable for the tasks: `motion`; nil if none is needed.
    public var wakeUp: String?
    /// Whether the client runs until it is stopped, like a gateway, rather than ending when it has fetched everything.
    public var isContinuous = false
    /// Columns that keep the user's time zone, by table: a row that is added without one gets the zone's name.
    public var zoneColumns: [String: String] = [:]
    /// Whether a device belongs to one user: the client connects to the devices that the store knows, and to another one
    /// only when asked.
    public var isPersonal = false
    /// How the rows are published; nil if they are not.
    public var publication: Publication?
    /// SQLite statements that recompute derived data after a device's rows were deleted.
    public var recomputation = ""
    /// Detects the client of another program, for clients that run until they are stopped.
    public var softLock: SoftLock?
    /// Makes the source of reminders to the user while a gateway runs; nil if there are none.
    public var reminders: (@Sendable () -> any ReminderSource)?
    /// Columns with times, by table and name.
    public var times: [String: [String: StoredTime]] = [:]
    /// Columns that show which of two rows is newer, by table: when stores are merged, the newer row replaces the older
    /// one with the same unique columns. Rows of other tables stay as they are.
    public var revisions: [String: String] = [:]
    /// Columns that stay set once they are: when stores are merged, a value replaces 0 or none.
    public var marks: [String] = []
    /// Oldest first. A migration that was released is never changed.
    public var migrations: [Migration]

    public init(
        _ names: [String], tasks: [String: [String]], gatewayTasks: [String: [String]] = [:], wakeUp: String? = nil,
        isContinuous: Bool = false, isPersonal: Bool = false, reminders: (@Sendable () -> any ReminderSource)? = nil,
        zoneColumns: [String: String] = [:], publication: Publication? = nil, recomputation: String = "",
        softLock: SoftLock? = nil, times: [String: [String: StoredTime]] = [:], revisions: [String: String] = [:],
        marks: [String] = [], migrations: [Migration]
    ) {
        self.names = names
        self.tasks = tasks
        self.gatewayTasks = gatewayTasks
        self.wakeUp = wakeUp
        self.isContinuous = isContinuous
        self.zoneColumns = zoneColumns
        self.isPersonal = isPersonal
        self.reminders = reminders
        self.publication = publication
        self.recomputation = recomputation
        self.softLock = softLock
        self.times = times
        self.revisions = revisions
        self.marks = marks
        self.migrations = migrations
    }
}

/// Prevents two programs from receiving for the same device with one store. The lock outlives a killed program for some
/// time.
public struct SoftLock: Sendable {
    /// Query for the devices being received at a time, with the columns `peer_id` and seconds since the device was last
    /// received.
    public var query: @Sendable (Timestamp) -> StoredQuery
    /// Changes that a program makes for its device when it ends.
    public var release: [StoreChange]

    public init(query: @escaping @Sendable (Timestamp) -> StoredQuery, release: [StoreChange]) {
        self.query = query
        self.release = release
    }
}

/// A change to the rows of a plugin's tables. The changes of one commit are atomic.
public enum StoreChange: Hashable, Sendable {
    /// Adds rows of the device; a row whose unique columns already exist is skipped.
    case add([Record], to: String)
    /// Adds rows whose numbers depend on existing rows. If another program added them first, the whole commit is
    /// dropped, and a command runs again with the current rows.
    case addNew([Record], to: String)
    /// Sets columns of the device's only row in a table, adding the row if needed.
    case set(Record, in: String)
    /// Removes all rows of the device. For a command, which has no device, removes all rows of the table.
    case clear(String)
    /// Sets columns of the device's newest row with these values.
    case mark(Record, in: String, where: Record)
    /// Sets columns of all the device's rows whose columns are at least these values.
    case markAll(Record, in: String, from: Record)
    /// Sets columns of the row with this `id`, for any device.
    case update(Int64, Record, in: String)
}

/// An error of the store.
public struct StoreFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error and its remedy.
    public var description: String
    /// Whether the disk is full.
    public var isDiskFull: Bool
    /// Whether another program already added a row that had to be new.
    public var isConflict: Bool

    public init(_ description: String, isDiskFull: Bool = false, isConflict: Bool = false) {
        self.description = description
        self.isDiskFull = isDiskFull
        self.isConflict = isConflict
    }
}

extension StoreChange {
    /// Whether the change adds rows that must not exist yet.
    package var isNew: Bool { if case .addNew = self { true } else { false } }

    /// Maximum number of rows that it adds.
    package var added: Int {
        switch self {
        case .add(let rows, _), .addNew(let rows, _): rows.count
        default: 0
        }
    }
}

/// Values of a store row.
extension Record {
    /// An integer; nil for NULL and other types.
    public func integer(_ name: String) -> Int64? { if case .integer(let number)? = self[name] { number } else { nil } }

    /// A number, including integers.
    public func real(_ name: String) -> Double? {
        switch self[name] {
        case .real(let number): number
        case .integer(let number): Double(number)
        default: nil
        }
    }

    public func text(_ name: String) -> String? { if case .text(let text)? = self[name] { text } else { nil } }
}
