import Bytes
import PluginKit
import Testing

@testable import PluginKit

struct ChartTests {
    /// Paris in 2026: UTC+1, and UTC+2 from 2026-03-29T01:00Z to 2026-10-25T01:00Z.
    private static let paris = TimeZoneTable(
        name: "Europe/Paris", initialOffset: 3600,
        transitions: [.init(time: 1_774_746_000, offset: 7200), .init(time: 1_792_890_000, offset: 3600)])

    private func chart(_ points: [Chart.Point], _ kind: Chart.Series.Kind = .line) -> Chart {
        Chart("Occupancy", x: .numbers("h"), y: "people", [.init("inside", kind, points)])
    }

    @Test(arguments: [[], [Chart.Point(1, nil)], [Chart.Point(.nan, 3)]])
    func saysThatThereIsNoData(points: [Chart.Point]) {
        let svg = chart(points).svg()
        #expect(svg.contains(">no data</text>"))
        #expect(!svg.contains("<path"))
    }

    @Test func drawsASinglePointAsAMark() {
        let svg = chart([.init(5, 12)]).svg()
        #expect(svg.contains("<circle"))
        #expect(!svg.contains("NaN") && !svg.contains("nan") && !svg.contains("inf"))
    }

    /// Numbers whose difference is not finite, and a pair of neighbours next to which half a unit is lost to rounding.
    @Test(arguments: [
        [-Double.greatestFiniteMagnitude, .greatestFiniteMagnitude], [1e300, 1e300], [0, .leastNonzeroMagnitude],
        [-.greatestFiniteMagnitude, -.greatestFiniteMagnitude], [.infinity, 1, 2], [1.7e308, 1.79e308],
    ])
    func drawsValuesAtTheEndsOfTheirRange(values: [Double]) {
        for kind in [Chart.Series.Kind.line, .bars, .steps, .marks] {
            let points = values.enumerated().map { Chart.Point(Double($0.offset), $0.element) }
            let svg = chart(points, kind).svg()
            #expect(svg.contains("viewBox") && !svg.contains("=\"nan") && !svg.contains("=\"inf"))
            let turned = chart(values.map { Chart.Point($0, 1) }, kind).svg()
            #expect(turned.contains("viewBox") && !turned.contains("=\"nan") && !turned.contains("=\"inf"))
        }
    }

    @Test func interruptsALineAtAGap() {
        let svg = chart([.init(0, 1), .init(1, 2), .init(2, nil), .init(3, 2), .init(4, 1)]).svg()
        #expect(svg.components(of: "<path").count == 3)
    }

