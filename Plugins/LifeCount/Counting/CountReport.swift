import Bytes
import PluginKit
import Profile

/// The counts of a location over a period: `lifecount report`. Entries are added in order of their time.
struct CountReport: Sendable {
    let range: CountRange
    let rules: CountingRules
    /// The present, and the last second of the period that has begun, in seconds since 1970.
    let now: Int64
    let end: Int64
    private(set) var totals: CountTotals
    /// The previous period; nil if not requested.
    private(set) var former: CountTotals?
    private(set) var quality: CountQuality
    /// Seconds since a counter was last seen; nil if none is known.
    let silence: Int64?
    /// Connection to a gateway; nil if not known.
    var connection: CountConnection?
    /// Whether the text has the colours of a terminal.
    var isColored = false
    /// Number of counted entries.
    private(set) var entries = 0
    /// The location; nil for all together.
    private let location: Int64?
    /// Start of the period of the totals, in seconds since 1970.
    let start: Int64
    /// Start of the entries that are needed, in seconds since 1970.
    let firstTime: Int64

    /// Seconds of silence after which a counter is stale: three heartbeats.
    static let patience: Int64 = 90

    /// - Parameters:
    ///   - now: in seconds since 1970.
    ///   - silence: seconds since a counter was last seen; nil if none is known.
    init(
        _ range: CountRange, now: Int64, _ rules: CountingRules, location: Int64?, compares: Bool, silence: Int64?
    ) {
        self.range = range
        self.location = location
        self.rules = rules
        self.now = now
        let buckets = range.buckets(at: now, rules)
        start = buckets.first?.start ?? now
        end = min(now, (buckets.last?.end ?? now + 1) - 1)
        quality = CountQuality(location: location, from: start, to: end, rules)
        totals = CountTotals(buckets, now: now, rules)
        former = compares ? CountTotals(range.formerBuckets(at: now, rules), now: now, rules) : nil
        firstTime = former?.buckets.first?.range.start ?? start
        self.silence = silence
    }

    /// Records the last entry of a counter before the period, or the first one after it. It only shows which sequence
    /// numbers are missing: the previous period has it from `take`.
    mutating func recordNeighbor(_ entry: CountEntry) { quality.take(entry) }

    /// Adds an entry. An entry of another location, or outside the periods, only shows which sequence numbers of a
    /// counter are missing.
    mutating func take(_ entry: CountEntry) {
        quality.take(entry)
        let time = seconds(ofMilliseconds: entry.time)
        guard time >= firstTime, time <= end, location == nil || entry.location == location else { return }
        entries += 1
        totals.take(entry)
        former?.take(entry)
    }

    /// Completes the report after the last entry.
    mutating func finish() {
        totals.finish()
        former?.finish()
    }

    /// Whether the period has ended: a report of days gone by.
    var isPast: Bool { end < now }
    var isStale: Bool { !isPast && silence.map { $0 > Self.patience } ?? false }

    // MARK: - Text

    var text: String {
        var lines = [heading, ""]
        if range.isDay { lines.append(occupancy(isColored: isColored)) }
        lines += figures.map { figure in
            let name = figure.name + String(repeating: " ", count: max(1, 20 - figure.name.count))
            return name + figure.now + (figure.before.map { "   before \($0.value)   \($0.difference.text)" } ?? "")
        }
        lines += ["", Self.row(["", "in", "out", "peak"])]
        lines += totals.buckets.map { Self.row([$0.range.label, "\($0.entered)", "\($0.left)", "\($0.peak)"]) }
        if !remarks.isEmpty { lines += ["", "Data quality"] + remarks.map { "  \($0)" } }
        return lines.joined(separator: "\n") + "\n"
    }

    private var heading: String {
        let start = totals.buckets.first.map { rules.zone.text($0.range.start) } ?? ""
        let to = rules.zone.text(isPast ? end + 1 : now)
        return "\(range.name), from \(start) to \(to), \(rules.zone.name.legible())"
    }

    /// Who is inside now, or was when the day ended.
    private func occupancy(isColored: Bool) -> String {
        (isPast ? "at the end " : "") + totals.occupancy(isColored: isColored)
    }

