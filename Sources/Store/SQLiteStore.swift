import Bytes
import Glibc
package import PluginKit
package import Profile
import Synchronization
import Workbench

/// The store as one SQLite file in WAL mode. A commit returns when its frames of the log are on disk (`synchronous=FULL`).
package final class SQLiteStore: RecordStore {
    let path: String
    let database: Mutex<Database>
    /// The tables that may be named, in the order in which they are listed.
    let tables: [String]
    /// Names of the migrations, all of which were made.
    let migrations: [String]
    /// What follows a deletion of rows.
    let recomputations: [String]
    /// The insertion that was last made into each table: most have the columns of the one before.
    let insertions = Mutex<[String: Insertion]>([:])

    private init(
        path: String, database: consuming Database, schema: [StoredTables], migrations: [StoredTables.Migration]
    ) {
        self.path = path
        self.database = Mutex(database)
        tables = BaseTables.names + schema.flatMap(\.names)
        recomputations = schema.map(\.recomputation).filter { !$0.isEmpty }
        self.migrations = migrations.map(\.name)
    }

    /// Opens the file, or makes it for its user alone, and brings its tables to the present version.
    package static func open(path: String, schema: [StoredTables]) throws(StoreFault) -> SQLiteStore {
        try makeFile(path)
        var database = try Database(path: path)
        // No commit is lost with the power. What was deleted is overwritten: drinks are somebody's health data.
        try database.execute(
            """
            PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; PRAGMA synchronous = FULL
            """)
        try database.keepLog()
        let migrations = BaseTables.migrations + schema.flatMap(\.migrations)
        try migrate(&database, migrations, path)
        return SQLiteStore(path: path, database: database, schema: schema, migrations: migrations)
    }

    /// Opens a file that is there, to read it. Where the file or its folder cannot be written, as on a read-only file system,
    /// nothing is written; a store of an earlier version cannot be brought to the present one then.
    package static func openToRead(path: String, schema: [StoredTables]) throws(StoreFault) -> SQLiteStore {
        let isWritable = unsafe access(path, W_OK) == 0 && access(folder(of: path), W_OK) == 0
        return try isWritable ? open(path: path, schema: schema) : openReadOnly(path: path, schema: schema)
    }

    /// Opens a file that is there without a change to it or its folder.
    package static func openReadOnly(path: String, schema: [StoredTables]) throws(StoreFault) -> SQLiteStore {
        var status = stat()
        // Without a log, SQLite would make one to lock the file.
        let hasLog = unsafe stat(path + "-wal", &status) == 0 && status.st_size > 0
        var database = try Database(path: path, access: hasLog ? .readOnly : .immutable)
        try database.execute("PRAGMA trusted_schema = OFF")
        let migrations = BaseTables.migrations + schema.flatMap(\.migrations)
        let made = try database.records("SELECT identifier FROM grdb_migrations").map { $0.text("identifier") ?? "" }
        try refuseNewer(made, migrations, path)
        guard Set(made).isSuperset(of: migrations.map(\.name)) else {
            throw StoreFault(
                "\(path): made by an earlier gattbench, and cannot be written; copy it to a folder that can be written")
        }
        return SQLiteStore(path: path, database: database, schema: schema, migrations: migrations)
    }

    /// The folder that a file is in.
    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return String(path[...slash])
    }

    /// Of a store that a newer program has made, the tables mean something else.
    private static func refuseNewer(
        _ made: [String], _ migrations: [StoredTables.Migration], _ path: String
    ) throws(StoreFault) {
        guard Set(made).isSubset(of: migrations.map(\.name)) else {
            throw StoreFault("\(path): made by a newer gattbench; use that one, or another file with --store")
        }
    }

    /// Makes the migrations that the file has not had, each in a transaction.
    private static func migrate(
        _ database: inout Database, _ migrations: [StoredTables.Migration], _ path: String
    ) throws(StoreFault) {
        // Earlier versions had the library GRDB: stores go on to have its table, by its name.
        try database.run("CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        let made = try database.records("SELECT identifier FROM grdb_migrations").map { $0.text("identifier") ?? "" }
        try refuseNewer(made, migrations, path)
        for migration in migrations where !made.contains(migration.name) {
            try database.transaction(for: .writing) { db throws(StoreFault) in
                // Another program may have made it meanwhile.
                let sql = "INSERT INTO grdb_migrations (identifier) VALUES (?) ON CONFLICT DO NOTHING"
                if try db.run(sql, [.text(migration.name)]) == 1 { try db.execute(migration.sql) }
            }
        }
    }

    /// Makes an empty file that only its user may read, where there is none.
    private static func makeFile(_ path: String) throws(StoreFault) {
        var status = stat()
        let kind = unsafe stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
        guard [nil, S_IFREG, S_IFDIR].contains(kind) else {
            throw StoreFault("\(path): not a store; name another file with --store")
        }
        // To close a file is to release all locks that SQLite has on it in this process.
        if kind == S_IFREG, unsafe access(path, R_OK | W_OK) == 0 { return }
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StoreFault(
                "\(path.quotedIfEmpty): \(unsafe String(cString: strerror(errno))); name a file that is yours with --store",
                isDiskFull: errno == ENOSPC)
        }
        close(descriptor)
    }

    // MARK: - Access

    /// Reads in one snapshot.
    func read<Result: Sendable>(
        _ body: (inout Database) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        try database.withLock { db throws(StoreFault) in try db.transaction(for: .reading, body) }
    }

    /// Makes one transaction; what it has written is on disk when this returns.
    func write<Result: Sendable>(
        _ body: (inout Database) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        try database.withLock { db throws(StoreFault) in try db.transaction(for: .writing, body) }
    }

    /// The rows of one query.
    func read(_ sql: String, _ values: [Value]) throws(StoreFault) -> [StoredRow] {
        try database.withLock { db throws(StoreFault) in try db.records(sql, values) }
    }

    /// Runs one statement.
    func write(_ sql: String, _ values: [Value]) throws(StoreFault) {
        try database.withLock { db throws(StoreFault) in _ = try db.run(sql, values) }
    }

    /// A table's name, quoted for SQL; throws for one that is none of the store's.
    func quoted(_ table: String) throws(StoreFault) -> String {
        guard tables.contains(table) else {
            throw StoreFault("there is no table \(table); tables are \(tables.joined(separator: ", "))")
        }
        return table.quoted
    }

    /// The values of settings of the connection.
    package func settings(_ names: [String]) throws(StoreFault) -> [Value] {
        try read { db throws(StoreFault) in
            try names.map { name throws(StoreFault) in try db.value("PRAGMA \(name)") }
        }
    }
}

extension String {
    /// A name in SQL. In double quotes, one that is unknown would be a text to SQLite.
    var quoted: String { "`\(replacing("`", by: "``"))`" }
}
