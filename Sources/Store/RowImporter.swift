package import Bytes
package import PluginKit
import Profile
package import Workbench

/// Adds rows of exports to a store: each once, whatever its number, with its device.
struct RowImporter {
    private let schema: [StoredTables]
    /// Plugins by table.
    private let owners: [String: String]
    private let now: Timestamp
    private var tables: [String: ImportedTable] = [:]
    /// Ids of devices by plugin and address.
    private var peers: [String: Int64] = [:]
    /// Devices that only other tables have shown yet: first and last contact are those of their rows.
    private var provisional: Set<Int64> = []
    /// Numbers of the export's sessions in the store.
    private var sessions: [Int64: Int64] = [:]
    /// Rows of tables without a unique key that an imported row was found to be, or became.
    private var used: [String: Set<Int64>] = [:]
    private(set) var count = ImportCount()

    init(schema: [StoredTables], owners: [String: String], now: Timestamp) {
        self.schema = schema
        self.owners = owners
        self.now = now
    }

    mutating func add(_ row: ImportedRow, _ db: inout Database) throws(StoreFault) {
        let table: ImportedTable
        if let known = tables[row.table] {
            table = known
        } else {
            table = try ImportedTable(row.table, schema: schema, &db)
            tables[row.table] = table
            if !table.isUnique { try addIndex(of: table, &db) }
        }
        var cells = try table.cells(row)
        if table.name == "peers" { return try addPeer(row, cells, &db) }
        if table.hasPeer {
            let peer = try self.peer(of: row, table, cells, &db)
            if peer == nil, table.needsPeer {
                throw row.fault("expected the address of a device; found nothing", column: "device")
            }
            cells.append(("peer_id", ImportedTable.Cell(value: peer.map { .integer($0) } ?? .absent)))
        }
        if table.hasSession { try setSession(&cells, row, &db) }
        let number = cells.first { $0.column == "id" }?.cell.value
        cells.removeAll { $0.column == "id" }
        let id: Int64
        if let known = try find(cells, table, &db) {
            id = known
            if try update(id, with: cells, table, row, &db) { count.changed += 1 } else { count.known += 1 }
        } else {
            id = try insert(cells, number: number, table, row, &db)
            count.new += 1
        }
        if !table.isUnique { used[table.name, default: []].insert(id) }
        if table.name == "sessions", case .integer(let number)? = number { sessions[number] = id }
    }

    /// Removes what only the import needed.
    func finish(_ db: inout Database) throws(StoreFault) {
        for table in tables.values where !table.isUnique {
            try db.execute("DROP INDEX \("import_\(table.name)".quoted)")
        }
    }

    /// Adds an index of a table's key, for as long as the import lasts: each row is looked up by it.
    private func addIndex(of table: ImportedTable, _ db: inout Database) throws(StoreFault) {
        let columns = table.key.map(\.quoted).joined(separator: ", ")
        try db.execute("CREATE INDEX \("import_\(table.name)".quoted) ON \(table.name.quoted) (\(columns))")
    }

    // MARK: - Devices and sessions

    private mutating func addPeer(
        _ row: ImportedRow, _ cells: [(column: String, cell: ImportedTable.Cell)], _ db: inout Database
    ) throws(StoreFault) {
        var record = Record()
        record.fields = cells.map { ($0.column, $0.cell.value) }
        guard let plugin = record.text("plugin"), let address = record.text("address"),
            let first = record["first_seen"], let last = record["last_seen"]
        else { throw row.fault("expected a device with plugin, address, first_seen and last_seen") }
        let name = record["name"] ?? .absent
        guard let id = try peerID(plugin, address, &db) else {
            let isFree = try self.isFree(record["id"], in: "peers", &db)
            try run(
                "INSERT INTO peers (id, plugin, address, name, first_seen, last_seen) VALUES (?, ?, ?, ?, ?, ?)",
                [isFree ? record["id"] ?? .absent : .absent, .text(plugin), .text(address), name, first, last], row, &db
            )
            peers["\(plugin) \(address)"] = db.lastID
            count.new += 1
            return
        }
        // Times may be rounded to milliseconds.
        let isProvisional = provisional.remove(id) != nil
        let changes = try run(
            "UPDATE peers SET first_seen = ?, last_seen = ?, name = coalesce(?, name) WHERE id = ? AND ?",
            [first, last, name, .integer(id), .boolean(isProvisional)], row, &db)
        let later = try run(
            """
            UPDATE peers SET last_seen = ?, name = coalesce(?, name)
            WHERE id = ? AND last_seen / 1000000 < ? / 1000000
            """,
            [last, name, .integer(id), last], row, &db)
        let earlier = try run(
            "UPDATE peers SET first_seen = ? WHERE id = ? AND first_seen / 1000000 > ? / 1000000",
            [first, .integer(id), first], row, &db)
        if changes + later + earlier > 0 { count.changed += 1 } else { count.known += 1 }
    }

