package import Bytes
package import PluginKit
import Profile
import Synchronization
package import Workbench

/// Sessions and their changes.
extension SQLiteStore {
    package func beginSession(_ session: StoredSession) throws(StoreFault) -> Int64 {
        try write { db throws(StoreFault) in
            try db.run(
                "INSERT INTO sessions (plugin, transport, started_at, process) VALUES (?, ?, ?, ?)",
                [
                    .text(session.plugin), .text(session.transport), .integer(session.start.nanoseconds),
                    session.process.map { .text($0) } ?? .absent,
                ])
            return db.lastID
        }
    }

    package func identify(session: Int64, address: String, name: String?, at time: Timestamp) throws(StoreFault) {
        let now = Value.integer(time.nanoseconds)
        try write { db throws(StoreFault) in
            try db.run(
                """
                INSERT INTO peers (plugin, address, name, first_seen, last_seen)
                SELECT plugin, ?, ?, ?, ? FROM sessions WHERE id = ?
                ON CONFLICT (plugin, address) DO UPDATE
                SET name = coalesce(excluded.name, name), last_seen = max(last_seen, excluded.last_seen)
                """, [.text(address), name.map { .text($0) } ?? .absent, now, now, .integer(session)])
            try db.run(
                """
                UPDATE sessions SET peer_id = (SELECT id FROM peers WHERE plugin = sessions.plugin AND address = ?)
                WHERE id = ?
                """, [.text(address), .integer(session)])
        }
    }

    package func addConnection(session: Int64, start: Timestamp, end: Timestamp) throws(StoreFault) {
        try write(
            "INSERT INTO connections (session_id, started_at, ended_at) VALUES (?, ?, ?)",
            [.integer(session), .integer(start.nanoseconds), .integer(end.nanoseconds)])
    }

    package func keep(table: String, session: Int64, at time: Timestamp) throws(StoreFault) {
        let now = Value.integer(time.nanoseconds)
        try write(
            """
            INSERT INTO gatt_tables (peer_id, first_seen, last_seen, content)
            SELECT peer_id, ?, ?, ? FROM sessions WHERE id = ? AND peer_id IS NOT NULL
            ON CONFLICT (peer_id, content) DO UPDATE SET last_seen = excluded.last_seen
            """, [now, now, .text(table), .integer(session)])
    }

    package func commit(_ changes: [StoreChange], session: Int64, at time: Timestamp) throws(StoreFault) -> Int {
        try write { db throws(StoreFault) in
            let peer = try db.value("SELECT peer_id FROM sessions WHERE id = ?", [.integer(session)])
            guard peer != .absent else { throw StoreFault("session \(session) has no device yet") }
            var new = 0
            var cleared: Set<String> = []
            for change in changes {
                let added = try make(change, peer: peer, &db)
                // Rows that replace a cleared table are not new.
                switch change {
                case .clear(let table): cleared.insert(table)
                case .add(_, let table) where cleared.contains(table): break
                default: new += added
                }
            }
            try db.run(
                "INSERT INTO journal (session_id, committed_at, changes, new_rows) VALUES (?, ?, ?, ?)",
                [
                    .integer(session), .integer(time.nanoseconds), .text(StoreChange.title(of: changes)),
                    .integer(Int64(new)),
                ])
            return new
        }
    }

    package func commit(_ changes: [StoreChange]) throws(StoreFault) {
        try write { db throws(StoreFault) in
            for change in changes { _ = try make(change, peer: .absent, &db) }
        }
        if changes.contains(where: { if case .clear = $0 { true } else { false } }) { try overwriteDeleted() }
    }

    package func endSession(_ session: Int64, outcome: String, at time: Timestamp) throws(StoreFault) {
        try write(
            "UPDATE sessions SET ended_at = ?, outcome = ? WHERE id = ?",
            [.integer(time.nanoseconds), .text(outcome), .integer(session)])
    }

    /// Applies a change for a device, or for none if `peer` is `.absent`; returns the number of new rows.
    private func make(_ change: StoreChange, peer: Value, _ db: inout Database) throws(StoreFault) -> Int {
        switch change {
        case .add(let rows, let table):
            var new = 0
            for row in addingZone(to: rows, of: table) { new += try insert(row, into: table, peer: peer, .keep, &db) }
            return new
        case .addNew(let rows, let table):
            let new = try make(.add(rows, to: table), peer: peer, &db)
            guard new == rows.count else {
                throw StoreFault("\(path): another program has added the same rows", isConflict: true)
            }
            return new
        case .set(let row, let table):
            _ = try insert(row, into: table, peer: peer, .replace, &db)
        case .clear(let table):
            if peer == .absent {
                try db.run("DELETE FROM \(quoted(table))")
            } else {
                try db.run("DELETE FROM \(quoted(table)) WHERE peer_id = ?", [peer])
            }
        case .mark(let values, let table, let key):
            let conditions = ["peer_id = ?"] + key.fields.map { "\($0.name.quoted) IS ?" }
            try db.run(
                """
                UPDATE \(quoted(table)) SET \(values.assignments) WHERE id =
                    (SELECT max(id) FROM \(quoted(table)) WHERE \(conditions.joined(separator: " AND ")))
                """, values.values + [peer] + key.values)
        case .markAll(let values, let table, let low):
            let conditions = ["peer_id = ?"] + low.fields.map { "\($0.name.quoted) >= ?" }
            try db.run(
                "UPDATE \(quoted(table)) SET \(values.assignments) WHERE \(conditions.joined(separator: " AND "))",
                values.values + [peer] + low.values)
        case .update(let id, let values, let table):
            try db.run(
                "UPDATE \(quoted(table)) SET \(values.assignments) WHERE id = ?", values.values + [.integer(id)])
        }
        return 0
    }

    /// Returns 1 for a new or replaced row, 0 for an existing row that is kept.
    private func insert(
        _ row: StoredRow, into table: String, peer: Value, _ policy: Insertion.Policy, _ db: inout Database
    ) throws(StoreFault) -> Int {
        let insertion = try insertions.withLock { last throws(StoreFault) in
            if let known = last[table], known.fits(row, policy) { return known }
            let new = Insertion(of: row, into: try quoted(table), policy)
            last[table] = new
            return new
        }
        return try db.run(insertion.sql, [peer] + row.values)
    }
}

/// SQL that inserts rows with given columns into a table.
struct Insertion: Sendable {
    /// Policy for an existing row.
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

extension StoredRow {
    fileprivate var assignments: String { fields.map { "\($0.name.quoted) = ?" }.joined(separator: ", ") }
    fileprivate var values: [Value] { fields.map(\.value) }
}
