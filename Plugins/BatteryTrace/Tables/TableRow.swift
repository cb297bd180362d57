import Bytes
import Profile

/// A value that is written as a row of a table with a header.
public protocol TableRow: Sendable {
    /// The header row.
    static var columns: [String] { get }
    /// The value as a row.
    var fields: [String] { get }
}

extension TableRow {
    /// The values as a table with its header; with `asText`, no spreadsheet evaluates its cells.
    public static func table(_ rows: [Self], asText: Bool = false) -> [UInt8] {
        rows.reduce(into: CSV.line(columns)) { $0 += CSV.line(asText ? $1.fields.map(CSV.asText) : $1.fields) }
    }
}

extension BatterySnapshot: TableRow {
    public static let columns = ["id", "date", "cycles", "health", "first_use", "mfg_date"]

    public var fields: [String] {
        [
            String(id), date.description, battery.cycles.map { String($0) } ?? "",
            battery.health?.text(decimals: 6) ?? "", battery.firstUse?.description ?? "",
            battery.mfgDate?.description ?? "",
        ]
    }
}

extension ChargeSession: TableRow {
    public static let columns = [
        "id", "start", "end", "avg_w", "peak_w", "delta_pct", "duration_s", "eta_s", "model", "charger", "notes",
        "inferred_charger", "device",
    ]

    public var fields: [String] {
        [
            String(id), start.description, end?.description ?? "", averageWatts?.text(decimals: 3) ?? "",
            peakWatts?.text(decimals: 3) ?? "", risenPercent.text(decimals: 3), duration.text(decimals: 3),
            secondsToFull?.text(decimals: 0) ?? "", model, charger, notes, inferredCharger, device ?? "",
        ]
    }
}

extension ChargeSample: TableRow {
    public static let columns = [
        "time", "level", "state", "current_ma", "power_w", "smoothed_w", "eta_s", "device",
    ]

    public var fields: [String] {
        [
            time.description, level.text(decimals: 6), state.rawValue, estimate?.milliamperes.text(decimals: 1) ?? "",
            estimate?.watts.text(decimals: 3) ?? "", estimate?.smoothedWatts.text(decimals: 3) ?? "",
            estimate?.secondsToFull.text(decimals: 0) ?? "", device ?? "",
        ]
    }
}
