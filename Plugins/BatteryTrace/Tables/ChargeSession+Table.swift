import Bytes
package import Profile

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
