import CSQLite
import PluginKit
import Profile

/// A connection to an SQLite file. Within this module, only this file calls the SQLite library.
///
/// The connection may move between threads because it has a single owner: it is not copyable, and its operations are
/// mutating.
@safe struct Database: ~Copyable, @unchecked Sendable {
    enum Purpose: String {
        /// One snapshot for all statements.
        case reading = "BEGIN DEFERRED"
        /// Excludes other writers, waiting for the write lock before it reads.
        case writing = "BEGIN IMMEDIATE"
    }

    static var version: String { unsafe String(cString: sqlite3_libversion()) }

    private let path: String
    private let connection: OpaquePointer
    /// Prepared statements by SQL text, because most statements are repeated.
    private var statements: [String: OpaquePointer]

    enum Access {
        case readWrite
        /// Changes neither the file nor its folder. If the file has a write-ahead log, the log's index must exist.
        case readOnly
        /// Read-only access to a file without a write-ahead log that does not change meanwhile; needs no lock and no
        /// index.
        case immutable
    }

    /// Opens an existing file. Statements wait up to 5 seconds for locks of other programs.
    init(path: String, access: Access = .readWrite) throws(StoreFault) {
        var connection: OpaquePointer?
        // SQLite does not treat some names as files, such as `:memory:`.
        let file = path.hasPrefix("/") ? path : "./" + path
        let code =
            switch access {
            case .readWrite: unsafe sqlite3_open_v2(file, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
            case .readOnly: unsafe sqlite3_open_v2(file, &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
            case .immutable:
                unsafe sqlite3_open_v2(
                    "file:\(Self.escaped(file))?immutable=1", &connection,
                    SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, nil)
            }
        guard code == SQLITE_OK, let connection = unsafe connection else {
            defer { unsafe sqlite3_close(connection) }
            throw unsafe StoreFault(code, of: connection, path: path)
        }
        unsafe sqlite3_busy_timeout(connection, 5000)
        unsafe self.connection = connection
        unsafe statements = [:]
        self.path = path
    }

    /// A path, escaped for a URI.
    private static func escaped(_ path: String) -> String {
        path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    }

    deinit {
        while let statement = unsafe sqlite3_next_stmt(connection, nil) { unsafe sqlite3_finalize(statement) }
        unsafe sqlite3_close(connection)
    }

    // MARK: - Statements

    /// Runs a script of statements in order.
    mutating func execute(_ script: String) throws(StoreFault) {
        try check(unsafe sqlite3_exec(connection, script, nil, nil, nil))
    }

    /// Runs one statement; returns the number of rows inserted, updated or deleted.
    @discardableResult
    mutating func run(_ sql: String, _ values: [Value] = []) throws(StoreFault) -> Int {
        var rows = try rows(sql, values)
        while try rows.next() {}
        return rows.changes
    }

    /// The rows of a query, fetched one by one.
    @_lifetime(&self)
    mutating func rows(_ sql: String, _ values: [Value] = []) throws(StoreFault) -> Rows {
        let statement = try unsafe statement(sql)
        for (index, value) in values.enumerated() { try check(unsafe value.bind(to: statement, at: Int32(index + 1))) }
        return unsafe Rows(statement, of: &self)
    }

    /// All rows of a small result.
    mutating func records(_ sql: String, _ values: [Value] = []) throws(StoreFault) -> [Record] {
        var rows = try rows(sql, values)
        var records: [Record] = []
        while try rows.next() { records.append(rows.record) }
        return records
    }

    /// The first column of a query's first row; `.absent` without rows.
    mutating func value(_ sql: String, _ values: [Value] = []) throws(StoreFault) -> Value {
        var rows = try rows(sql, values)
        return try rows.next() ? rows[0] : .absent
    }

    /// The first column of a query's first row as an integer, such as a count; 0 without rows.
    mutating func integer(_ sql: String) throws(StoreFault) -> Int64 {
        var rows = try rows(sql)
        return try rows.next() ? rows.integer(0) : 0
    }

    mutating func columns(of sql: String) throws(StoreFault) -> [String] {
        var rows = try rows(sql)
        _ = try rows.next()
        return rows.columns
    }

    /// The `id` of the last inserted row.
    var lastID: Int64 { mutating get { unsafe sqlite3_last_insert_rowid(connection) } }

    private mutating func statement(_ sql: String) throws(StoreFault) -> OpaquePointer {
        if let known = unsafe statements[sql] { return unsafe known }
        var new: OpaquePointer?
        try check(unsafe sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &new, nil))
        guard let new = unsafe new else { throw StoreFault("no statement: \(sql)") }
        unsafe statements[sql] = new
        return unsafe new
    }

    // MARK: - Transactions

    /// Runs `body` in a transaction, which is rolled back if it throws. The changes are on disk when this returns.
    mutating func transaction<Result>(
        for purpose: Purpose, _ body: (inout Database) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        try run(purpose.rawValue)
        do throws(StoreFault) {
            let result = try body(&self)
            try run("COMMIT")
            return result
        } catch {
            // Fails if SQLite has already rolled back, for example because the disk is full.
            _ = try? run("ROLLBACK")
            throw error
        }
    }

    /// Enables the write-ahead log (WAL mode).
    mutating func keepLog() throws(StoreFault) {
        // SQLite does not wait while another program enables WAL for the same new file.
        for attempt in 1... {
            let code = unsafe sqlite3_exec(connection, "PRAGMA journal_mode = WAL", nil, nil, nil)
            guard code == SQLITE_BUSY, attempt < 100 else { return try check(code) }
            sqlite3_sleep(50)
        }
    }

    /// Moves the log into the file and truncates it.
    mutating func emptyLog() throws(StoreFault) {
        try check(unsafe sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil))
    }

