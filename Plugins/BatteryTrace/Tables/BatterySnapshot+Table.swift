import Bytes
package import Profile

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
