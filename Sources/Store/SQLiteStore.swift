import Bytes
import Glibc
package import PluginKit
package import Profile
import Synchronization
import Workbench

/// A store in one SQLite file in WAL mode. A commit returns when its log frames are on disk (`synchronous=FULL`).
package final class SQLiteStore: RecordStore {
    let path: String
    let database: Mutex<Database>
    /// Permitted table names, in listing order.
    package let tables: [String]
    /// Names of the applied migrations.
    let migrations: [String]
    /// The tables of the plugins.
    let schema: [StoredTables]
    /// Name of the user's time zone; nil if it has none.
    private let zone: @Sendable () -> String?
    /// The last insertion SQL of each table: most insertions use the same columns as the one before.
    let insertions = Mutex<[String: Insertion]>([:])

    /// The file's state when it was opened, if it is read without locks.
    private let unlocked: FileState?

    private init(
        path: String, database: consuming Database, schema: [StoredTables], migrations: [StoredTables.Migration],
        unlocked: FileState? = nil, zone: @escaping @Sendable () -> String? = { nil }
    ) {
        self.unlocked = unlocked
        self.path = path
        self.database = Mutex(database)
        tables = BaseTables.names + schema.flatMap(\.names)
        self.schema = schema
        self.migrations = migrations.map(\.name)
        self.zone = zone
    }

    /// Opens the file, or creates it for its user alone, and migrates its tables to the current version.
    ///
    /// - Parameter zone: the name of the user's time zone, which a commit adds to rows with a column for it.
    package static func open(
        path: String, schema: [StoredTables], zone: @escaping @Sendable () -> String? = { nil }
    ) throws(StoreFault) -> SQLiteStore {
        try makeFile(path)
        var database = try Database(path: path)
        // Commits survive a power loss. Deleted data is overwritten, because drinks are health data.
        try database.execute(
            """
            PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; PRAGMA synchronous = FULL
            """)
        try database.keepLog()
        let migrations = BaseTables.migrations + schema.flatMap(\.migrations)
        try migrate(&database, migrations, path)
        return SQLiteStore(path: path, database: database, schema: schema, migrations: migrations, zone: zone)
    }

    /// Opens an existing file for reading. The file is not changed; only a store of an earlier version is migrated first,
    /// if it can be written. Beside a file that can be written, a log and its index exist while it is open.
    package static func openToRead(path: String, schema: [StoredTables]) throws(StoreFault) -> SQLiteStore {
        guard isWritable(path) else { return try openReadOnly(path: path, schema: schema) }
        // Closing the last connection that may write moves a log into the file.
        let access = hasLog(path) ? Database.Access.readOnly : .readWrite
        if let store = try openCurrent(path: path, schema: schema, access) { return store }
        return try open(path: path, schema: schema)
    }

    /// Opens an existing file without changing it or its folder.
    package static func openReadOnly(path: String, schema: [StoredTables]) throws(StoreFault) -> SQLiteStore {
        guard let state = FileState(path), state.size > 0 else {
            throw StoreFault("\(path): not a store; name another file with --store")
        }
        guard let store = try openCurrent(path: path, schema: schema, readOnlyAccess(path)) else {
            throw StoreFault(
                "\(path): made by an earlier gattbench, and cannot be written; copy it to a folder that can be written")
        }
        return store
    }

    /// Opens an existing file of the current version for reading; nil for an earlier version or no store yet.
    private static func openCurrent(
        path: String, schema: [StoredTables], _ access: Database.Access
    ) throws(StoreFault) -> SQLiteStore? {
        guard let state = FileState(path), state.size > 0 else { return nil }
        var database = try Database(path: path, access: access)
        try database.execute("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON")
        let hasMigrations = "SELECT count(*) FROM sqlite_master WHERE name = 'grdb_migrations'"
        guard try database.integer(hasMigrations) == 1 else { return nil }
        let migrations = BaseTables.migrations + schema.flatMap(\.migrations)
        let made = try database.records("SELECT identifier FROM grdb_migrations").map { $0.text("identifier") ?? "" }
        try refuseNewer(made, migrations, path)
        guard Set(made).isSuperset(of: migrations.map(\.name)) else { return nil }
        return SQLiteStore(
            path: path, database: database, schema: schema, migrations: migrations,
            unlocked: access == .immutable ? state : nil)
    }

    /// How a file is read without a change to its folder: without a log, SQLite would create one to lock the file.
    static func readOnlyAccess(_ path: String) -> Database.Access { hasLog(path) ? .readOnly : .immutable }

    private static func hasLog(_ path: String) -> Bool { FileState(path + "-wal").map { $0.size > 0 } ?? false }

    private static func isWritable(_ path: String) -> Bool {
        unsafe access(path, W_OK) == 0 && access(folder(of: path), W_OK) == 0
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return String(path[...slash])
    }

    /// Throws for a store of a newer program version, whose tables may have another meaning.
    private static func refuseNewer(
        _ made: [String], _ migrations: [StoredTables.Migration], _ path: String
    ) throws(StoreFault) {
        guard Set(made).isSubset(of: migrations.map(\.name)) else {
            throw StoreFault("\(path): made by a newer gattbench; use that one, or another file with --store")
        }
    }

    /// Applies the missing migrations, each in a transaction.
    private static func migrate(
        _ database: inout Database, _ migrations: [StoredTables.Migration], _ path: String
    ) throws(StoreFault) {
        // Earlier versions used the GRDB library; stores keep its migration table and name.
        try database.run("CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        let made = try database.records("SELECT identifier FROM grdb_migrations").map { $0.text("identifier") ?? "" }
        try refuseNewer(made, migrations, path)
        for migration in migrations where !made.contains(migration.name) {
            try database.transaction(for: .writing) { db throws(StoreFault) in
                // Another program may have applied it meanwhile.
                let sql = "INSERT INTO grdb_migrations (identifier) VALUES (?) ON CONFLICT DO NOTHING"
                if try db.run(sql, [.text(migration.name)]) == 1 { try db.execute(migration.sql) }
            }
        }
    }

    /// Creates an empty file that only its user may read, if there is none.
    static func makeFile(_ path: String) throws(StoreFault) {
        var status = stat()
        let kind = unsafe stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
        guard [nil, S_IFREG, S_IFDIR].contains(kind) else {
            throw StoreFault("\(path): not a store; name another file with --store")
        }
        // Closing any descriptor of a file releases all locks that SQLite holds on it in this process.
        if kind == S_IFREG, unsafe access(path, R_OK | W_OK) == 0 { return }
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StoreFault(
                "\(path.quotedIfEmpty): \(unsafe String(cString: strerror(errno))); name a file that is yours with --store",
                isDiskFull: errno == ENOSPC)
        }
        close(descriptor)
    }

    // MARK: - Tables

    /// Statements to run after rows were deleted.
    var recomputations: [String] { schema.map(\.recomputation).filter { !$0.isEmpty } }

    /// Columns of a table with times.
    package func times(of table: String) -> [String: StoredTime] {
        BaseTables.times[table] ?? schema.lazy.compactMap { $0.times[table] }.first ?? [:]
    }

    // MARK: - Access

    /// Rows for a table, with the user's time zone where the table keeps it and a row has none.
    func addingZone(to rows: [StoredRow], of table: String) -> [StoredRow] {
        guard let column = schema.lazy.compactMap({ $0.zoneColumns[table] }).first, let name = zone() else {
            return rows
        }
        return rows.map { row in
            var row = row
            if row[column] == nil { row.fields.append((column, .text(name))) }
            return row
        }
    }

    /// Reads in one snapshot.
    func read<Result: Sendable>(
        _ body: (inout Database) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        let result = try database.withLock { db throws(StoreFault) in try db.transaction(for: .reading, body) }
        try requireUnchanged()
        return result
    }

    /// Throws if another program has changed a file that is read without locks.
    func requireUnchanged() throws(StoreFault) {
        guard let unlocked, FileState(path) != unlocked else { return }
        throw StoreFault("\(path): another program has changed it meanwhile; run the command again")
    }

    /// Runs one write transaction; its changes are on disk when this returns.
    func write<Result: Sendable>(
        _ body: (inout Database) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        try database.withLock { db throws(StoreFault) in try db.transaction(for: .writing, body) }
    }

    func read(_ sql: String, _ values: [Value]) throws(StoreFault) -> [StoredRow] {
        try database.withLock { db throws(StoreFault) in try db.records(sql, values) }
    }

    func write(_ sql: String, _ values: [Value]) throws(StoreFault) {
        try database.withLock { db throws(StoreFault) in _ = try db.run(sql, values) }
    }

    /// A table's name, quoted for SQL; throws for an unknown table.
    func quoted(_ table: String) throws(StoreFault) -> String {
        guard tables.contains(table) else {
            throw StoreFault("there is no table \(table); tables are \(tables.joined(separator: ", "))")
        }
        return table.quoted
    }

    /// Values of connection settings (PRAGMAs).
    package func settings(_ names: [String]) throws(StoreFault) -> [Value] {
        try read { db throws(StoreFault) in
            try names.map { name throws(StoreFault) in try db.value("PRAGMA \(name)") }
        }
    }
}

/// The size and time of change of a regular file.
struct FileState: Equatable {
    var size: Int64
    private var seconds: Int
    private var nanoseconds: Int

    /// Nil if there is no such file.
    init?(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        size = Int64(status.st_size)
        (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
}

extension String {
    /// The name quoted for SQL. SQLite treats an unknown name in double quotes as a string literal, so this uses
    /// backticks.
    var quoted: String { "`\(replacing("`", by: "``"))`" }
}
