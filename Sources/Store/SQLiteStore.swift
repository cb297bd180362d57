import GRDB
import Glibc
package import PluginKit
import Synchronization
import Workbench

/// The store as one SQLite file in WAL mode. A commit returns when its frames of the log are on disk (`synchronous=FULL`).
package final class SQLiteStore: RecordStore {
    let path: String
    let queue: DatabaseQueue
    /// The tables that may be named, in the order in which they are listed.
    let tables: [String]
    let migrator: DatabaseMigrator
    /// What follows a deletion of rows.
    let recomputations: [String]
    /// The insertion that was last made into each table: most have the columns of the one before.
    let insertions = Mutex<[String: Insertion]>([:])

    private init(path: String, queue: DatabaseQueue, schema: [StoredTables], migrator: DatabaseMigrator) {
        self.path = path
        self.queue = queue
        tables = BaseTables.names + schema.flatMap(\.names)
        recomputations = schema.map(\.recomputation).filter { !$0.isEmpty }
        self.migrator = migrator
    }

    /// Opens the file, or makes it for its user alone, and brings its tables to the present version.
    package static func open(path: String, schema: [StoredTables]) throws(StoreFault) -> SQLiteStore {
        try makeFile(path)
        do {
            var migrator = DatabaseMigrator()
            migrator.registerMigration(BaseTables.name) { try $0.execute(sql: BaseTables.sql) }
            migrator.registerMigration(BaseTables.publishingName) { try $0.execute(sql: BaseTables.publishingSQL) }
            for migration in schema.flatMap(\.migrations) {
                migrator.registerMigration(migration.name) { try $0.execute(sql: migration.sql) }
            }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            // GRDB sets NORMAL for the WAL mode, in which a commit may be lost with the power.
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try migrate(queue, migrator, path)
            return SQLiteStore(path: path, queue: queue, schema: schema, migrator: migrator)
        } catch let fault as StoreFault {
            throw fault
        } catch {
            throw StoreFault(error, path: path)
        }
    }

    /// Brings the tables to the present version. Another program that does so at the same time may be first: then it is found
    /// out in a second attempt that nothing is left to do.
    private static func migrate(_ queue: DatabaseQueue, _ migrator: DatabaseMigrator, _ path: String) throws {
        for attempt in 1...5 {
            do {
                // Of a store that a newer program has made, the tables mean something else.
                guard try !queue.read(migrator.hasBeenSuperseded) else {
                    throw StoreFault("\(path): made by a newer gattbench; use that one, or another file with --store")
                }
                return try migrator.migrate(queue)
            } catch let error where attempt < 5 && !(error is StoreFault) {
                continue
            }
        }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            // What was deleted is overwritten: drinks are somebody's health data.
            try db.execute(sql: "PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF")
        }
        return configuration
    }

    /// Makes an empty file that only its user may read.
    private static func makeFile(_ path: String) throws(StoreFault) {
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StoreFault(
                "\(path): \(unsafe String(cString: strerror(errno))); name a file that is yours with --store",
                isDiskFull: errno == ENOSPC)
        }
        close(descriptor)
    }

    // MARK: - Access

    /// Reads in one snapshot.
    func read<Result>(_ body: (Database) throws -> Result) throws(StoreFault) -> Result {
        do {
            return try queue.read(body)
        } catch {
            throw StoreFault(error, path: path)
        }
    }

    /// Makes one transaction; what it has written is on disk when this returns.
    func write<Result>(_ body: (Database) throws -> Result) throws(StoreFault) -> Result {
        do {
            return try queue.write(body)
        } catch let fault as StoreFault {
            throw fault
        } catch {
            throw StoreFault(error, path: path)
        }
    }

    /// A table's name, quoted for SQL; throws for one that is none of the store's.
    func quoted(_ table: String) throws(StoreFault) -> String {
        guard tables.contains(table) else {
            throw StoreFault("there is no table \(table); tables are \(tables.joined(separator: ", "))")
        }
        return table.quotedDatabaseIdentifier
    }
}

extension StoreFault {
    /// What SQLite says, and what to do about it.
    init(_ error: any Error, path: String) {
        guard let error = error as? DatabaseError else {
            self.init("\(path): \(error)")
            return
        }
        let isDiskFull = error.resultCode == .SQLITE_FULL
        let (text, advice): (String, String) =
            switch error.resultCode {
            case .SQLITE_FULL: ("the disk is full", "free disk space and run the command again")
            case .SQLITE_IOERR:
                (
                    "cannot be written (\(error.message ?? "I/O error"))",
                    "check the disk and its free space (df, dmesg), then run the command again"
                )
            case .SQLITE_NOTADB: ("not a store", "name another file with --store")
            case .SQLITE_CORRUPT:
                ("damaged (\(error.message ?? "corrupt"))", "save what is left with “sqlite3 FILE .recover”")
            case .SQLITE_BUSY, .SQLITE_LOCKED: ("in use by another program", "try again when that has ended")
            case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN, .SQLITE_AUTH:
                (error.message ?? "cannot be opened", "check its permissions and those of its folder")
            default: (error.message ?? "\(error.resultCode)", "")
            }
        self.init("\(path): \(text)" + (advice.isEmpty ? "" : "; \(advice)"), isDiskFull: isDiskFull)
    }
}

extension SQLiteStore {
    /// The values of settings of the connection.
    package func settings(_ names: [String]) throws(StoreFault) -> [String] {
        try read { db in
            try names.map { try String.fetchOne(db, sql: "PRAGMA \($0.quotedDatabaseIdentifier)") ?? "" }
        }
    }
}
