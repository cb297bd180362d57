public import Bytes
import PluginKit
public import Profile

/// Snapshots as a table from another program, or from `battery export --snapshots`: `date,cycles,health,…`.
///
/// Columns are found by name, in any order: `date`, and `cycles`, `health` or both; `first_use` and `mfg_date` are
/// optional, others are ignored. A date is a time (RFC 3339), a local time with its offset from UTC in the column `zone`,
/// or a day, which begins at midnight UTC. Fields are separated by commas, or by semicolons with a decimal comma, as
/// spreadsheets of many countries write them.
public struct SnapshotTable: Hashable, Sendable {
    /// In order of their dates. Their numbers are not assigned yet.
    public private(set) var snapshots: [BatterySnapshot] = []
    /// Names of ignored columns.
    public private(set) var ignored: [String] = []

    private enum Column: String, CaseIterable {
        case date, cycles, health
        case firstUse = "first_use"
        case mfgDate = "mfg_date"
        case zone
    }

    /// Reads a table; `now` decides which dates are in the future.
    public init(csv bytes: [UInt8], now: Timestamp) throws(CSV.Fault) {
        let firstLine = bytes.prefix { $0 != 0x0A }
        let hasDecimalComma = firstLine.contains(UInt8(ascii: ";")) && !firstLine.contains(UInt8(ascii: ","))
        var reader = CSV.Reader(bytes, separator: hasDecimalComma ? UInt8(ascii: ";") : UInt8(ascii: ","))
        guard let header = try reader.next() else { throw CSV.Fault(line: 1, "expected a header row; found nothing") }
        let names = header.fields.map { $0.lowercased() }
        var places: [Column: Int] = [:]
        for (place, name) in names.enumerated() {
            guard let column = Column(rawValue: name) else {
                if name != "id" { ignored.append(quoted(header.fields[place])) }
                continue
            }
            guard places.updateValue(place, forKey: column) == nil else {
                throw CSV.Fault(line: header.line, "the column \(name) stands there twice")
            }
        }
        guard places[.date] != nil, places[.cycles] != nil || places[.health] != nil else {
            throw CSV.Fault(
                line: header.line,
                "expected the columns date and cycles, health or both; found "
                    + names.map { quoted($0) }.joined(separator: ", "))
        }
        while var row = try reader.next() {
            guard row.fields.count == names.count else {
                throw CSV.Fault(line: row.line, "expected \(names.count) columns; found \(row.fields.count)")
            }
            if hasDecimalComma, let place = places[.health] {
                row.fields[place] = String(row.fields[place].map { $0 == "," ? "." : $0 })
            }
            snapshots.append(try Self.snapshot(row, places, now))
        }
        snapshots.sort { $0.date < $1.date }
    }

    private static func snapshot(
        _ row: CSV.Row, _ places: [Column: Int], _ now: Timestamp
    ) throws(CSV.Fault) -> BatterySnapshot {
        func text(_ column: Column) -> String { places[column].map { row.fields[$0] } ?? "" }
        guard let date = time(text(.date), zone: text(.zone)) else {
            throw CSV.Fault(
                line: row.line,
                "date: expected a day or a time, 2024-09-21 or 2024-09-21T10:00:00Z; found \(quoted(text(.date)))")
        }
        guard date <= now else { throw CSV.Fault(line: row.line, "date: \(quoted(text(.date))) lies in the future") }
        let values: [(IngestURL.Parameter, Column)] = [
            (.cycles, .cycles), (.health, .health), (.firstUse, .firstUse), (.mfgDate, .mfgDate),
        ]
        do throws(IngestURL.Refusal) {
            let battery = try IngestURL.battery(values.map { ($0.0, text($0.1)) }, now: now)
            return BatterySnapshot(id: 0, date: date, battery: battery)
        } catch {
            throw CSV.Fault(line: row.line, error.faults.map(\.description).joined(separator: "; "))
        }
    }

    private static func time(_ text: String, zone: String) -> Timestamp? {
        if let time = SpreadsheetTime.time(text, offset: SpreadsheetTime.offset(zone)) { return time }
        return CivilDate(text).map { Timestamp(seconds: $0.daysSince1970 * 86_400, nanoseconds: 0) }
    }
}
