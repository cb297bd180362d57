import GRDB
package import PluginKit
import Profile
package import Workbench

/// How far the rows of a table are published at a destination.
package struct PublishingPosition: Hashable, Sendable {
    /// The last row that the destination has confirmed.
    package var confirmed: Int64
    /// The last row of the batch that is on its way: until it is confirmed, the batch has these rows and no others.
    package var pending: Int64?

    package init(confirmed: Int64 = 0, pending: Int64? = nil) {
        self.confirmed = confirmed
        self.pending = pending
    }
}

/// Publishing: a table that only grows is the queue, and each destination has a position in it.
extension SQLiteStore {
    /// Rows of a table with a higher `id` than `start`, up to `end` and the limit, in the order of their `id`.
    package func rows(
        of table: String, after start: Int64, through end: Int64? = nil, limit: Int
    ) throws(StoreFault) -> [StoredRow] {
        let name = try quoted(table)
        return try read { db in
            try Row.fetchAll(
                db, sql: "SELECT * FROM \(name) WHERE id > ? AND id <= ? ORDER BY id LIMIT ?",
                arguments: [start, end ?? Int64.max, limit]
            ).map(StoredRow.init)
        }
    }

    package func position(of destination: String, in table: String) throws(StoreFault) -> PublishingPosition {
        try read { db in
            let row = try Row.fetchOne(
                db, sql: "SELECT confirmed_id, pending_id FROM publications WHERE destination = ? AND table_name = ?",
                arguments: [destination, table])
            return row.map { PublishingPosition(confirmed: $0["confirmed_id"], pending: $0["pending_id"]) }
                ?? PublishingPosition()
        }
    }

    package func setPosition(
        _ position: PublishingPosition, of destination: String, in table: String
    ) throws(StoreFault) {
        try write { db in
            try db.execute(
                sql: """
                    INSERT INTO publications (destination, table_name, confirmed_id, pending_id) VALUES (?, ?, ?, ?)
                    ON CONFLICT DO UPDATE SET confirmed_id = excluded.confirmed_id, pending_id = excluded.pending_id
                    """, arguments: [destination, table, position.confirmed, position.pending])
        }
    }

    /// The destination has confirmed the batch that ends with a row. After a deletion meanwhile nothing changes: the rows
    /// that are left are published again.
    package func confirm(through last: Int64, of destination: String, in table: String) throws(StoreFault) {
        try write { db in
            try db.execute(
                sql: """
                    UPDATE publications SET confirmed_id = pending_id, pending_id = NULL
                    WHERE destination = ? AND table_name = ? AND pending_id = ?
                    """, arguments: [destination, table, last])
        }
    }

    /// Moves positions behind the end of their table to it, since SQLite gives the numbers of deleted rows there to new ones.
    func shortenPositions(_ db: Database) throws {
        let published = try String.fetchAll(db, sql: "SELECT DISTINCT table_name FROM publications")
        for table in published where tables.contains(table) {
            try db.execute(
                sql: """
                    UPDATE publications SET pending_id = NULL, confirmed_id =
                        min(confirmed_id, (SELECT coalesce(max(id), 0) FROM \(table.quotedDatabaseIdentifier)))
                    WHERE table_name = ?
                    """, arguments: [table])
        }
    }
}