    /// The device of a row; nil for a row without one.
    private mutating func peer(
        of row: ImportedRow, _ table: ImportedTable, _ cells: [(column: String, cell: ImportedTable.Cell)],
        _ db: inout Database
    ) throws(StoreFault) -> Int64? {
        guard let address = row.fields.text("device"), !address.isEmpty else { return nil }
        guard let plugin = owners[row.table] ?? row.fields.text("plugin") else {
            let found = try db.records("SELECT id FROM peers WHERE address = ?", [.text(address)])
            guard found.count == 1, let id = found[0].integer("id") else {
                throw row.fault("expected the plugin of the device in the column plugin", column: "device")
            }
            return id
        }
        if let id = try peerID(plugin, address, &db) {
            if provisional.contains(id) { try extend(id, cells, table, &db) }
            return id
        }
        let name = row.fields.text("device_name").flatMap { $0.isEmpty ? nil : $0 }
        let time = self.time(of: cells, table) ?? .integer(now.nanoseconds)
        try run(
            "INSERT INTO peers (plugin, address, name, first_seen, last_seen) VALUES (?, ?, ?, ?, ?)",
            [.text(plugin), .text(address), name.map { .text($0) } ?? .absent, time, time], row, &db)
        peers["\(plugin) \(address)"] = db.lastID
        provisional.insert(db.lastID)
        return db.lastID
    }

    private mutating func peerID(_ plugin: String, _ address: String, _ db: inout Database) throws(StoreFault) -> Int64?
    {
        let key = "\(plugin) \(address)"
        if let id = peers[key] { return id }
        let found = try db.value(
            "SELECT id FROM peers WHERE plugin = ? AND address = ?", [.text(plugin), .text(address)])
        guard case .integer(let id) = found else { return nil }
        peers[key] = id
        return id
    }

    /// Extends the contact with a provisional device to the time of a row.
    private func extend(
        _ peer: Int64, _ cells: [(column: String, cell: ImportedTable.Cell)], _ table: ImportedTable,
        _ db: inout Database
    ) throws(StoreFault) {
        guard let time = self.time(of: cells, table) else { return }
        try db.run(
            "UPDATE peers SET first_seen = min(first_seen, ?), last_seen = max(last_seen, ?) WHERE id = ?",
            [time, time, .integer(peer)])
    }

    /// The first time of a row, in nanoseconds.
    private func time(of cells: [(column: String, cell: ImportedTable.Cell)], _ table: ImportedTable) -> Value? {
        for (column, cell) in cells {
            guard case .integer(let number) = cell.value, number > 0 else { continue }
            if let time = table.time(of: column)?.time(number) { return .integer(time.nanoseconds) }
        }
        return nil
    }

    /// Replaces the number of the row's session by that in the store.
    private func setSession(
        _ cells: inout [(column: String, cell: ImportedTable.Cell)], _ row: ImportedRow, _ db: inout Database
    ) throws(StoreFault) {
        guard let index = cells.firstIndex(where: { $0.column == "session_id" }),
            case .integer(let number) = cells[index].cell.value
        else { return }
        if let session = sessions[number] {
            cells[index].cell.value = .integer(session)
            return
        }
        let address = row.fields.text("device").flatMap { $0.isEmpty ? nil : $0 }
        let known = try db.value(
            """
            SELECT count(*) FROM sessions LEFT JOIN peers ON peers.id = peer_id WHERE sessions.id = ? AND address IS ?
            """, [.integer(number), address.map { .text($0) } ?? .absent])
        guard known == .integer(1) else {
            throw row.fault(
                "the session \(number) of this device is not in the store; import the table sessions with it",
                column: "session_id")
        }
    }

    // MARK: - Rows

    /// The row of the store with the same key.
    private func find(
        _ cells: [(column: String, cell: ImportedTable.Cell)], _ table: ImportedTable, _ db: inout Database
    ) throws(StoreFault) -> Int64? {
        var (conditions, values): ([String], [Value]) = ([], [])
        for name in table.key {
            let cell = cells.first { $0.column == name }?.cell ?? ImportedTable.Cell(value: .absent)
            if cell.isRounded, case .integer(let time) = cell.value {
                conditions.append("\(name.quoted) BETWEEN ? AND ?")
                values += [.integer(time), .integer(time + 999_999)]
            } else {
                conditions.append("\(name.quoted) IS ?")
                values.append(cell.value)
            }
        }
        let condition = conditions.joined(separator: " AND ")
        var rows = try db.rows("SELECT id FROM \(table.name.quoted) WHERE \(condition) ORDER BY id", values)
        let used = self.used[table.name] ?? []
        while try rows.next() {
            let id = rows.integer(0)
            if !used.contains(id) { return id }
        }
        return nil
    }

