package import PluginKit
import Profile
import Synchronization
package import Workbench

/// Reading and deleting.
extension SQLiteStore {
    package func forEachRow(of table: String, _ body: (StoredRow) throws -> Void) throws {
        let sql = try selection(of: table)
        try database.withLock { db in
            var rows = try db.rows(sql)
            while try rows.next() { try body(rows.record) }
        }
        try requireUnchanged()
    }

    package func forEachRow(of query: StoredQuery, _ body: ([Int64]) -> Void) throws(StoreFault) {
        try read { db throws(StoreFault) in
            var rows = try db.rows(query.sql, query.arguments.map { .integer($0) })
            var values: [Int64] = []
            while try rows.next() {
                values.removeAll(keepingCapacity: true)
                for column in rows.columns.indices { values.append(rows.integer(column)) }
                body(values)
            }
        }
    }

    package func columns(of table: String) throws(StoreFault) -> [String] {
        let sql = try selection(of: table)
        return try read { db throws(StoreFault) in try db.columns(of: sql) }
    }

    /// Query for the rows of a table, with each row's device in place of its peer id.
    private func selection(of table: String) throws(StoreFault) -> String {
        let name = try quoted(table)
        if table == "peers" { return "SELECT * FROM peers ORDER BY id" }
        let columns = try read { db throws(StoreFault) in try db.columns(of: "SELECT * FROM \(name)") }
        let listed = columns.filter { $0 != "peer_id" }.map { "t.\($0.quoted)" }.joined(separator: ", ")
        let isOfSession = ["connections", "journal"].contains(table)
        let peer = isOfSession ? "(SELECT peer_id FROM sessions WHERE id = t.session_id)" : "t.peer_id"
        // An attribute table does not show whose device has it.
        let plugin = table == "gatt_tables" ? "p.plugin AS plugin, " : ""
        return """
            SELECT \(listed), \(plugin)p.address AS device, p.name AS device_name
            FROM \(name) t LEFT JOIN peers p ON p.id = \(peer) ORDER BY t.id
            """
    }

    package func addresses(of plugin: String) throws(StoreFault) -> [String] {
        try read("SELECT address FROM peers WHERE plugin = ?", [.text(plugin)]).compactMap { $0.text("address") }
    }

    package func summary() throws(StoreFault) -> StoreSummary {
        try read { db throws(StoreFault) in
            var rows: [(String, Int)] = []
            for table in tables { rows.append((table, Int(try db.integer("SELECT count(*) FROM \(table.quoted)")))) }
            return StoreSummary(
                path: path, size: try db.integer("PRAGMA page_count") * db.integer("PRAGMA page_size"),
                engine: Database.version, migrations: migrations,
                devices: try db.records("SELECT * FROM peers ORDER BY last_seen DESC").map { row in
                    StoreSummary.Device(
                        address: row.text("address") ?? "", name: row.text("name"), plugin: row.text("plugin") ?? "",
                        lastSeen: (row.integer("last_seen") ?? 0) / 1_000_000_000)
                },
                tables: rows)
        }
    }

    package func delete(device: String?) throws(StoreFault) -> Int {
        let count = try write { db throws(StoreFault) in
            let count: Int
            if let device {
                count = try db.run(
                    "DELETE FROM peers WHERE address = lower(?) OR name = ?", [.text(device), .text(device)])
            } else {
                count = try db.run("DELETE FROM peers")
                try db.run("DELETE FROM sessions")
                // Some rows have no device: those entered by hand.
                for table in tables where !BaseTables.names.contains(table) {
                    try db.run("DELETE FROM \(table.quoted)")
                }
            }
            if count > 0 { for recomputation in recomputations { try db.execute(recomputation) } }
            try shortenPositions(&db)
            return count
        }
        try overwriteDeleted()
        return count
    }

    /// Removes deleted data from the log and free pages.
    func overwriteDeleted() throws(StoreFault) {
        try database.withLock { db throws(StoreFault) in
            try db.run("VACUUM")
            try db.emptyLog()
        }
    }
}
