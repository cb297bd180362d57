package import Bytes
import GRDB
package import PluginKit
import Profile
import Synchronization
package import Workbench

/// Sessions, and the changes that are made in them.
extension SQLiteStore {
    package func beginSession(_ session: StoredSession) throws(StoreFault) -> Int64 {
        try write { db in
            try db.execute(
                sql: "INSERT INTO sessions (plugin, transport, started_at) VALUES (?, ?, ?)",
                arguments: [session.plugin, session.transport, session.start.nanoseconds])
            return db.lastInsertedRowID
        }
    }

    package func identify(session: Int64, address: String, name: String?, at time: Timestamp) throws(StoreFault) {
        try write { db in
            try db.execute(
                sql: """
                    INSERT INTO peers (plugin, address, name, first_seen, last_seen)
                    SELECT plugin, ?, ?, ?, ? FROM sessions WHERE id = ?
                    ON CONFLICT (plugin, address) DO UPDATE
                    SET name = coalesce(excluded.name, name), last_seen = max(last_seen, excluded.last_seen)
                    """, arguments: [address, name, time.nanoseconds, time.nanoseconds, session])
            try db.execute(
                sql: """
                    UPDATE sessions SET peer_id =
                        (SELECT id FROM peers WHERE plugin = sessions.plugin AND address = ?)
                    WHERE id = ?
                    """, arguments: [address, session])
        }
    }

    package func keep(table: String, session: Int64, at time: Timestamp) throws(StoreFault) {
        try write { db in
            try db.execute(
                sql: """
                    INSERT INTO gatt_tables (peer_id, first_seen, last_seen, content)
                    SELECT peer_id, ?, ?, ? FROM sessions WHERE id = ? AND peer_id IS NOT NULL
                    ON CONFLICT (peer_id, content) DO UPDATE SET last_seen = excluded.last_seen
                    """, arguments: [time.nanoseconds, time.nanoseconds, table, session])
        }
    }

    package func commit(_ changes: [StoreChange], session: Int64, at time: Timestamp) throws(StoreFault) -> Int {
        try write { db in
            let select = try db.cachedStatement(sql: "SELECT peer_id FROM sessions WHERE id = ?")
            guard let peer = try Int64.fetchOne(select, arguments: [session]) else {
                throw StoreFault("session \(session) has no device yet")
            }
            var new = 0
            var cleared: Set<String> = []
            for change in changes {
                let added = try self.make(change, peer: peer, db)
                // What takes the place of all rows is none that is new.
                switch change {
                case .clear(let table): cleared.insert(table)
                case .add(_, let table) where cleared.contains(table): break
                default: new += added
                }
            }
            try db.cachedStatement(
                sql: "INSERT INTO journal (session_id, committed_at, changes, new_rows) VALUES (?, ?, ?, ?)"
            ).execute(arguments: [session, time.nanoseconds, StoreChange.title(of: changes), new])
            return new
        }
    }

    package func commit(_ changes: [StoreChange]) throws(StoreFault) {
        try write { db in
            for change in changes { _ = try self.make(change, peer: nil, db) }
        }
        if changes.contains(where: { if case .clear = $0 { true } else { false } }) { try overwriteDeleted() }
    }

    package func endSession(_ session: Int64, outcome: String, at time: Timestamp) throws(StoreFault) {
        try write { db in
            try db.execute(
                sql: "UPDATE sessions SET ended_at = ?, outcome = ? WHERE id = ?",
                arguments: [time.nanoseconds, outcome, session])
        }
    }

    /// Makes a change; returns how many rows are new.
    private func make(_ change: StoreChange, peer: Int64?, _ db: Database) throws -> Int {
        switch change {
        case .add(let rows, let table):
            var new = 0
            for row in rows {
                try insert(row, into: table, peer: peer, .keep, db)
                new += db.changesCount
            }
            return new
        case .addNew(let rows, let table):
            let new = try make(.add(rows, to: table), peer: peer, db)
            guard new == rows.count else {
                throw StoreFault("\(path): another program has added the same rows", isConflict: true)
            }
            return new
        case .set(let row, let table):
            try insert(row, into: table, peer: peer, .replace, db)
            return 0
        case .clear(let table):
            if let peer {
                try db.execute(sql: "DELETE FROM \(quoted(table)) WHERE peer_id = ?", arguments: [peer])
            } else {
                try db.execute(sql: "DELETE FROM \(quoted(table))")
            }
            return 0
        case .mark(let values, let table, let key):
            let conditions = ["peer_id = ?"] + key.fields.map { "\($0.name.quoted) IS ?" }
            try db.cachedStatement(
                sql: """
                    UPDATE \(quoted(table)) SET \(values.assignments) WHERE id =
                        (SELECT max(id) FROM \(quoted(table)) WHERE \(conditions.joined(separator: " AND ")))
                    """
            ).execute(arguments: StatementArguments(values.databaseValues + [peer.databaseValue] + key.databaseValues))
            return 0
        case .markAll(let values, let table, let low):
            let conditions = ["peer_id = ?"] + low.fields.map { "\($0.name.quoted) >= ?" }
            try db.cachedStatement(
                sql: """
                    UPDATE \(quoted(table)) SET \(values.assignments) WHERE \(conditions.joined(separator: " AND "))
                    """
            ).execute(arguments: StatementArguments(values.databaseValues + [peer.databaseValue] + low.databaseValues))
            return 0
        case .update(let id, let values, let table):
            try db.cachedStatement(sql: "UPDATE \(quoted(table)) SET \(values.assignments) WHERE id = ?")
                .execute(arguments: StatementArguments(values.databaseValues + [id.databaseValue]))
            return 0
        }
    }

