import Bytes
import Conversation
import Dissection
import Output
import PluginKit

/// The charts of a report: numeric fields that change, starting with plugin fields that have a unit.
struct ReportPlots: Sendable {
    let charts: [(chart: Chart, caption: String)]
    /// Number of changing fields that are not drawn.
    let leftOut: Int
    /// Number of fields with a constant value.
    let constant: Int

    /// Maximum number of charts, and of values per series.
    private static let chartLimit = 24
    private static let pointLimit = 300
    /// Maximum number of values in a series whose values are drawn with marks.
    private static let markLimit = 40
    /// Maximum length of a title, which does not wrap.
    private static let titleLimit = 36

    init(
        _ survey: Survey, _ index: CaptureIndex, _ catalog: FieldCatalog, _ goesOn: @escaping @Sendable (Int) -> Bool
    ) async throws {
        let fields = survey.series.filter { $0.key.field.names == nil }
        let changing = fields.filter { $0.value.count > 1 && $0.value.lowest < $0.value.highest }
        let order = changing.map { (key: $0.key, tally: $0.value, rank: Self.rank($0.key, $0.value)) }.sorted {
            ($0.rank, $0.tally.group, $0.key.field.name, $0.key.device)
                < ($1.rank, $1.tally.group, $1.key.field.name, $1.key.device)
        }
        let shown = order.prefix(Self.chartLimit)
        let series = try await Survey.values(of: shown.map(\.key), index, catalog, goesOn)
        let duration = index.progress.duration
        charts = zip(shown, series).map { one, series in
            Self.chart(one.key, one.tally, series, index.device(one.key.device), duration)
        }
        leftOut = changing.count - charts.count
        constant = fields.count - changing.count
    }

    /// Drawing order; lower ranks come first.
    private static func rank(_ key: Survey.SeriesKey, _ tally: Survey.SeriesTally) -> Int {
        if tally.group == Survey.link { return 3 }
        if case .boolean = key.field.format { return 2 }
        return key.field.unit == nil ? 1 : 0
    }

    private static func chart(
        _ key: Survey.SeriesKey, _ tally: Survey.SeriesTally, _ series: PlotSeries, _ device: Device?,
        _ duration: Double
    ) -> (Chart, String) {
        let caption = [tally.group == Survey.link ? nil : tally.group, device?.title].compactMap { $0 }
            .joined(separator: ", ")
        let (unit, seconds) = duration > 7200 ? ("h", 3600.0) : duration > 300 ? ("min", 60) : ("s", 1)
        var points: [Chart.Point] = []
        let isShort = series.parts.count <= pointLimit
        let gap = max(series.gap, duration / 50)
        for part in isShort ? series.parts : series.envelope(0...max(duration, 1e-9), points: pointLimit) {
            if !isShort, let last = points.last, part.time / seconds - last.x > gap / seconds {
                points.append(.init(last.x, nil))
            }
            let values = part.lowest == part.highest ? [part.last] : [part.lowest, part.highest]
            points += values.map { Chart.Point(part.time / seconds, $0) }
        }
        var kind: Chart.Series.Kind = points.count <= markLimit ? .marks : .line
        if case .boolean = key.field.format { kind = .steps }
        let label = key.field.label.count > titleLimit ? key.field.label.prefix(titleLimit - 1) + "…" : key.field.label
        return (Chart(label, x: .numbers(unit), y: key.field.unit ?? "", [.init(label, kind, points)]), caption)
    }
}