    private mutating func check(_ code: Int32) throws(StoreFault) {
        guard code == SQLITE_OK else { throw unsafe StoreFault(code, of: connection, path: path) }
    }

    /// The rows of a query. The connection is borrowed exclusively while they are read.
    @safe struct Rows: ~Copyable, ~Escapable {
        /// Column names, known after the first step, because tables may change after the statement is prepared.
        private(set) var columns: [String] = []
        private let path: String
        private let statement: OpaquePointer

        @_lifetime(&database)
        fileprivate init(_ statement: OpaquePointer, of database: inout Database) {
            path = database.path
            unsafe self.statement = statement
        }

        deinit {
            unsafe sqlite3_reset(statement)
            unsafe sqlite3_clear_bindings(statement)
        }

        /// Advances to the next row; false after the last one.
        @_lifetime(self: copy self)
        mutating func next() throws(StoreFault) -> Bool {
            let code = unsafe sqlite3_step(statement)
            guard code == SQLITE_ROW || code == SQLITE_DONE else {
                throw unsafe StoreFault(code, of: sqlite3_db_handle(statement), path: path)
            }
            if columns.isEmpty {
                columns = unsafe (0..<sqlite3_column_count(statement)).map { index in
                    unsafe String(cString: sqlite3_column_name(statement, index))
                }
            }
            return code == SQLITE_ROW
        }

        subscript(column: Int) -> Value { unsafe Value(statement, column: Int32(column)) }

        /// An integer; 0 for NULL.
        func integer(_ column: Int) -> Int64 { unsafe sqlite3_column_int64(statement, Int32(column)) }

        var record: Record {
            var record = Record()
            record.fields = columns.indices.map { (columns[$0], self[$0]) }
            return record
        }

        fileprivate var changes: Int { Int(unsafe sqlite3_changes64(sqlite3_db_handle(statement))) }
    }
}

/// Conversion of values from and to SQLite.
extension Value {
    fileprivate init(_ statement: OpaquePointer, column: Int32) {
        func bytes(_ start: UnsafeRawPointer?) -> UnsafeRawBufferPointer {
            unsafe UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
        }
        switch unsafe sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: self = .integer(unsafe sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: self = .real(unsafe sqlite3_column_double(statement, column))
        case SQLITE_TEXT:
            self = .text(unsafe String(decoding: bytes(sqlite3_column_text(statement, column)), as: UTF8.self))
        case SQLITE_BLOB: self = .bytes(unsafe Array(bytes(sqlite3_column_blob(statement, column))))
        default: self = .absent
        }
    }

    /// Binds the value to a statement's parameter.
    fileprivate func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        // SQLite copies the bytes (`SQLITE_TRANSIENT`).
        let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch self {
        case .integer(let number), .time(let number, _): return unsafe sqlite3_bind_int64(statement, index, number)
        case .unsigned(let number), .named(let number, _):
            return unsafe sqlite3_bind_int64(statement, index, Int64(clamping: number))
        case .real(let number): return unsafe sqlite3_bind_double(statement, index, number)
        case .boolean(let flag): return unsafe sqlite3_bind_int64(statement, index, flag ? 1 : 0)
        case .text(let text):
            return unsafe sqlite3_bind_text64(
                statement, index, text, UInt64(text.utf8.count), transient, UInt8(SQLITE_UTF8))
        case .bytes(let bytes):
            return unsafe sqlite3_bind_blob64(statement, index, bytes, UInt64(bytes.count), transient)
        case .list, .record, .absent: return unsafe sqlite3_bind_null(statement, index)
        }
    }
}

extension StoreFault {
    /// SQLite's error message with advice.
    fileprivate init(_ code: Int32, of connection: OpaquePointer?, path: String) {
        let message = unsafe String(cString: sqlite3_errmsg(connection))
        let (text, advice): (String, String) =
            switch code & 0xff {
            case SQLITE_FULL: ("the disk is full", "free disk space and run the command again")
            case SQLITE_IOERR:
                (
                    "cannot be written (\(message))",
                    "check the disk and its free space (df, dmesg), then run the command again"
                )
            case SQLITE_NOTADB: ("not a store", "name another file with --store")
            case SQLITE_CORRUPT: ("damaged (\(message))", "save what is left with “sqlite3 FILE .recover”")
            case SQLITE_BUSY, SQLITE_LOCKED: ("in use by another program", "try again when that has ended")
            case SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN, SQLITE_AUTH:
                (message, "check its permissions and those of its folder")
            default: (message, "")
            }
        self.init("\(path): \(text)" + (advice.isEmpty ? "" : "; \(advice)"), isDiskFull: code & 0xff == SQLITE_FULL)
    }
}