    private func insert(
        _ row: StoredRow, into table: String, peer: Int64?, _ policy: Insertion.Policy, _ db: Database
    ) throws {
        let insertion = try insertions.withLock { last in
            if let known = last[table], known.fits(row, policy) { return known }
            let new = Insertion(of: row, into: try quoted(table), policy)
            last[table] = new
            return new
        }
        try db.cachedStatement(sql: insertion.sql)
            .execute(arguments: StatementArguments([peer.databaseValue] + row.databaseValues))
    }
}

/// The SQL that inserts rows with certain columns into a table.
struct Insertion: Sendable {
    /// What becomes of a row that is there.
    enum Policy {
        case keep, replace
    }

    let sql: String
    private let columns: [String]
    private let policy: Policy

    init(of row: StoredRow, into table: String, _ policy: Policy) {
        columns = row.fields.map(\.name)
        self.policy = policy
        let names = ["peer_id"] + columns.map(\.quoted)
        let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
        let assignments = columns.map { "\($0.quoted) = excluded.\($0.quoted)" }.joined(separator: ", ")
        let conflict =
            switch policy {
            case .keep: "DO NOTHING"
            case .replace: "(peer_id) DO " + (assignments.isEmpty ? "NOTHING" : "UPDATE SET \(assignments)")
            }
        sql = "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(marks)) ON CONFLICT \(conflict)"
    }

    func fits(_ row: StoredRow, _ policy: Policy) -> Bool {
        self.policy == policy && columns.elementsEqual(row.fields.lazy.map(\.name))
    }
}

extension StoreChange {
    /// For the journal: `add 17 aquavate_drinks, set aquavate_bottles`.
    static func title(of changes: [StoreChange]) -> String {
        var titles: [String] = []
        var added: [(table: String, rows: Int, place: Int)] = []
        for change in changes {
            let (rows, table): ([StoredRow], String)
            switch change {
            case .add(let some, let name), .addNew(let some, let name): (rows, table) = (some, name)
            default:
                let title = change.title
                if titles.last != title, !titles.contains(title) { titles.append(title) }
                continue
            }
            let index = added.firstIndex { $0.table == table } ?? added.endIndex
            if index == added.endIndex {
                added.append((table, 0, titles.endIndex))
                titles.append("")
            }
            added[index].rows += rows.count
        }
        for one in added { titles[one.place] = "add \(one.rows) \(one.table)" }
        return titles.joined(separator: ", ")
    }

    private var title: String {
        switch self {
        case .add(_, let table), .addNew(_, let table): "add \(table)"
        case .set(_, let table): "set \(table)"
        case .clear(let table): "clear \(table)"
        case .mark(_, let table, _), .markAll(_, let table, _): "mark \(table)"
        case .update(let id, _, let table): "update \(table) \(id)"
        }
    }
}

extension String {
    fileprivate var quoted: String { quotedDatabaseIdentifier }
}

extension StoredRow {
    fileprivate var assignments: String { fields.map { "\($0.name.quoted) = ?" }.joined(separator: ", ") }
    fileprivate var databaseValues: [DatabaseValue] { fields.map(\.value.databaseValue) }
}

extension Value {
    /// As SQLite stores it.
    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .integer(let number), .time(let number, _): number.databaseValue
        case .unsigned(let number), .named(let number, _): Int64(clamping: number).databaseValue
        case .real(let number): number.databaseValue
        case .boolean(let flag): Int64(flag ? 1 : 0).databaseValue
        case .text(let text): text.databaseValue
        case .bytes(let bytes): bytes.map { String($0, radix: 16) }.joined().databaseValue
        case .list, .record, .absent: .null
        }
    }
}
