import Bytes
package import Profile

/// A kind of value that is kept as a table: one value a row, under a header.
package protocol TableRow: Sendable {
    /// The header row.
    static var columns: [String] { get }
    /// The value as a row.
    var fields: [String] { get }
    init(_ row: TableFields) throws(CSV.Fault)
}

extension TableRow {
    /// The header row as a line.
    package static var header: [UInt8] { CSV.line(columns) }
    /// The value as a line.
    package var line: [UInt8] { CSV.line(fields) }

    /// Values as a table with its header.
    package static func table(_ rows: [Self]) -> [UInt8] { rows.reduce(into: header) { $0 += $1.line } }

    /// Reads a table with its header.
    package static func rows(csv bytes: [UInt8]) throws(CSV.Fault) -> [Self] {
        var reader = CSV.Reader(bytes)
        guard let header = try reader.next() else { return [] }
        guard header.fields == columns else {
            throw CSV.Fault(line: header.line, "the columns are \(columns.joined(separator: ","))")
        }
        var rows: [Self] = []
        while let row = try reader.next() {
            guard row.fields.count == columns.count else {
                throw CSV.Fault(line: row.line, "\(columns.count) columns were expected; found \(row.fields.count)")
            }
            rows.append(try Self(TableFields(row: row, columns: columns)))
        }
        return rows
    }
}

/// A row that is read, column by column; an empty field is a value that there is not.
package struct TableFields {
    private let row: CSV.Row
    private let columns: [String]

    init(row: CSV.Row, columns: [String]) {
        self.row = row
        self.columns = columns
    }

    func text(_ column: Int) -> String { row.fields[column] }

    func fault(_ column: Int, _ expected: String) -> CSV.Fault {
        CSV.Fault(line: row.line, "\(columns[column]): expected \(expected); found \(quoted(row.fields[column]))")
    }

    func integer(_ column: Int, _ range: ClosedRange<Int>) throws(CSV.Fault) -> Int? {
        guard !row.fields[column].isEmpty else { return nil }
        guard let value = Int(row.fields[column]), range.contains(value) else {
            throw fault(column, "an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    func number(_ column: Int, _ range: ClosedRange<Double>? = nil) throws(CSV.Fault) -> Double? {
        guard !row.fields[column].isEmpty else { return nil }
        guard let value = Double(plain: row.fields[column]), range?.contains(value) ?? true else {
            throw fault(
                column, range.map { "a number from \($0.lowerBound) to \($0.upperBound)" } ?? "a decimal number")
        }
        return value
    }

    func time(_ column: Int) throws(CSV.Fault) -> Timestamp? {
        guard !row.fields[column].isEmpty else { return nil }
        guard let time = Timestamp(rfc3339: row.fields[column]) else {
            throw fault(column, "a time, 2026-03-01T12:00:00Z")
        }
        return time
    }

    func date(_ column: Int) throws(CSV.Fault) -> CivilDate? {
        guard !row.fields[column].isEmpty else { return nil }
        guard let date = CivilDate(row.fields[column]) else { throw fault(column, "a date, YYYY-MM-DD") }
        return date
    }

    /// A value that must be there.
    func required<Value>(_ column: Int, _ value: Value?) throws(CSV.Fault) -> Value {
        guard let value else { throw fault(column, "a value") }
        return value
    }
}

extension BatterySnapshot: TableRow {
    package static let columns = ["id", "date", "cycles", "health", "first_use", "mfg_date"]

    package var fields: [String] {
        [
            String(id), date.description, battery.cycles.map { String($0) } ?? "",
            battery.health?.text(decimals: 6) ?? "", battery.firstUse?.description ?? "",
            battery.mfgDate?.description ?? "",
        ]
    }

    package init(_ row: TableFields) throws(CSV.Fault) {
        id = try row.required(0, row.integer(0, 1...Int.max))
        date = try row.required(1, row.time(1))
        battery = BatteryHealth(
            cycles: try row.integer(2, 0...10_000), health: try row.number(3, 0...1), firstUse: try row.date(4),
            mfgDate: try row.date(5))
    }
}

extension ChargeSession: TableRow {
    package static let columns = [
        "id", "start", "end", "avg_w", "peak_w", "delta_pct", "duration_s", "eta_s", "model", "charger", "notes",
    ]

    package var fields: [String] {
        [
            String(id), start.description, end?.description ?? "", averageWatts?.text(decimals: 3) ?? "",
            peakWatts?.text(decimals: 3) ?? "", risenPercent.text(decimals: 3), duration.text(decimals: 3),
            secondsToFull?.text(decimals: 0) ?? "", model, charger, notes,
        ]
    }

    package init(_ row: TableFields) throws(CSV.Fault) {
        id = try row.required(0, row.integer(0, 1...Int.max))
        start = try row.required(1, row.time(1))
        end = try row.time(2)
        averageWatts = try row.number(3)
        peakWatts = try row.number(4)
        risenPercent = try row.required(5, row.number(5, -100...100))
        duration = try row.required(6, row.number(6, 0...1e12))
        secondsToFull = try row.number(7)
        model = row.text(8)
        charger = row.text(9)
        notes = row.text(10)
    }
}
