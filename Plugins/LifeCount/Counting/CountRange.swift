import Bytes
import PluginKit

/// Capacity of a location, and the boundaries of its days ("Operational Day and Noon Reset").
struct CountingRules: Hashable, Sendable {
    /// Maximum number of people; nil if not known.
    var capacity: Int64?
    var zone: TimeZoneTable
    /// Hour of local time at which an operational day begins.
    var boundaryHour: Int64 = 12

    /// Start of the operational day of a date, in seconds since 1970: the boundary hour or, if a clock change skips it,
    /// the first time after it.
    func start(of date: CivilDate) -> Int64 { zone.time(ofLocal: date.daysSince1970 * 86_400 + boundaryHour * 3600) }

    /// Date of the operational day of a time: the date on which the day began.
    func date(of time: Int64) -> CivilDate {
        let date = zone.day(of: time)
        return time < start(of: date) ? date.advanced(days: -1) : date
    }

    /// Start of the operational day after that of a time, in seconds since 1970.
    func nextStart(after time: Int64) -> Int64 {
        start(of: date(of: time).advanced(days: 1))
    }
}

/// The period of a report, and its division into buckets.
enum CountRange: Hashable, Sendable {
    case today, week, month, year
    /// The operational days from one date to another, both included.
    case days(CivilDate, CivilDate)

    /// The periods up to the present, by name.
    static let named: KeyValuePairs<String, CountRange> = [
        "today": .today, "7d": .week, "30d": .month, "year": .year,
    ]

    /// A part of the range: an hour, an operational day, or a month of operational days.
    struct Bucket: Hashable, Sendable {
        var label: String
        /// Seconds since 1970; the end is exclusive.
        var start: Int64
        var end: Int64
    }

    /// The largest number of days that are buckets of their own; more are divided into months.
    private static let dayLimit: Int64 = 92

    /// `7d`, `2026-03-02`, `2026-03-02 to 2026-03-08`.
    var name: String {
        if case .days(let first, let last) = self { return first == last ? "\(first)" : "\(first) to \(last)" }
        return Self.named.first { $0.value == self }?.key ?? ""
    }

    /// Whether it is one operational day, divided into hours.
    var isDay: Bool {
        switch self {
        case .today: true
        case .week, .month, .year: false
        case .days(let first, let last): first == last
        }
    }

    /// The buckets up to the one with `now`, which runs to the end of its hour, day or month.
    func buckets(at now: Int64, _ rules: CountingRules) -> [Bucket] {
        let date = rules.date(of: now)
        return switch self {
        case .today: Self.hourBuckets(date, until: now, rules)
        case .week: Self.dayBuckets(date, 7, rules)
        case .month: Self.dayBuckets(date, 30, rules)
        case .year: Self.monthBuckets(date.monthIndex, 12, rules)
        case .days(let first, let last): Self.buckets(first, last, until: now, rules)
        }
    }

    /// The buckets of the period before: the day before, the seven or thirty days before, the twelve months before, or
    /// as many days before.
    func formerBuckets(at now: Int64, _ rules: CountingRules) -> [Bucket] {
        let date = rules.date(of: now)
        switch self {
        case .today: return Self.hourBuckets(date.advanced(days: -1), until: .max, rules)
        case .week: return Self.dayBuckets(date.advanced(days: -7), 7, rules)
        case .month: return Self.dayBuckets(date.advanced(days: -30), 30, rules)
        case .year: return Self.monthBuckets(date.monthIndex - 12, 12, rules)
        case .days(let first, let last):
            let count = last.daysSince1970 - first.daysSince1970 + 1
            return Self.buckets(first.advanced(days: -count), last.advanced(days: -count), until: .max, rules)
        }
    }

    private static func buckets(
        _ first: CivilDate, _ last: CivilDate, until now: Int64, _ rules: CountingRules
    ) -> [Bucket] {
        if first == last { return hourBuckets(first, until: now, rules) }
        let count = last.daysSince1970 - first.daysSince1970 + 1
        let (start, end) = (rules.start(of: first), rules.start(of: last.advanced(days: 1)))
        let all =
            count <= dayLimit
            ? dayBuckets(last, count, rules)
            : monthBuckets(last.monthIndex, last.monthIndex - first.monthIndex + 1, rules).map { month in
                Bucket(label: month.label, start: max(month.start, start), end: min(month.end, end))
            }
        return all.filter { $0.start <= now }
    }

    /// The hours of an operational day that have begun: 23 or 25 in all if the clock changes.
    private static func hourBuckets(_ date: CivilDate, until now: Int64, _ rules: CountingRules) -> [Bucket] {
        let start = rules.start(of: date)
        let end = rules.start(of: date.advanced(days: 1))
        return stride(from: start, to: min(end, now == .max ? end : now + 1), by: 3600).map {
            Bucket(label: rules.zone.clock($0), start: $0, end: min($0 + 3600, end))
        }
    }

    private static func dayBuckets(_ last: CivilDate, _ count: Int64, _ rules: CountingRules) -> [Bucket] {
        (0..<count).map { index in
            let date = last.advanced(days: index - count + 1)
            return Bucket(
                label: "\(date)", start: rules.start(of: date), end: rules.start(of: date.advanced(days: 1)))
        }
    }

    /// `last` counts months since the year 0.
    private static func monthBuckets(_ last: Int64, _ count: Int64, _ rules: CountingRules) -> [Bucket] {
        (0..<count).compactMap { index in
            let month = last - count + 1 + index
            guard let first = CivilDate(year: month / 12, month: month % 12 + 1, day: 1),
                let next = CivilDate(year: (month + 1) / 12, month: (month + 1) % 12 + 1, day: 1)
            else { return nil }
            return Bucket(
                label: String("\(first)".dropLast(3)), start: rules.start(of: first), end: rules.start(of: next))
        }
    }
}

extension CivilDate {
    /// Months since the year 0.
    fileprivate var monthIndex: Int64 { year * 12 + month - 1 }
}
