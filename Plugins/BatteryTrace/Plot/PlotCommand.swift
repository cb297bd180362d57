import PluginKit
import Profile

extension PluginCommand {
    private static let what = CommandParameter.argument(
        "what", help: "health, cycles, degradation or session.")
    private static let trend = CommandParameter.option(
        "trend", placeholder: "name",
        help: "Trend of health and degradation: loess (by default), ema or none; it takes four points.")
    private static let span = CommandParameter.option(
        "span", .number(0.1...1), placeholder: "part", help: "Part of the points that LOESS regards at a place; 0.75.")
    private static let session = CommandParameter.option(
        "session", .number(1...1e15), placeholder: "number", help: "The session to draw; the last one by default.")
    private static let format = CommandParameter.option(
        "to", placeholder: "format", help: "svg (by default), html: a page in one file, or csv: the data.")

    /// `battery plot`.
    static let plot = PluginCommand(
        name: "plot",
        abstract: "Draw how a battery ages, or how it was charged.",
        discussion: """
            health: maximum capacity by date · cycles: charge cycles by date · degradation: maximum capacity by cycles · \
            session: power and level of a charge. Each battery has a line of its own, told apart by first use and date of \
            manufacture. A line ends where nothing is known for three times as long as usual.

            \(Disclaimer.text)

            Exit codes: 0 · 2 usage error · 3 the store cannot be read · 4 there is no point to draw: the plot says so.
            """,
        examples: [
            "plot health -o health.svg", "plot degradation --trend ema --to html -o battery.html",
            "plot session --session 3 --to csv",
        ],
        parameters: [what, trend, span, session, format, .zone, .output], tables: BatteryTables.all
    ) { input throws(CommandError) in
        guard let kind = PlotKind(rawValue: input.text(what) ?? "") else {
            let names = PlotKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("\(quoted(input.text(what) ?? "")): expected one of \(names)")
        }
        guard let trend = Trend(rawValue: input.text(trend) ?? Trend.loess.rawValue) else {
            throw .usage("--trend: expected loess, ema or none")
        }
        guard let format = PlotFormat(rawValue: input.text(format) ?? PlotFormat.svg.rawValue) else {
            throw .usage("--to: expected svg, html or csv")
        }
        let plot: any BatteryPlot
        if kind == .session {
            plot = try sessionPlot(input)
        } else {
            plot = AgeingPlot(
                kind, input.snapshots, trend: trend, span: input.number(span) ?? 0.75, zone: input.zone(.zone))
        }
        let text =
            switch format {
            case .svg: plot.svg
            case .html: plot.html
            case .csv: plot.csv
            }
        return CommandOutput(
            text, notes: plot.isEmpty ? [plot.emptyText] : [], outcome: plot.isEmpty ? .inconclusive : .done)
    }

    private static func sessionPlot(_ input: CommandInput) throws(CommandError) -> SessionPlot {
        let sessions = input.sessions
        var chosen = sessions.last
        if let id = input.number(session).map({ Int($0) }) {
            chosen = sessions.first { $0.id == id }
            if chosen == nil { throw .usage("there is no session \(id)") }
        }
        return SessionPlot(chosen, of: sessions, input.samples, zone: input.zone(.zone))
    }
}

/// The subject of `battery plot`.
enum PlotKind: String, CaseIterable, Sendable {
    case health, cycles, degradation, session
}

enum PlotFormat: String, CaseIterable, Sendable {
    case svg, html, csv
}

/// A plot in each format.
protocol BatteryPlot {
    var svg: String { get }
    var html: String { get }
    var csv: String { get }
    var isEmpty: Bool { get }
    /// Explanation for a plot without a point.
    var emptyText: String { get }
}
