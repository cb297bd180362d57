import GRDB
package import PluginKit
import Profile
package import Workbench

/// What is read of a store, and what is removed from it.
extension SQLiteStore {
    package func forEachRow(of table: String, _ body: (StoredRow) throws -> Void) throws {
        let sql = try selection(of: table)
        do {
            try queue.read { db in
                let cursor = try Row.fetchCursor(db, sql: sql)
                while let row = try cursor.next() {
                    try body(StoredRow(row))
                }
            }
        } catch let error as DatabaseError {
            throw StoreFault(error, path: path)
        }
    }

    package func forEachRow(of query: StoredQuery, _ body: ([Int64]) -> Void) throws(StoreFault) {
        try read { db in
            let statement = try db.makeStatement(sql: query.sql)
            let rows = try Row.fetchCursor(statement, arguments: StatementArguments(query.arguments))
            var values = [Int64](repeating: 0, count: statement.columnCount)
            while let row = try rows.next() {
                for index in values.indices { values[index] = (row[index] as Int64?) ?? 0 }
                body(values)
            }
        }
    }

    package func columns(of table: String) throws(StoreFault) -> [String] {
        let sql = try selection(of: table)
        return try read { try $0.makeStatement(sql: sql).columnNames }
    }

    /// The rows of a table with the device that each belongs to in place of the number of its peer.
    private func selection(of table: String) throws(StoreFault) -> String {
        let name = try quoted(table)
        if table == "peers" { return "SELECT * FROM peers ORDER BY id" }
        let columns = try read { try $0.columns(in: table).map(\.name) }.filter { $0 != "peer_id" }
        let listed = columns.map { "t.\($0.quotedDatabaseIdentifier)" }.joined(separator: ", ")
        let peer = table == "journal" ? "(SELECT peer_id FROM sessions WHERE id = t.session_id)" : "t.peer_id"
        return """
            SELECT \(listed), p.address AS device, p.name AS device_name
            FROM \(name) t LEFT JOIN peers p ON p.id = \(peer) ORDER BY t.id
            """
    }

    package func addresses(of plugin: String) throws(StoreFault) -> [String] {
        try read { try String.fetchAll($0, sql: "SELECT address FROM peers WHERE plugin = ?", arguments: [plugin]) }
    }

    package func summary() throws(StoreFault) -> StoreSummary {
        let (path, migrator, tables) = (path, migrator, tables)
        return try read { db in
            try StoreSummary(
                path: path,
                size: (Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0)
                    * (Int64.fetchOne(db, sql: "PRAGMA page_size") ?? 0),
                engine: String.fetchOne(db, sql: "SELECT sqlite_version()") ?? "",
                migrations: migrator.appliedMigrations(db),
                devices: Row.fetchAll(db, sql: "SELECT * FROM peers ORDER BY last_seen DESC").map {
                    .init(
                        address: $0["address"], name: $0["name"], plugin: $0["plugin"],
                        lastSeen: ($0["last_seen"] as Int64) / 1_000_000_000)
                },
                tables: tables.map { table in
                    let sql = "SELECT count(*) FROM \(table.quotedDatabaseIdentifier)"
                    return (table, try Int.fetchOne(db, sql: sql) ?? 0)
                })
        }
    }

    package func delete(device: String?) throws(StoreFault) -> Int {
        let count = try write { db in
            if let device {
                try db.execute(
                    sql: "DELETE FROM peers WHERE address = lower(?) OR name = ?", arguments: [device, device])
            } else {
                try db.execute(sql: "DELETE FROM peers")
            }
            let count = db.changesCount
            if device == nil {
                try db.execute(sql: "DELETE FROM sessions")
                // Some rows belong to no device: what was entered by hand.
                for table in self.tables where !BaseTables.names.contains(table) {
                    try db.execute(sql: "DELETE FROM \(table.quotedDatabaseIdentifier)")
                }
            }
            if count > 0 { for recomputation in self.recomputations { try db.execute(sql: recomputation) } }
            try self.shortenPositions(db)
            return count
        }
        try overwriteDeleted()
        return count
    }

    /// Nothing of what was deleted stays in the log or in free pages.
    func overwriteDeleted() throws(StoreFault) {
        do {
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "VACUUM")
                _ = try db.checkpoint(.truncate)
            }
        } catch {
            throw StoreFault(error, path: path)
        }
    }
}

extension Value {
    /// A value of SQLite; NULL is absent.
    init(_ value: DatabaseValue) {
        switch value.storage {
        case .null: self = .absent
        case .int64(let number): self = .integer(number)
        case .double(let number): self = .real(number)
        case .string(let text): self = .text(text)
        case .blob(let data): self = .bytes(Array(data))
        }
    }
}

extension StoredRow {
    init(_ row: Row) {
        self.init()
        fields = row.map { ($0, Value($1)) }
    }
}
