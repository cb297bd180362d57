extension Chart {
    /// Margins around the plot, in pixels.
    private enum Margin {
        static let left = 56.0
        static let right = 16.0
        static let top = 30.0
        static let bottom = 30.0
    }

    private static let palette = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"]
    /// The palette for a dark background.
    private static let darkPalette = ["#56b4e9", "#e69f00", "#2bc49a", "#d98fb9", "#8fd0f5", "#ff8a3d"]

    /// Maximum number of points drawn per series; longer series are thinned out.
    private static let pointLimit = 4000

    /// Returns the chart as an SVG image of `width` by `height` pixels. A chart without values states so.
    public func svg(width: Int = 720, height: Int = 260) -> String { svg(width, height, place: "") }

    /// Returns charts stacked in one SVG image, each `width` by `height` pixels.
    public static func svg(stacking charts: [Chart], width: Int = 720, height: Int = 260) -> String {
        let all = max(120, height) * charts.count
        let parts = charts.enumerated().map { $1.svg(width, height, place: "y=\"\($0 * max(120, height))\" ") }
        return
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(all)\" width=\"\(width)\" height=\"\(all)\">\n"
            + parts.joined() + "</svg>\n"
    }

    private func svg(_ width: Int, _ height: Int, place: String) -> String {
        let (width, height) = (max(160, width), max(120, height))
        var parts = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" \(place)viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" \
            role="img" aria-label="\(title.escapedForXML)">
            <style>\(Self.style)</style>
            <text class="title" x="\(Int(Margin.left))" y="16">\(title.escapedForXML)</text>
            """
        ]
        if hasValues {
            parts += plot(Double(width), Double(height))
        } else {
            parts.append("<text class=\"note\" x=\"\(width / 2)\" y=\"\(height / 2)\">no data</text>")
        }
        return parts.joined(separator: "\n") + "\n</svg>\n"
    }

    /// Uses classes for colours, because not every SVG viewer supports variables.
    private static var style: String {
        func colours(_ palette: [String], ink: String, line: String) -> String {
            palette.enumerated().map { ".f\($0){fill:\($1)}.s\($0){stroke:\($1)}" }.joined()
                + "text{fill:\(ink)}.grid{stroke:\(line)}.threshold{stroke:\(ink)}"
        }
        return "svg{font:12px system-ui,sans-serif}.title{font-weight:600}.note,.x{text-anchor:middle}"
            + ".y{text-anchor:end}.threshold{stroke-dasharray:5 4}.line{fill:none;stroke-width:1.8}.trend{stroke-dasharray:7 4}"
            + colours(palette, ink: "#222", line: "#d5d5d5")
            + "@media(prefers-color-scheme:dark){\(colours(darkPalette, ink: "#e4e4e4", line: "#4a4a4a"))}"
    }

    /// The class of a series' colour: `f0` fills, `s0` strokes.
    private func colour(_ kind: Character, _ index: Int) -> String { "\(kind)\(index % Self.palette.count)" }

    private func plot(_ width: Double, _ height: Double) -> [String] {
        let vertical = NumberTicks.widened(verticalDomain, count: 5)
        let places = legendPlaces(width)
        let top = places.last.map { Margin.top + $0.row * Self.lineHeight } ?? Margin.top
        let y = Scale(vertical, from: height - Margin.bottom, to: top)
        let x = Scale(horizontalDomain, from: Margin.left, to: width - Margin.right)
        var parts: [String] = []
        for tick in NumberTicks.ticks(vertical, count: 5) {
            let place = y(tick.value).short
            parts.append(
                "<line class=\"grid\" x1=\"\(Margin.left.short)\" x2=\"\((width - Margin.right).short)\" y1=\"\(place)\" "
                    + "y2=\"\(place)\"/><text class=\"y\" x=\"\((Margin.left - 6).short)\" "
                    + "y=\"\((y(tick.value) + 4).short)\">\(tick.label)</text>")
        }
        for tick in horizontalTicks(Int((width - Margin.left) / 80)) where x.domain.contains(tick.value) {
            parts.append(
                "<text class=\"x\" x=\"\(x(tick.value).short)\" y=\"\((height - 10).short)\">"
                    + "\(tick.label.escapedForXML)</text>")
        }
        parts.append("<text class=\"y\" x=\"\((width - Margin.right).short)\" y=\"16\">\(self.y.escapedForXML)</text>")
        if case .numbers(let title) = self.x {
            parts.append(
                "<text class=\"y\" x=\"\((width - Margin.right).short)\" y=\"\((height - Margin.bottom - 6).short)\">"
                    + "\(title.escapedForXML)</text>")
        }
        let bars = series.indices.filter { series[$0].kind == .bars }
        for (index, one) in series.enumerated() {
            let points = drawn(one.points)
            switch one.kind {
            case .bars:
                parts += self.bars(points, one.name, index, bars.firstIndex(of: index) ?? 0, bars.count, x, y)
            case .line, .steps, .trend: parts += line(points, one, index, x, y)
            case .marks:
                parts += line(points, one, index, x, y) + points.compactMap { mark($0, one.name, index, x, y) }
            case .points: parts += points.compactMap { mark($0, one.name, index, x, y) }
            }
        }
        for threshold in thresholds where vertical.contains(threshold.y) {
            let place = y(threshold.y)
            let isHigh = place < top + 14
            parts.append(
                "<line class=\"threshold\" x1=\"\(Margin.left.short)\" x2=\"\((width - Margin.right).short)\" "
                    + "y1=\"\(place.short)\" y2=\"\(place.short)\"/><text x=\"\((Margin.left + 4).short)\" "
                    + "y=\"\((isHigh ? place + 14 : place - 4).short)\">\(threshold.name.escapedForXML)</text>")
        }
        return parts + legend(places)
    }

    // MARK: - Axes

    private var values: [Double] { series.flatMap { $0.points.compactMap(\.y) }.filter(\.isFinite) }

    private var verticalDomain: ClosedRange<Double> {
        var all = values + thresholds.map(\.y).filter(\.isFinite)
        if let range { all += [range.lowerBound, range.upperBound] }
        if series.contains(where: { $0.kind == .bars }) { all.append(0) }
        let (low, high) = (all.min() ?? 0, all.max() ?? 1)
        guard low == high else { return low...high }
        return series.contains { $0.kind == .bars || $0.kind == .steps } ? low...(high + 1) : (low - 0.5)...(high + 0.5)
    }

    private var horizontalDomain: ClosedRange<Double> {
        if case .categories(let names) = x { return -0.5...(Double(max(1, names.count)) - 0.5) }
        let all = series.flatMap { $0.points.map(\.x) }.filter(\.isFinite)
        let (low, high) = (all.min() ?? 0, all.max() ?? 1)
        guard low == high else { return low...high }
        // The axis around a single time spans a day, so that it shows the date.
        let room = if case .time = x { 86_400.0 } else { 30.0 }
        return (low - room)...(high + room)
    }

    private func horizontalTicks(_ count: Int) -> [Tick] {
        switch x {
        case .numbers: return NumberTicks.ticks(horizontalDomain, count: count)
        case .time(let zone): return TimeTicks.ticks(horizontalDomain, in: zone, count: count)
        case .categories(let names):
            let every = max(1, (names.count + count - 1) / max(1, count))
            return names.enumerated().filter { $0.offset % every == 0 }
                .map { Tick(value: Double($0.offset), label: $0.element) }
        }
    }

    // MARK: - Series

    /// The finite points, thinned out if the series is too long; gaps are kept.
    private func drawn(_ points: [Point]) -> [Point] {
        let finite = points.filter { $0.x.isFinite && $0.y?.isFinite != false }
        let every = (finite.count + Self.pointLimit - 1) / Self.pointLimit
        return every <= 1
            ? finite : finite.enumerated().filter { $0.offset % every == 0 || $0.element.y == nil }.map(\.element)
    }

    private func line(_ points: [Point], _ one: Series, _ index: Int, _ x: Scale, _ y: Scale) -> [String] {
        var parts: [String] = []
        for run in points.split(whereSeparator: { $0.y == nil }) {
            // A single point cannot be drawn as a line.
            if run.count == 1, let point = run.first, one.kind != .steps || points.count == 1 {
                parts += [mark(point, one.name, index, x, y)].compactMap(\.self)
                continue
            }
            var path = ""
            for (place, point) in run.enumerated() {
                let (left, top) = (x(point.x).short, y(point.y ?? 0).short)
                path += place == 0 ? "M\(left) \(top)" : one.kind == .steps ? "H\(left)V\(top)" : "L\(left) \(top)"
            }
            parts.append(
                "<path class=\"line \(one.kind == .trend ? "trend " : "")\(colour("s", index))\" d=\"\(path)\"><title>"
                    + "\(one.name.escapedForXML)</title></path>")
        }
        return parts
    }

    private func bars(
        _ points: [Point], _ name: String, _ index: Int, _ place: Int, _ count: Int, _ x: Scale, _ y: Scale
    ) -> [String] {
        let widths = zip(points, points.dropFirst()).map { $1.x - $0.x }.filter { $0 > 0 }
        let slot = max(1, abs(x(x.domain.lowerBound + (widths.min() ?? 1)) - x.start)) * 0.8
        let width = slot / Double(max(1, count))
        return points.compactMap { point in
            guard let value = point.y else { return nil }
            let left = x(point.x) - slot / 2 + width * Double(place)
            let (top, base) = (min(y(value), y(0)), max(y(value), y(0)))
            return "<rect x=\"\(left.short)\" y=\"\(top.short)\" width=\"\(max(0.5, width - 1).short)\" "
                + "height=\"\((base - top).short)\" class=\"\(colour("f", index))\"><title>"
                + "\(name.escapedForXML) \(label(point).escapedForXML): \(NumberTicks.text(ofValue: value))</title></rect>"
        }
    }

    private func mark(_ point: Point, _ name: String, _ index: Int, _ x: Scale, _ y: Scale) -> String? {
        guard let value = point.y else { return nil }
        return "<circle cx=\"\(x(point.x).short)\" cy=\"\(y(value).short)\" r=\"3\" "
            + "class=\"\(colour("f", index))\"><title>\(name.escapedForXML) "
            + "\(label(point).escapedForXML): \(NumberTicks.text(ofValue: value))</title></circle>"
    }

    /// Text of a point's position.
    private func label(_ point: Point) -> String {
        switch x {
        case .numbers: NumberTicks.text(ofValue: point.x)
        case .time(let zone): zone.text(Int64(point.x))
        case .categories(let names):
            names.indices.contains(Int(point.x)) ? names[Int(point.x)] : ""
        }
    }

    private static let lineHeight = 18.0

    /// Positions of the series names, if there are several: beside the title or, without room there, in rows below it.
    private func legendPlaces(_ width: Double) -> [(left: Double, row: Double)] {
        guard series.count > 1 else { return [] }
        let widths = series.map { Double($0.name.count) * 7 + 26 }
        let beside = Margin.left + Double(title.count) * 7.5 + 16
        let room = width - Margin.right - Double(y.count) * 7
        var (left, row) = beside + widths.reduce(0, +) <= room ? (beside, 0.0) : (Margin.left, 1)
        return widths.map { one in
            if row > 0, left > Margin.left, left + one > width - Margin.right { (left, row) = (Margin.left, row + 1) }
            defer { left += one }
            return (left, row)
        }
    }

    private func legend(_ places: [(left: Double, row: Double)]) -> [String] {
        zip(series.indices, places).map { index, place in
            let top = place.row * Self.lineHeight
            return
                "<rect x=\"\(place.left.short)\" y=\"\((top + 7).short)\" width=\"10\" height=\"10\" "
                + "class=\"\(colour("f", index))\"/><text x=\"\((place.left + 14).short)\" "
                + "y=\"\((top + 16).short)\">\(series[index].name.escapedForXML)</text>"
        }
    }
}

extension Double {
    /// A pixel coordinate with one decimal; 0 for NaN.
    fileprivate var short: String {
        let tenths = isNaN ? 0 : Int64((Swift.min(Swift.max(self, -1e9), 1e9) * 10).rounded())
        let sign = tenths < 0 ? "-" : ""
        let (whole, part) = (abs(tenths) / 10, abs(tenths) % 10)
        return part == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(part)"
    }
}
