import Bytes
import PluginKit
import Profile

/// A charging session: its power and level over time. The page also has small charts of the latest sessions.
struct SessionPlot: BatteryPlot {
    private let session: ChargeSession?
    private let sessions: [ChargeSession]
    private let zone: TimeZoneTable
    /// Samples by the ID of their session.
    private var samples: [Int: [ChargeSample]] = [:]

    /// Maximum number of sessions on a page.
    private static let mostCards = 12
    /// Seconds without a sample that count as a gap: two missed reads of the monitor.
    private static let gap = 150.0

    init(_ session: ChargeSession?, of sessions: [ChargeSession], _ samples: [ChargeSample], zone: TimeZoneTable) {
        self.session = session
        self.sessions = Array(sessions.suffix(Self.mostCards))
        self.zone = zone
        let ordered = samples.sorted { $0.time < $1.time }
        for session in self.sessions + [session].compactMap(\.self) where self.samples[session.id] == nil {
            self.samples[session.id] = ordered.filter { session.contains($0) }
        }
    }

    private var ownSamples: [ChargeSample] { session.flatMap { samples[$0.id] } ?? [] }

    var isEmpty: Bool { ownSamples.isEmpty }

    var emptyText: String {
        session == nil
            ? "no session is kept yet: see 'gattbench battery monitor --help'"
            : "no sample of this session is kept"
    }

    // MARK: - Pictures

    private func series(
        _ name: String, _ samples: [ChargeSample], _ kind: Chart.Series.Kind, _ value: (ChargeSample) -> Double?
    ) -> Chart.Series {
        let points = samples.map { Chart.Point(Double($0.time.nanoseconds) / 1e9, value($0)) }
        return .init(name, kind, points.withGaps(atLeast: Self.gap))
    }

    private func powerChart(_ samples: [ChargeSample], _ title: String, average: Double?, isSmall: Bool) -> Chart {
        let smoothed = series("smoothed", samples, .line) { $0.estimate?.smoothedWatts }
        let ofWindow = series("of the window", samples, .points) { $0.estimate?.watts }
        return Chart(
            title, x: .time(zone), y: "power in W", isSmall ? [smoothed] : [ofWindow, smoothed],
            thresholds: average.map { [.init("average \($0.text(decimals: 1)) W", $0)] } ?? [], range: 0...1)
    }

    private var charts: [Chart] {
        let date = session.map { ", \(zone.day(of: $0.start.nanoseconds / 1_000_000_000))" } ?? ""
        return [
            powerChart(ownSamples, "Power (est.)\(date)", average: session?.averageWatts, isSmall: false),
            Chart(
                "Level", x: .time(zone), y: "level in %",
                [series("level", ownSamples, .steps) { $0.level * 100 }], range: 0...100),
        ]
    }

    var svg: String { Chart.svg(stacking: charts) }

    var html: String {
        var page = Page("BatteryTrace: charging sessions")
        page.add(paragraph: Disclaimer.text)
        guard let session else {
            page.add(paragraph: "Nothing to show yet: \(emptyText).")
            return page.html
        }
        page.add(heading: "Session \(session.id)")
        page.add(table: ["figure", "value"], figures(session))
        for chart in charts { page.add(chart) }
        page.add(heading: "Sessions")
        for one in sessions.reversed() {
            let start = one.start.nanoseconds / 1_000_000_000
            let title = "\(one.id): \(zone.day(of: start)) \(zone.clock(start))"
            let chart = powerChart(samples[one.id] ?? [], title, average: one.averageWatts, isSmall: true)
            page.add(chart, width: 340, height: 150)
            page.add(paragraph: figures(one).dropFirst(2).map { "\($0[0]) \($0[1])" }.joined(separator: ", "))
        }
        return page.html
    }

    private func figures(_ session: ChargeSession) -> [[String]] {
        func time(_ time: Timestamp) -> String { zone.text(time.nanoseconds / 1_000_000_000) }
        let rows: [(String, String?)] = [
            ("start", time(session.start)), ("end", session.end.map(time) ?? "lasts"),
            ("average power", session.averageWatts.map { "\($0.text(decimals: 1)) W (est.)" }),
            ("peak power", session.peakWatts.map { "\($0.text(decimals: 1)) W (est.)" }),
            ("rise", "\(session.risenPercent.text(decimals: 1)) %"), ("duration", spanText(session.duration)),
            ("time to full", session.secondsToFull.map { "\(spanText($0)) (est.)" }),
            ("charger", session.charger), ("charger (inferred)", session.inferredCharger), ("model", session.model),
            ("notes", session.notes),
        ]
        return rows.compactMap { name, value in value.flatMap { $0.isEmpty ? nil : [name, $0] } }
    }

    // MARK: - Data

    var csv: String { String(decoding: ChargeSample.table(ownSamples, in: zone), as: UTF8.self) }
}

extension ChargeSession {
    /// Whether a sample belongs to this session.
    fileprivate func contains(_ sample: ChargeSample) -> Bool {
        // Sessions of several files can overlap in time.
        sample.device == device && (sample.session ?? start) == start && sample.time >= start && sample.time <= lastTime
    }
}
