import Bytes
import PluginKit
import Profile
import Workbench

/// A table that rows are imported into: its columns, and those that identify a row.
struct ImportedTable {
    /// A declared column of the table.
    struct Column {
        enum Kind: String {
            case integer = "INTEGER"
            case real = "REAL"
            case text = "TEXT"

            /// For messages.
            var title: String {
                switch self {
                case .integer: "a whole number"
                case .real: "a number"
                case .text: "a text"
                }
            }
        }

        var name: String
        var kind: Kind
        /// Whether NULL is refused and there is no default.
        var isRequired: Bool
        var hasDefault: Bool
        var time: StoredTime?
    }

    /// A value for the store. A time with milliseconds stands for all nanoseconds of its millisecond.
    struct Cell {
        var value: Value
        var isRounded = false
    }

    let name: String
    private let columns: [String: Column]
    /// Columns that identify a row.
    let key: [String]
    /// Whether the key is unique in the table.
    let isUnique: Bool
    /// The column that shows which of two rows is newer; nil if rows do not change.
    let revision: String?
    let marks: [String]
    /// Whether a trigger changes the table's new rows.
    let hasTrigger: Bool
    /// Columns of exports that the table has no more.
    private let retired: Set<String>

    var hasPeer: Bool { columns["peer_id"] != nil }
    var needsPeer: Bool { columns["peer_id"]?.isRequired == true }
    var hasSession: Bool { columns["session_id"] != nil }
    private var hasZone: Bool { columns.values.contains { $0.time?.isDeviceClock == false } }

    init(_ name: String, schema: [StoredTables], _ db: inout Database) throws(StoreFault) {
        self.name = name
        let owner = schema.first { $0.names.contains(name) }
        let times = BaseTables.times[name] ?? owner?.times[name] ?? [:]
        var columns: [String: Column] = [:]
        var names: [String] = []
        for row in try db.records("PRAGMA table_info(\(name.quoted))") {
            guard let column = row.text("name"), let kind = row.text("type").flatMap(Column.Kind.init) else { continue }
            let hasDefault = row["dflt_value"] != .absent
            columns[column] = Column(
                name: column, kind: kind, isRequired: row.integer("notnull") == 1 && !hasDefault,
                hasDefault: hasDefault, time: times[column])
            names.append(column)
        }
        self.columns = columns
        var unique: [String] = []
        for index in try db.records("PRAGMA index_list(\(name.quoted))") where unique.isEmpty {
            guard index.integer("unique") == 1, let title = index.text("name") else { continue }
            unique = try db.records("PRAGMA index_info(\(title.quoted))").compactMap { $0.text("name") }
        }
        isUnique = !unique.isEmpty
        key = isUnique ? unique : BaseTables.keys[name] ?? names.filter { $0 != "id" }
        revision = BaseTables.revisions[name] ?? owner?.revisions[name]
        marks = (owner?.marks ?? []).filter { columns[$0] != nil }
        let triggers = "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?"
        hasTrigger = try db.value(triggers, [.text(name)]) != .integer(0)
        let migrations = (owner?.migrations ?? BaseTables.migrations).map(\.sql)
        retired = Set(
            migrations.flatMap { $0.split(separator: ";") }.compactMap { statement -> String? in
                let words = statement.split(whereSeparator: \.isWhitespace)
                guard words.count == 6, words[0] == "ALTER", words[2] == name, words[3] == "DROP" else { return nil }
                return String(words[5])
            })
    }

    /// How a column counts time; nil for a column of another kind.
    func time(of column: String) -> StoredTime? { columns[column]?.time }

    // MARK: - Rows

    /// The row's values by column. Columns of the device and of the zone are left out.
    func cells(_ row: ImportedRow) throws(StoreFault) -> [(column: String, cell: Cell)] {
        var offset: Int64?
        if hasZone, let zone = row.fields.text(SpreadsheetTime.zoneColumn), !zone.isEmpty {
            guard let seconds = SpreadsheetTime.offset(zone) else {
                throw row.fault(
                    "expected an offset from UTC such as UTC+01:00; found \(zone)", column: SpreadsheetTime.zoneColumn)
            }
            offset = seconds
        }
        var cells: [(column: String, cell: Cell)] = []
        for (title, value) in row.fields.fields {
            guard let column = column(title), column.name != "peer_id" else {
                try checkOther(title, row)
                continue
            }
            let cell = try self.cell(value, of: column, offset: offset, row)
            if cell.value == .absent, column.hasDefault { continue }
            cells.append((column.name, cell))
        }
        for column in columns.values where column.isRequired && !["id", "peer_id"].contains(column.name) {
            guard cells.contains(where: { $0.column == column.name && $0.cell.value != .absent }) else {
                throw row.fault("expected \(column.kind.title); found nothing", column: column.name)
            }
        }
        return cells
    }

    /// The column with a name, or with the title that exports give to it.
    private func column(_ title: String) -> Column? {
        if let column = columns[title] { return column }
        return ["_ns", "_ms"].lazy.compactMap { columns[title + $0] }.first { $0.time != nil }
    }

    /// Throws for a column that is neither the table's nor one of those that exports add.
    private func checkOther(_ title: String, _ row: ImportedRow) throws(StoreFault) {
        if title == SpreadsheetTime.zoneColumn, hasZone { return }
        if ["device", "device_name"].contains(title), hasPeer || hasSession { return }
        if title == "plugin", name == "gatt_tables" { return }
        if retired.contains(title) { return }
        let near = Spelling.nearest(
            to: title, among: columns.keys.sorted().map { StoredTime.title(of: $0) }, limit: 1, isNear: false)
        throw row.fault("\(name) has no column \(title.quotedIfEmpty)\(Spelling.suggestion(near))")
    }

    private func cell(
        _ value: Value, of column: Column, offset: Int64?, _ row: ImportedRow
    ) throws(StoreFault) -> Cell {
        switch (column.kind, value) {
        case (_, .absent): return Cell(value: .absent)
        case (.text, .text(let text)):
            return Cell(value: text.isEmpty && row.isText && !column.isRequired ? .absent : value)
        case (_, .text("")) where row.isText: return Cell(value: .absent)
        case (.integer, .integer), (.real, .real): return Cell(value: value)
        case (.real, .integer(let number)): return Cell(value: .real(Double(number)))
        case (.integer, .text(let text)):
            if row.isText, let number = Int64(text) { return Cell(value: .integer(number)) }
            guard let time = column.time else { break }
            let zone = time.isDeviceClock ? 0 : offset
            if let read = SpreadsheetTime.time(text, offset: zone) {
                return Cell(value: .integer(time.value(read)), isRounded: time.unit == .nanoseconds)
            }
            if SpreadsheetTime.time(text, offset: 0) != nil {
                throw row.fault(
                    "\(text) has no offset from UTC; expected the column \(SpreadsheetTime.zoneColumn) with UTC+01:00 "
                        + "or the like, or \(text)+01:00", column: column.name)
            }
        case (.real, .text(let text)):
            if row.isText, let number = Double(text), number.isFinite { return Cell(value: .real(number)) }
        default: break
        }
        let expected = column.time == nil ? column.kind.title : "a time such as 2026-03-02T18:05:00, or a whole number"
        throw row.fault("expected \(expected); found \(value.foundText)", column: column.name)
    }
}

extension Value {
    /// The value in a message.
    fileprivate var foundText: String {
        switch self {
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): "“\(text.prefix(80))”"
        default: "another kind of value"
        }
    }
}