    /// Adds a row, with its number if that is free; returns the number.
    private func insert(
        _ cells: [(column: String, cell: ImportedTable.Cell)], number: Value?, _ table: ImportedTable,
        _ row: ImportedRow, _ db: inout Database
    ) throws(StoreFault) -> Int64 {
        var (names, values) = (cells.map(\.column), cells.map(\.cell.value))
        if let number, try isFree(number, in: table.name, &db) {
            names.append("id")
            values.append(number)
        }
        let list = names.map(\.quoted).joined(separator: ", ")
        let marks = names.map { _ in "?" }.joined(separator: ", ")
        try run("INSERT INTO \(table.name.quoted) (\(list)) VALUES (\(marks))", values, row, &db)
        let id = db.lastID
        // A trigger may have set columns that the row has.
        if table.hasTrigger { try set(cells, of: id, table, row, &db) }
        return id
    }

    private func isFree(_ number: Value?, in table: String, _ db: inout Database) throws(StoreFault) -> Bool {
        guard let number, case .integer = number else { return false }
        return try db.value("SELECT id FROM \(table.quoted) WHERE id = ?", [number]) == .absent
    }

    /// Replaces a row by a newer one, or sets its marks; returns whether it has changed.
    private func update(
        _ id: Int64, with cells: [(column: String, cell: ImportedTable.Cell)], _ table: ImportedTable,
        _ row: ImportedRow, _ db: inout Database
    ) throws(StoreFault) -> Bool {
        if let revision = table.revision, let cell = cells.first(where: { $0.column == revision })?.cell,
            case .integer(let time) = cell.value
        {
            let known = try db.value("SELECT \(revision.quoted) FROM \(table.name.quoted) WHERE id = ?", [.integer(id)])
            let isNewer = if case .integer(let known) = known { time > known } else { true }
            if isNewer { try set(cells.filter { !table.key.contains($0.column) }, of: id, table, row, &db) }
            return isNewer
        }
        var changes = 0
        for mark in table.marks {
            guard let value = cells.first(where: { $0.column == mark })?.cell.value, value != .absent,
                value != .integer(0)
            else { continue }
            changes += try run(
                "UPDATE \(table.name.quoted) SET \(mark.quoted) = ? WHERE id = ? AND coalesce(\(mark.quoted), 0) = 0",
                [value, .integer(id)], row, &db)
        }
        return changes > 0
    }

    private func set(
        _ cells: [(column: String, cell: ImportedTable.Cell)], of id: Int64, _ table: ImportedTable,
        _ row: ImportedRow, _ db: inout Database
    ) throws(StoreFault) {
        guard !cells.isEmpty else { return }
        let assignments = cells.map { name, _ in
            name == "first_seen" ? "\(name.quoted) = min(\(name.quoted), ?)" : "\(name.quoted) = ?"
        }
        try run(
            "UPDATE \(table.name.quoted) SET \(assignments.joined(separator: ", ")) WHERE id = ?",
            cells.map(\.cell.value) + [.integer(id)], row, &db)
    }

    /// Runs a statement for a row; what the table refuses is an error of the row.
    @discardableResult
    private func run(
        _ sql: String, _ values: [Value], _ row: ImportedRow, _ db: inout Database
    ) throws(StoreFault) -> Int {
        do throws(StoreFault) {
            return try db.run(sql, values)
        } catch {
            guard !error.isDiskFull else { throw error }
            throw row.fault("refused by the table \(row.table): \(error)")
        }
    }
}

extension SQLiteStore {
    /// Adds the rows that `source` provides, in one transaction: all or none. Rows that the store has are not doubled.
    ///
    /// - Parameter owners: plugins by table.
    package func importRows(
        owners: [String: String], at now: Timestamp,
        _ source: (_ add: (ImportedRow) throws(StoreFault) -> Void) throws(StoreFault) -> Void
    ) throws(StoreFault) -> ImportCount {
        try write { db throws(StoreFault) in
            var importer = RowImporter(schema: schema, owners: owners, now: now)
            try source { row throws(StoreFault) in try importer.add(row, &db) }
            try importer.finish(&db)
            return importer.count
        }
    }
}
