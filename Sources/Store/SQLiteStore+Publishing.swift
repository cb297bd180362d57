package import PluginKit
import Profile
package import Workbench

/// Publishing position of a table at a destination.
package struct PublishingPosition: Hashable, Sendable {
    /// The last row confirmed by the destination.
    package var confirmed: Int64
    /// The last row of the batch in transit. Until it is confirmed, the batch keeps exactly these rows.
    package var pending: Int64?

    package init(confirmed: Int64 = 0, pending: Int64? = nil) {
        self.confirmed = confirmed
        self.pending = pending
    }
}

/// Publishing: an append-only table is the queue, and each destination has a position in it.
extension SQLiteStore {
    /// Rows of a table with an `id` above `start`, up to `end` and the limit, in order of `id`.
    package func rows(
        of table: String, after start: Int64, through end: Int64? = nil, limit: Int
    ) throws(StoreFault) -> [StoredRow] {
        try read(
            "SELECT * FROM \(quoted(table)) WHERE id > ? AND id <= ? ORDER BY id LIMIT ?",
            [.integer(start), .integer(end ?? Int64.max), .integer(Int64(limit))])
    }

    /// The last row's `id`; 0 for an empty table.
    package func lastID(of table: String) throws(StoreFault) -> Int64 {
        try read("SELECT max(id) AS id FROM \(quoted(table))", []).first?.integer("id") ?? 0
    }

    package func position(of destination: String, in table: String) throws(StoreFault) -> PublishingPosition {
        let row = try read(
            "SELECT confirmed_id, pending_id FROM publications WHERE destination = ? AND table_name = ?",
            [.text(destination), .text(table)]
        ).first
        return PublishingPosition(
            confirmed: row?.integer("confirmed_id") ?? 0, pending: row?.integer("pending_id"))
    }

    package func setPosition(
        _ position: PublishingPosition, of destination: String, in table: String
    ) throws(StoreFault) {
        try write(
            """
            INSERT INTO publications (destination, table_name, confirmed_id, pending_id) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET confirmed_id = excluded.confirmed_id, pending_id = excluded.pending_id
            """,
            [
                .text(destination), .text(table), .integer(position.confirmed),
                position.pending.map { .integer($0) } ?? .absent,
            ])
    }

    /// Records that the destination confirmed the batch ending with row `last`. If rows were deleted meanwhile, nothing
    /// changes, and the remaining rows are published again.
    package func confirm(through last: Int64, of destination: String, in table: String) throws(StoreFault) {
        try write(
            """
            UPDATE publications SET confirmed_id = pending_id, pending_id = NULL
            WHERE destination = ? AND table_name = ? AND pending_id = ?
            """, [.text(destination), .text(table), .integer(last)])
    }

    /// Moves positions beyond the end of their table back to the end, because SQLite reuses the ids of rows deleted
    /// there.
    func shortenPositions(_ db: inout Database) throws(StoreFault) {
        for table in tables {
            try db.run(
                """
                UPDATE publications SET pending_id = NULL, confirmed_id =
                    min(confirmed_id, (SELECT coalesce(max(id), 0) FROM \(table.quoted)))
                WHERE table_name = ?
                """, [.text(table)])
        }
    }
}