    private static func row(_ cells: [String]) -> String {
        let first = cells[0] + String(repeating: " ", count: max(0, 12 - cells[0].count))
        return first + cells.dropFirst().map { String(repeating: " ", count: max(1, 8 - $0.count)) + $0 }.joined()
    }

    /// A figure of the period, and of the previous one.
    private struct Figure {
        let name: String
        /// Name in JSON.
        let key: String
        let now: String
        let before: (value: String, difference: CountDifference)?
    }

    private var figures: [Figure] {
        func figure(
            _ name: String, _ amount: (CountTotals) -> Double, decimals: Int = 0,
            note: (CountTotals) -> String? = { _ in nil }
        ) -> Figure {
            func text(_ totals: CountTotals) -> String {
                amount(totals).text(fixed: decimals) + (note(totals).map { " \($0)" } ?? "")
            }
            return Figure(
                name: name, key: name.replacing(" ", with: "_"), now: text(totals),
                before: former.map { former in
                    (
                        value: text(former),
                        difference: CountDifference(amount(totals), amount(former), decimals: decimals)
                    )
                })
        }
        return [
            figure("in", { Double($0.entered) }), figure("out", { Double($0.left) }),
            figure("net", { Double($0.net) }),
            figure("peak", { Double($0.peak?.peak ?? 0) }, note: { $0.peak.map { "(\($0.range.label))" } }),
            figure(
                "peak flow", { Double($0.peakFlow?.entered ?? 0) },
                note: { $0.peakFlow.map { "in (\($0.range.label))" } }),
            figure("average", { ($0.average * 10).rounded() / 10 }, decimals: 1),
        ]
    }

    /// Problems with the data, in words.
    var remarks: [String] {
        var remarks: [String] = []
        func add(_ count: Int, _ text: String) { if count > 0 { remarks.append("\(text): \(count)") } }
        add(quality.missing, "events missing (gaps in the sequence numbers)")
        add(quality.missingOverBoundary, "events missing over the boundary hour (in the reports of both days)")
        add(quality.resets, "sequence resets (a counter has started anew)")
        add(quality.late, "events over a minute late")
        add(quality.clockless, "events with the time of their arrival (no clock)")
        add(totals.clamped, "steps out that found nobody in")
        add(totals.overcrowded, "steps in that reached or exceeded the capacity")
        add(quality.manual, "entries by hand")
        add(quality.simulated, "entries of the simulator")
        if quality.hasConflict { remarks.append("conflict: two gateways have received events at the same time") }
        if isStale, let silence {
            let search = connection == .scanning ? "; a gateway is searching" : ""
            remarks.append("stale: no counter was heard for \(silence) s\(search)")
        }
        return remarks
    }

    // MARK: - Data

    /// A JSON object.
    var json: String {
        JSONValue.members([
            "range": .string(range.name),
            "start": totals.buckets.first.map { .string(rules.zone.text($0.range.start)) },
            "end": jsonEnd,
            "now": .string(rules.zone.text(now)), "time_zone": .string(rules.zone.name),
            "boundary_hour": .integer(Int(rules.boundaryHour)), "capacity": rules.capacity.map { .integer(Int($0)) },
            "connection": connection.map { .string($0.rawValue) },
            "count": .integer(Int(totals.count)), "status": totals.status.map { .string($0.rawValue) },
            "totals": json(totals),
            "before": former.map { json($0) },
            "difference": differences,
            "buckets": .array(
                totals.buckets.map { bucket in
                    .members([
                        "label": .string(bucket.range.label), "start": .string(rules.zone.text(bucket.range.start)),
                        "end": .string(rules.zone.text(bucket.range.end)), "in": .integer(Int(bucket.entered)),
                        "out": .integer(Int(bucket.left)), "peak": .integer(Int(bucket.peak)),
                    ])
                }),
            "quality": .members([
                "missing": .integer(quality.missing),
                "missing_over_boundary": .integer(quality.missingOverBoundary),
                "resets": .integer(quality.resets), "late": .integer(quality.late),
                "clockless": .integer(quality.clockless), "clamped": .integer(totals.clamped),
                "overcrowded": .integer(totals.overcrowded), "manual": .integer(quality.manual),
                "simulated": .integer(quality.simulated), "conflict": .boolean(quality.hasConflict),
                "stale": .boolean(isStale),
            ]),
        ]).text
    }

