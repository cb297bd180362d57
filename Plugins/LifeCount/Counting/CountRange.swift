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
        return time < start(of: date) ? CivilDate(daysSince1970: date.daysSince1970 - 1) : date
    }

    /// Start of the operational day after that of a time, in seconds since 1970.
    func nextStart(after time: Int64) -> Int64 {
        start(of: CivilDate(daysSince1970: date(of: time).daysSince1970 + 1))
    }
}

/// The period of a report, and its division into buckets.
enum CountRange: String, CaseIterable, Sendable {
    case today
    case week = "7d"
    case month = "30d"
    case year

    /// A part of the range: an hour, an operational day, or a month of operational days.
    struct Bucket: Hashable, Sendable {
        var label: String
        /// Seconds since 1970; the end is exclusive.
        var start: Int64
        var end: Int64
    }

    /// The buckets up to the one with `now`, which runs to the end of its hour, day or month.
    func buckets(at now: Int64, _ rules: CountingRules) -> [Bucket] { buckets(rules.date(of: now), now, rules) }

    /// The buckets of the period before: the day before, the seven or thirty days before, the twelve months before.
    func formerBuckets(at now: Int64, _ rules: CountingRules) -> [Bucket] {
        let date = rules.date(of: now)
        switch self {
        case .today: return hours(CivilDate(daysSince1970: date.daysSince1970 - 1), until: .max, rules)
        case .week: return days(CivilDate(daysSince1970: date.daysSince1970 - 7), 7, rules)
        case .month: return days(CivilDate(daysSince1970: date.daysSince1970 - 30), 30, rules)
        case .year: return months(date.year * 12 + date.month - 1 - 12, 12, rules)
        }
    }

    private func buckets(_ date: CivilDate, _ now: Int64, _ rules: CountingRules) -> [Bucket] {
        switch self {
        case .today: hours(date, until: now, rules)
        case .week: days(date, 7, rules)
        case .month: days(date, 30, rules)
        case .year: months(date.year * 12 + date.month - 1, 12, rules)
        }
    }

    /// The hours of an operational day that have begun: 23 or 25 in all if the clock changes.
    private func hours(_ date: CivilDate, until now: Int64, _ rules: CountingRules) -> [Bucket] {
        let start = rules.start(of: date)
        let end = rules.start(of: CivilDate(daysSince1970: date.daysSince1970 + 1))
        return stride(from: start, to: min(end, now == .max ? end : now + 1), by: 3600).map {
            Bucket(label: rules.zone.clock($0), start: $0, end: min($0 + 3600, end))
        }
    }

    private func days(_ last: CivilDate, _ count: Int64, _ rules: CountingRules) -> [Bucket] {
        (0..<count).map { index in
            let date = CivilDate(daysSince1970: last.daysSince1970 - count + 1 + index)
            let next = CivilDate(daysSince1970: date.daysSince1970 + 1)
            return Bucket(label: "\(date)", start: rules.start(of: date), end: rules.start(of: next))
        }
    }

    /// `last` counts months since the year 0.
    private func months(_ last: Int64, _ count: Int64, _ rules: CountingRules) -> [Bucket] {
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