    @Test func dashesATrendAndMarksPoints() {
        let points = [Chart.Point(0, 1), .init(1, 2), .init(2, nil), .init(3, 4)]
        let marked = chart(points, .marks).svg()
        #expect(marked.components(of: "<circle").count >= 4 && marked.components(of: "<path").count == 2)
        #expect(
            !marked.contains("class=\"line trend") && chart(points, .trend).svg().contains("class=\"line trend s0\""))
    }

    @Test func namesTheAxesAndStacksCharts() {
        let one = chart([.init(0, 1), .init(1, 2)])
        #expect(one.svg().contains(">h</text>") && one.svg().contains(">people</text>"))
        let stacked = Chart.svg(stacking: [one, one], width: 300, height: 150)
        #expect(stacked.contains("viewBox=\"0 0 300 300\"") && stacked.contains("y=\"150\" viewBox=\"0 0 300 150\""))
    }

    /// A legend that does not fit next to the title moves below it.
    @Test func legendsBreakIntoRows() {
        func heights(_ count: Int) -> Set<Substring> {
            var chart = chart([])
            chart.series = (0..<count).map {
                .init("a series with a long name", .line, [.init(0, 1), .init(1, Double($0))])
            }
            return Set(chart.svg().components(of: "<rect").dropFirst().map { $0.prefix { $0 != "w" }.suffix(5) })
        }
        #expect(heights(2).count == 1)
        #expect(heights(6).count == 2)
    }

    @Test func leavesOutABarWithoutAValue() {
        let svg = chart([.init(0, 1), .init(1, nil), .init(2, 3)], .bars).svg()
        #expect(svg.components(of: "<rect").count == 3)
    }

    @Test func showsThresholdsWithinTheAxis() {
        var chart = chart([.init(0, 10), .init(1, 20)])
        chart.thresholds = [.init("capacity", 80)]
        #expect(chart.svg().contains(">capacity</text>"))
    }

    @Test func escapesTexts() {
        var chart = chart([.init(0, 1), .init(1, 2)])
        chart.title = "<script>\"&'\u{1}"
        let svg = chart.svg()
        #expect(svg.contains("&lt;script&gt;&quot;&amp;&#39;<"))
        #expect(!svg.contains("<script>"))
    }

    @Test func drawsHugeSeriesWithALimit() {
        let points = (0..<1_000_000).map { Chart.Point(Double($0), Double($0 % 7)) }
        #expect(chart(points).svg().utf8.count < 200_000)
    }

    @Test(arguments: [-1e300...1e300, 0...0, -5 ... -5, 1e-9...2e-9])
    func survivesAnyRange(range: ClosedRange<Double>) {
        let svg = chart([.init(0, range.lowerBound), .init(1, range.upperBound)]).svg()
        #expect(svg.hasSuffix("</svg>\n"))
        #expect(!svg.contains("nan") && !svg.contains("inf\""))
    }

    struct NumberCase: Sendable {
        var range: ClosedRange<Double>
        var labels: [String]
    }

    @Test(arguments: [
        NumberCase(range: 0...100, labels: ["0", "20", "40", "60", "80", "100"]),
        NumberCase(range: 0...1, labels: ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        NumberCase(range: -3...3, labels: ["−2", "0", "2"]),
        NumberCase(range: 0...0.07, labels: ["0.00", "0.02", "0.04", "0.06"]),
    ])
    func marksNumbers(one: NumberCase) {
        #expect(NumberTicks.ticks(one.range, count: 5).map(\.label) == one.labels)
    }

    struct TimeCase: Sendable {
        var start: Int64
        var end: Int64
        var labels: [String]
    }

    @Test(arguments: [
        // 2026-03-01T11:00Z to 17:00Z.
        TimeCase(
            start: 1_772_362_800, end: 1_772_384_400,
            labels: ["12:00", "13:00", "14:00", "15:00", "16:00", "17:00", "18:00"]),
        // The night in which 02:00 becomes 03:00.
        TimeCase(
            start: 1_774_738_800, end: 1_774_756_800, labels: ["00:00", "01:00", "03:00", "04:00", "05:00", "06:00"]),
        // Eight days: midnights of the zone.
        TimeCase(
            start: 1_774_566_000, end: 1_775_167_200,
            labels: ["03-27", "03-28", "03-29", "03-30", "03-31", "04-01", "04-02", "04-03"]),
        // A year: months.
        TimeCase(
            start: 1_767_222_000, end: 1_798_758_000,
            labels: ["2026-01", "2026-03", "2026-05", "2026-07", "2026-09", "2026-11", "2027-01"]),
    ])
    func marksTimesByTheClockOfTheZone(one: TimeCase) {
        let ticks = TimeTicks.ticks(Double(one.start)...Double(one.end), in: Self.paris, count: 8)
        #expect(ticks.map(\.label) == one.labels)
    }

    @Test func pagesAreSelfContained() {
        var page = Page("Count <1>")
        page.add(heading: "Today")
        page.add(table: ["hour", "in"], [["12:00", "3"], ["13:00", "14"]])
        page.add(chart([.init(0, 1), .init(1, 2)]))
        #expect(page.html.contains("<title>Count &lt;1&gt;</title>"))
        #expect(page.html.contains("<td class=\"number\">14</td>"))
        #expect(!page.html.contains("src=") && !page.html.contains("href="))
    }
}

extension String {
    fileprivate func components(of separator: String) -> [Substring] {
        split(separator: separator, omittingEmptySubsequences: false)
    }
}