    /// End of a period that is over.
    private var jsonEnd: JSONValue? { isPast ? .string(rules.zone.text(end + 1)) : nil }

    private var differences: JSONValue? {
        if former == nil { return nil }
        var members: [JSONValue.Member] = []
        for one in figures {
            if let before = one.before { members.append(.init(name: one.key, value: before.difference.json)) }
        }
        return .object(members)
    }

    private func json(_ totals: CountTotals) -> JSONValue {
        .members([
            "in": .integer(Int(totals.entered)), "out": .integer(Int(totals.left)), "net": .integer(Int(totals.net)),
            "peak": .integer(Int(totals.peak?.peak ?? 0)), "peak_bucket": totals.peak.map { .string($0.range.label) },
            "peak_flow": .integer(Int(totals.peakFlow?.entered ?? 0)),
            "peak_flow_bucket": totals.peakFlow.map { .string($0.range.label) },
            "average": .number((totals.average * 10).rounded() / 10),
        ])
    }

    /// CSV with a row for each bucket.
    var csv: String {
        let rows = totals.buckets.map { bucket in
            [
                bucket.range.label, rules.zone.text(bucket.range.start), rules.zone.text(bucket.range.end),
                "\(bucket.entered)", "\(bucket.left)", "\(bucket.peak)",
            ]
        }
        return String(
            decoding: ([["bucket", "start", "end", "in", "out", "peak"]] + rows).flatMap { CSV.line($0) }, as: UTF8.self
        )
    }

    // MARK: - Page

    var html: String {
        var page = Page("LifeCount, \(range.name)")
        page.add(paragraph: heading)
        if range.isDay { page.add(paragraph: occupancy(isColored: false), severity: totals.status?.severity) }
        page.add(
            table: ["figure", "value"] + (former == nil ? [] : ["before", "difference"]),
            figures.map { [$0.name, $0.now] + ($0.before.map { [$0.value, $0.difference.text] } ?? []) })
        let labels = totals.buckets.map(\.range.label)
        func bars(_ name: String, _ value: (CountTotals.Bucket) -> Int64) -> Chart.Series {
            .init(name, .bars, totals.buckets.enumerated().map { .init(Double($0), Double(value($1))) })
        }
        page.add(
            Chart("In and out", x: .categories(labels), y: "people", [bars("in", \.entered), bars("out", \.left)]))
        let capacity = rules.capacity.map { [Chart.Threshold("capacity", Double($0))] } ?? []
        if range.isDay {
            let curve = totals.curve.map { Chart.Point(Double($0.time), Double($0.count)) }
            page.add(
                Chart(
                    "Inside", x: .time(rules.zone), y: "people", [.init("inside", .steps, curve)], thresholds: capacity)
            )
        } else {
            page.add(Chart("Peak", x: .categories(labels), y: "people", [bars("peak", \.peak)], thresholds: capacity))
        }
        if !remarks.isEmpty {
            page.add(heading: "Data quality")
            for remark in remarks { page.add(paragraph: remark) }
        }
        return page.html
    }
}

/// The difference of a figure from that of the period before.
struct CountDifference: Hashable, Sendable {
    let absolute: Double
    /// Of the magnitude before; nil if that is zero.
    let percent: Double?
    private let decimals: Int

    init(_ now: Double, _ before: Double, decimals: Int = 0) {
        absolute = now - before
        percent = before == 0 ? nil : (now - before) / abs(before) * 100
        self.decimals = decimals
    }

    /// `+43 (+35.8 %)`; the percentage of zero is “–”.
    var text: String {
        "\(Self.signed(absolute, decimals)) (\(percent.map { Self.signed($0, 1) + " %" } ?? "–"))"
    }

    private static func signed(_ number: Double, _ decimals: Int) -> String {
        (number > 0 ? "+" : "") + number.text(fixed: decimals)
    }

    var json: JSONValue {
        .object(of: [
            (name: "absolute", value: .number((absolute * 10).rounded() / 10)),
            (name: "percent", value: percent.map { .number(($0 * 10).rounded() / 10) } ?? .null),
        ])
    }
}
