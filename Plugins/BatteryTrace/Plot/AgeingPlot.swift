import Bytes
import PluginKit
import Profile

/// Plot of battery ageing: health and cycles by date, and health by cycles.
struct AgeingPlot: BatteryPlot {
    /// A battery's points with their trend.
    private struct Battery {
        var name: String
        var snapshots: [BatterySnapshot]
        /// In order of x.
        var points: [Point]
        var trend: [Double]?
    }

    private struct Point {
        var x: Double
        var y: Double
        var snapshot: BatterySnapshot
    }

    private let kind: PlotKind
    private let trend: Trend
    private let zone: TimeZoneTable
    private let batteries: [Battery]

    /// Maximum number of batteries; the most recently seen are drawn.
    private static let mostBatteries = 3
    private static let day = 86_400.0

    init(_ kind: PlotKind, _ snapshots: [BatterySnapshot], trend: Trend, span: Double, zone: TimeZoneTable) {
        self.kind = kind
        self.trend = kind == .cycles ? .none : trend
        self.zone = zone
        let trend = self.trend
        let found = devices(of: snapshots).map { snapshots in
            let points = snapshots.compactMap { Self.point(kind, $0) }.sorted {
                ($0.x, $0.snapshot.date) < ($1.x, $1.snapshot.date)
            }
            return Battery(
                name: Self.name(snapshots), snapshots: snapshots, points: points,
                trend: trend.values(points.map { ($0.x, $0.y) }, span: span))
        }
        batteries = Array(found.filter { !$0.points.isEmpty }.suffix(Self.mostBatteries))
    }

    private static func point(_ kind: PlotKind, _ snapshot: BatterySnapshot) -> Point? {
        let date = Double(snapshot.date.nanoseconds) / 1e9
        let (cycles, health) = (snapshot.battery.cycles.map { Double($0) }, snapshot.battery.health.map { $0 * 100 })
        let (x, y): (Double?, Double?) =
            switch kind {
            case .health: (date, health)
            case .cycles: (date, cycles)
            case .degradation, .session: (cycles, health)
            }
        guard let x, let y else { return nil }
        return Point(x: x, y: y, snapshot: snapshot)
    }

    private static func name(_ snapshots: [BatterySnapshot]) -> String {
        if let date = snapshots.lazy.compactMap(\.battery.firstUse).first { return "first used \(date)" }
        if let date = snapshots.lazy.compactMap(\.battery.mfgDate).first { return "made \(date)" }
        return "measured"
    }

    var isEmpty: Bool { batteries.isEmpty }

    var emptyText: String {
        switch kind {
        case .cycles: "no snapshot with cycles is kept yet: see 'gattbench battery ingest --help'"
        case .degradation: "no snapshot with cycles and health is kept yet: see 'gattbench battery ingest --help'"
        default: "no snapshot with health is kept yet: see 'gattbench battery ingest --help'"
        }
    }

    // MARK: - Picture

    private var title: String {
        switch kind {
        case .health: "Battery health"
        case .cycles: "Charge cycles"
        case .degradation, .session: "Degradation"
        }
    }

    private var chart: Chart {
        let series = batteries.flatMap { battery -> [Chart.Series] in
            let points = battery.points.map { Chart.Point($0.x, $0.y) }
            // On an axis of cycles, there are no periods without data.
            let drawn = kind == .degradation ? points : points.withGaps(atLeast: 45 * Self.day)
            let measured = Chart.Series(battery.name, kind == .degradation ? .points : .marks, drawn)
            guard let trend = battery.trend else { return [measured] }
            let name = "trend (\(self.trend == .loess ? "LOESS" : "EMA"))"
            return [measured, Chart.Series(name, .trend, zip(battery.points, trend).map { .init($0.x, $1) })]
        }
        let isHealth = kind != .cycles
        return Chart(
            title, x: kind == .degradation ? .numbers("charge cycles") : .time(zone),
            y: isHealth ? "maximum capacity in %" : "cycles", series, range: isHealth ? 80...100 : nil)
    }

    var svg: String { chart.svg() }

    var html: String {
        var page = Page("BatteryTrace: \(title.lowercased())")
        page.add(chart)
        if isEmpty { page.add(paragraph: "Nothing to show yet: \(emptyText).") }
        for battery in batteries {
            if let acceleration = Acceleration(battery.snapshots), acceleration.isAbnormal {
                page.add(paragraph: "Battery care: \(acceleration.text).")
            }
        }
        if !isEmpty {
            page.add(
                table: ["date", "cycles", "maximum capacity", "first used", "made"],
                batteries.flatMap(\.snapshots).map { snapshot in
                    let battery = snapshot.battery
                    return [
                        "\(zone.day(of: snapshot.date.nanoseconds / 1_000_000_000))",
                        battery.cycles.map { "\($0)" } ?? "",
                        battery.health.map { percentText($0) } ?? "", battery.firstUse.map { "\($0)" } ?? "",
                        battery.mfgDate.map { "\($0)" } ?? "",
                    ]
                })
        }
        return page.html
    }

    // MARK: - Data

    var csv: String {
        let rows = batteries.flatMap { battery in
            battery.points.enumerated().map { index, point -> [String] in
                let cycles = point.snapshot.battery.cycles.map { String($0) }
                let health = point.snapshot.battery.health.map { ($0 * 100).text(decimals: 2) }
                let trend = battery.trend?[index].text(decimals: 3)
                let date = point.snapshot.date
                let offset = SpreadsheetTime.offset(of: zone, at: date)
                return [
                    battery.name, SpreadsheetTime.text(date, offset: offset), cycles ?? "", health ?? "", trend ?? "",
                    SpreadsheetTime.text(ofOffset: offset),
                ]
            }
        }
        let header = ["battery", "date", "cycles", "health_pct", "trend", SpreadsheetTime.zoneColumn]
        return String(decoding: ([header] + rows).flatMap { CSV.line($0) }, as: UTF8.self)
    }
}

extension [Chart.Point] {
    /// Inserts a point without a value into each gap: a distance over three times the median, and over `least`.
    func withGaps(atLeast least: Double) -> [Chart.Point] {
        let distances = zip(self, dropFirst()).map { $1.x - $0.x }.sorted()
        guard distances.count > 1 else { return self }
        let limit = Swift.max(least, 3 * distances[distances.count / 2])
        var points: [Chart.Point] = []
        for point in self {
            if let last = points.last, point.x - last.x > limit { points.append(.init((last.x + point.x) / 2, nil)) }
            points.append(point)
        }
        return points
    }
}
