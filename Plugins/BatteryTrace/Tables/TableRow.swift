import Bytes
public import PluginKit
import Profile

/// A value that is written as a row of a table with a header. The column `zone` has the offset of its times from UTC.
public protocol TableRow: Sendable {
    /// The header row.
    static var columns: [String] { get }
    /// The value as a row, with times of a zone.
    func fields(in zone: TimeZoneTable) -> [String]
}

extension TableRow {
    /// The values as a table with its header; with `asText`, no spreadsheet evaluates its cells.
    public static func table(_ rows: [Self], in zone: TimeZoneTable, asText: Bool = false) -> [UInt8] {
        rows.reduce(into: CSV.line(columns)) { table, row in
            let fields = row.fields(in: zone)
            table += CSV.line(asText ? fields.map(CSV.asText) : fields)
        }
    }
}

extension BatterySnapshot: TableRow {
    public static let columns = ["id", "date", "cycles", "health", "first_use", "mfg_date", SpreadsheetTime.zoneColumn]

    public func fields(in zone: TimeZoneTable) -> [String] {
        let offset = SpreadsheetTime.offset(of: zone, at: date)
        return [
            String(id), SpreadsheetTime.text(date, offset: offset), battery.cycles.map { String($0) } ?? "",
            battery.health?.text(decimals: 6) ?? "", battery.firstUse?.description ?? "",
            battery.mfgDate?.description ?? "", SpreadsheetTime.text(ofOffset: offset),
        ]
    }
}

extension ChargeSession: TableRow {
    public static let columns = [
        "id", "start", "end", "avg_w", "peak_w", "delta_pct", "duration_s", "eta_s", "model", "charger", "notes",
        "inferred_charger", SpreadsheetTime.zoneColumn, "device",
    ]

    public func fields(in zone: TimeZoneTable) -> [String] {
        let offset = SpreadsheetTime.offset(of: zone, at: start)
        return [
            String(id), SpreadsheetTime.text(start, offset: offset),
            end.map { SpreadsheetTime.text($0, offset: offset) } ?? "", averageWatts?.text(decimals: 3) ?? "",
            peakWatts?.text(decimals: 3) ?? "", risenPercent.text(decimals: 3), duration.text(decimals: 3),
            secondsToFull?.text(decimals: 0) ?? "", model, charger, notes, inferredCharger,
            SpreadsheetTime.text(ofOffset: offset), device ?? "",
        ]
    }
}

extension ChargeSample: TableRow {
    public static let columns = [
        "time", "level", "state", "current_ma", "power_w", "smoothed_w", "eta_s", SpreadsheetTime.zoneColumn, "device",
    ]

    public func fields(in zone: TimeZoneTable) -> [String] {
        let offset = SpreadsheetTime.offset(of: zone, at: time)
        return [
            SpreadsheetTime.text(time, offset: offset), level.text(decimals: 6), state.rawValue,
            estimate?.milliamperes.text(decimals: 1) ?? "", estimate?.watts.text(decimals: 3) ?? "",
            estimate?.smoothedWatts.text(decimals: 3) ?? "", estimate?.secondsToFull.text(decimals: 0) ?? "",
            SpreadsheetTime.text(ofOffset: offset), device ?? "",
        ]
    }
}
