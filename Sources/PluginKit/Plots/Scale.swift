import Bytes

/// Maps values to pixels.
struct Scale {
    let domain: ClosedRange<Double>
    let start: Double
    let end: Double

    /// Widens an empty domain, so that a single value lies in the middle.
    init(_ domain: ClosedRange<Double>, from start: Double, to end: Double) {
        let isEmpty = domain.upperBound - domain.lowerBound <= 0
        // Next to a large number, half a unit would be lost to rounding.
        let room = max(0.5, abs(domain.lowerBound) * 1e-9)
        self.domain = isEmpty ? (domain.lowerBound - room)...(domain.upperBound + room) : domain
        self.start = start
        self.end = end
    }

    func callAsFunction(_ value: Double) -> Double {
        // The width of a finite domain may overflow to infinity; half of it does not.
        let part = (value / 2 - domain.lowerBound / 2) / (domain.upperBound / 2 - domain.lowerBound / 2)
        return start + (end - start) * part
    }
}

/// A tick mark of an axis.
struct Tick: Hashable {
    var value: Double
    var label: String
}

/// Tick marks of a numeric axis: at 1, 2 or 5 times a power of ten.
enum NumberTicks {
    /// About `count` tick marks within a range.
    static func ticks(_ range: ClosedRange<Double>, count: Int) -> [Tick] {
        let step = step(range, count: count)
        guard step > 0, step.isFinite else { return [] }
        let first = (range.lowerBound / step).rounded(.up)
        let last = (range.upperBound / step).rounded(.down)
        guard last - first < 1000 else { return [] }
        return stride(from: first, through: last, by: 1).map { Tick(value: $0 * step, label: text($0 * step, step)) }
    }

    /// The range, widened to whole steps.
    static func widened(_ range: ClosedRange<Double>, count: Int) -> ClosedRange<Double> {
        let step = step(range, count: count)
        guard step > 0, step.isFinite else { return range }
        let low = (range.lowerBound / step).rounded(.down) * step
        let high = (range.upperBound / step).rounded(.up) * step
        return low.isFinite && high.isFinite && low <= high ? low...high : range
    }

    private static func step(_ range: ClosedRange<Double>, count: Int) -> Double {
        let width = range.upperBound - range.lowerBound
        guard width > 0, width.isFinite else { return 0 }
        let rough = width / Double(max(1, count))
        var power = 1.0
        while power * 10 <= rough { power *= 10 }
        while power > rough { power /= 10 }
        return ([1, 2, 5, 10].first { $0 * power >= rough } ?? 10) * power
    }

    /// A display value: a whole number, or one decimal.
    static func text(ofValue value: Double) -> String { text(value, value == value.rounded() ? 1 : 0.1) }

    /// A number with as many decimals as the step.
    static func text(_ value: Double, _ step: Double) -> String {
        var (digits, scaled) = (0, step)
        while digits < 6, abs(scaled - scaled.rounded()) > 1e-9 * abs(scaled) {
            (digits, scaled) = (digits + 1, scaled * 10)
        }
        var factor = 1.0
        for _ in 0..<digits { factor *= 10 }
        let number = (value * factor).rounded()
        guard abs(number) < 1e15 else { return "\(value)" }
        let whole = Int64(abs(number))
        let sign = number < 0 ? "−" : ""
        if digits == 0 { return "\(sign)\(whole)" }
        let text = String(whole)
        let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
        return "\(sign)\(padded.dropLast(digits)).\(padded.suffix(digits))"
    }
}

/// Tick marks of a time axis: at whole minutes, hours, days or months of a zone's local time.
enum TimeTicks {
    private static let steps: [Int64] = [
        60, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 1_209_600,
    ]
    private static let months: [Int64] = [1, 2, 3, 6, 12, 24, 60, 120]
    private static let day: Int64 = 86_400

    static func ticks(_ range: ClosedRange<Double>, in zone: TimeZoneTable, count: Int) -> [Tick] {
        let limit = 4e11
        guard abs(range.lowerBound) < limit, abs(range.upperBound) < limit else { return [] }
        let (start, end) = (Int64(range.lowerBound.rounded(.up)), Int64(range.upperBound.rounded(.down)))
        guard end >= start else { return [] }
        let width = (end - start) / Int64(max(1, count))
        if let step = steps.first(where: { $0 >= width }) { return clockTicks(start, end, step, zone) }
        let step = months.first { $0 * 30 * day >= width } ?? 120
        return monthTicks(start, end, step, zone)
    }

    private static func clockTicks(_ start: Int64, _ end: Int64, _ step: Int64, _ zone: TimeZoneTable) -> [Tick] {
        var local = zone.local(start)
        local -= ((local % step) + step) % step
        var ticks: [Tick] = []
        while true {
            let time = zone.time(ofLocal: local)
            if time > end { break }
            if time >= start, ticks.last.map({ Double(time) > $0.value }) ?? true {
                ticks.append(Tick(value: Double(time), label: label(time, step, zone, isFirst: ticks.isEmpty)))
            }
            local += step
        }
        return ticks
    }

    private static func label(_ time: Int64, _ step: Int64, _ zone: TimeZoneTable, isFirst: Bool) -> String {
        let date = String("\(zone.day(of: time))".dropFirst(5))
        let clock = zone.clock(time)
        return step >= day || clock == "00:00" && !isFirst ? date : clock
    }

    private static func monthTicks(_ start: Int64, _ end: Int64, _ step: Int64, _ zone: TimeZoneTable) -> [Tick] {
        let first = zone.day(of: start)
        var month = (first.year * 12 + first.month - 1) / step * step
        var ticks: [Tick] = []
        while let date = CivilDate(year: month / 12, month: month % 12 + 1, day: 1) {
            let time = zone.start(of: date)
            if time > end { break }
            if time >= start { ticks.append(Tick(value: Double(time), label: String("\(date)".dropLast(3)))) }
            month += step
        }
        return ticks
    }
}
