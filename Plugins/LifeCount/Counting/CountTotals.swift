import Bytes
import PluginKit

/// Occupancy of a location (schema 3.4 of the requirements).
enum OccupancyStatus: String, Sendable {
    case ok, warning, full

    /// Warning from 80 %, full from 100 %; nil if the capacity is not known.
    init?(_ count: Int64, of capacity: Int64?) {
        guard let capacity, capacity > 0 else { return nil }
        self = count >= capacity ? .full : count >= capacity - capacity / 5 ? .warning : .ok
    }

    var severity: Page.Severity {
        switch self {
        case .ok: .good
        case .warning: .warning
        case .full: .critical
        }
    }

    var color: StateColor {
        switch self {
        case .ok: .green
        case .warning: .yellow
        case .full: .red
        }
    }
}

/// Totals of the entries in each bucket of a period, and the running count of people.
///
/// The count of a location begins with zero on each operational day and never falls below it. Entries are added in
/// order of their time.
struct CountTotals: Sendable {
    struct Bucket: Hashable, Sendable {
        var range: CountRange.Bucket
        var entered: Int64 = 0
        var left: Int64 = 0
        /// The largest count, including that at its start.
        var peak: Int64 = 0
    }

    private(set) var buckets: [Bucket]
    /// The count at the end: of all locations together, and of each.
    private(set) var count: Int64 = 0
    private var counts = SortedMap<Int64, Int64>()
    /// The count over time, in seconds since 1970: a point for each change, the first one at the start.
    private(set) var curve: [(time: Int64, count: Int64)] = []
    /// Steps out while nobody was inside.
    private(set) var clamped = 0
    /// Steps in after which the count was at or above the capacity.
    private(set) var overcrowded = 0

    let rules: CountingRules
    /// The period up to the present, in seconds since 1970; the end is exclusive.
    private let start: Int64
    private let end: Int64
    /// Time up to which the count is integrated, and the integral so far, in people times seconds.
    private var place: Int64
    private var integral = 0.0
    /// Index of the current bucket.
    private var index = 0
    /// Start of the next operational day.
    private var nextReset: Int64

    /// Maximum number of points of the curve; later changes are in the totals, but not in the curve.
    private static let curveLimit = 200_000

    /// Entries after `now` do not count.
    init(_ ranges: [CountRange.Bucket], now: Int64, _ rules: CountingRules) {
        self.rules = rules
        buckets = ranges.map { Bucket(range: $0) }
        let start = ranges.first?.start ?? now
        self.start = start
        end = ranges.last.map { max(start, min($0.end, now + 1)) } ?? start
        (place, nextReset) = (start, start)
        if !ranges.isEmpty { curve.append((start, 0)) }
    }

    /// Adds an entry; ignores one outside of the period.
    mutating func take(_ entry: CountEntry) {
        let time = seconds(ofMilliseconds: entry.time)
        guard time >= start, time < end else { return }
        pass(to: time, including: true)
        count(entry, at: time)
    }

    /// Completes the totals up to the end of the period, after the last entry.
    mutating func finish() {
        guard end > start else { return }
        pass(to: end, including: false)
        curve.append((end, count))
    }

    /// Mean of the count, weighted by time.
    var average: Double { end > start ? integral / Double(end - start) : 0 }

    /// Integrates the count up to a time, with the starts of days and buckets before it, or at it.
    private mutating func pass(to time: Int64, including isIncluded: Bool) {
        let last = isIncluded ? time : time - 1
        while nextReset <= last {
            add(to: nextReset)
            if nextReset > start {
                counts = SortedMap()
                set(0, at: nextReset)
            }
            nextReset = rules.nextStart(after: nextReset)
        }
        add(to: time)
        // A day never begins within an hour, and each longer bucket begins with a day: the count is still that of the
        // bucket's start.
        while index + 1 < buckets.count, buckets[index + 1].range.start <= last {
            index += 1
            buckets[index].peak = count
        }
    }

    private mutating func add(to time: Int64) {
        integral += Double(count) * Double(max(0, time - place))
        place = max(place, time)
    }

    private mutating func set(_ new: Int64, at time: Int64) {
        count = new
        if curve.count < Self.curveLimit { curve.append((time, new)) }
    }

    private mutating func count(_ entry: CountEntry, at time: Int64) {
        let before = counts[entry.location] ?? 0
        if entry.delta > 0 {
            buckets[index].entered += 1
        } else {
            buckets[index].left += 1
            if before == 0 { clamped += 1 }
        }
        let after = max(0, before + entry.delta)
        counts[entry.location] = after
        set(count + after - before, at: time)
        buckets[index].peak = max(buckets[index].peak, count)
        if entry.delta > 0, let capacity = rules.capacity, count >= capacity { overcrowded += 1 }
    }

    var status: OccupancyStatus? { OccupancyStatus(count, of: rules.capacity) }

    /// Number of people inside, and how full the location is.
    func occupancy(isColored: Bool = false) -> String {
        let inside: Int64 = count
        guard let capacity = rules.capacity, let status else { return "\(inside) inside" }
        return "\(inside) inside of \(capacity), \(inside * 100 / max(1, capacity)) %, "
            + "\(max(0, capacity - inside)) free: \(status.color.painted(status.rawValue, if: isColored))"
    }

    var entered: Int64 { buckets.reduce(0) { $0 + $1.entered } }
    var left: Int64 { buckets.reduce(0) { $0 + $1.left } }
    var net: Int64 { entered - left }
    /// The bucket with the largest count, the first of several; nil if nobody came.
    var peak: Bucket? { buckets.filter { $0.peak > 0 }.max { ($0.peak, $1.range.start) < ($1.peak, $0.range.start) } }
    /// The bucket in which most people came in, the first of several; nil if nobody came.
    var peakFlow: Bucket? {
        buckets.filter { $0.entered > 0 }.max { ($0.entered, $1.range.start) < ($1.entered, $0.range.start) }
    }
}

/// Quality of the entries of a period at a location, or at all together ("Data quality").
struct CountQuality: Sendable {
    /// Nil for all together.
    private let location: Int64?
    /// The period, with both ends, and the start of the operational day after it, in seconds since 1970.
    private let start: Int64
    private let now: Int64
    private let nextStart: Int64
    /// Events with the time of their arrival, because the counter had no clock.
    private(set) var clockless = 0
    /// Events that arrived over a minute after they happened.
    private(set) var late = 0
    /// Entries not made by a counter.
    private(set) var manual = 0
    private(set) var simulated = 0

    /// Seconds before and after the period in which entries of it may be by a wrong clock.
    static let margin: Int64 = 3600

    /// Milliseconds between an event and its arrival above which it is late.
    private static let lateness: Int64 = 60_000

    /// Sequence numbers of a counter, as offsets from the first one.
    private struct Series {
        private var last: UInt32
        private var low = 0
        private var high = 0
        private var place = 0
        private var numbers = 1

        init(_ first: UInt32) { last = first }

        mutating func take(_ number: UInt32) {
            place += number.distance(after: last)
            (low, high) = (min(low, place), max(high, place))
            (last, numbers) = (number, numbers + 1)
        }

        /// Count of the missing numbers between others.
        var missing: Int { max(0, high - low + 1 - numbers) }
        var lowest: UInt32 { number(at: low) }
        var highest: UInt32 { number(at: high) }

        private func number(at offset: Int) -> UInt32 { last &+ UInt32(truncatingIfNeeded: offset - place) }
    }

    /// Sequence state of a counter since its boot.
    private struct Count {
        let first: CountEntry
        private(set) var last: CountEntry
        /// Numbers up to the first reset, if there is one.
        private var opening: Series?
        /// Numbers since the last reset.
        private var all: Series
        /// The latest entries, if from another location. Numbers missing between two of them are not missing here.
        private var elsewhere: Series?
        private var missingElsewhere = 0
        private var missingBeforeReset = 0
        /// Number of resets without a boot.
        private(set) var resets = 0
        /// Whether an entry is from the location.
        private(set) var isHere: Bool

        init(_ entry: CountEntry, isHere: Bool) {
            (first, last) = (entry, entry)
            all = Series(entry.number)
            elsewhere = isHere ? nil : Series(entry.number)
            self.isHere = isHere
        }

        mutating func take(_ entry: CountEntry, isHere: Bool) {
            if entry.isReset(after: last) {
                opening = opening ?? all
                missingBeforeReset = missing
                (all, elsewhere, missingElsewhere) = (Series(entry.number), nil, 0)
                if isHere { resets += 1 }
            } else {
                all.take(entry.number)
            }
            last = entry
            if isHere {
                missingElsewhere += elsewhere?.missing ?? 0
                elsewhere = nil
                self.isHere = true
            } else if elsewhere?.take(entry.number) == nil {
                elsewhere = Series(entry.number)
            }
        }

        var missing: Int {
            missingBeforeReset + max(0, all.missing - missingElsewhere - (elsewhere?.missing ?? 0))
        }

        /// Count of the numbers, of entries outside the period, that are between those of the period.
        func found(among numbers: Set<UInt32>) -> Int {
            guard resets == 0, missing > 0 else { return 0 }
            return numbers.count { $0.distance(after: all.lowest) > 0 && all.highest.distance(after: $0) > 0 }
        }

        /// Count of the missing numbers between an earlier entry and these.
        func gap(after former: CountEntry) -> Int {
            first.isReset(after: former) ? 0 : max(0, (opening ?? all).lowest.distance(after: former.number) - 1)
        }

        /// Count of the missing numbers between these and a later entry.
        func gap(before next: CountEntry) -> Int {
            next.isReset(after: last) ? 0 : max(0, next.number.distance(after: all.highest) - 1)
        }
    }

    private struct Boot: Hashable {
        var device: Int64
        var boot: Int64
    }

    private struct Session: Hashable {
        var location: Int64
        var session: Int64
    }

    private var counts: [Boot: Count] = [:]
    /// The last entry before the period, and the first one after it.
    private var before: [Boot: CountEntry] = [:]
    private var after: [Boot: CountEntry] = [:]
    /// Numbers of entries shortly before and after the period. A clock that is set back puts an event there whose number
    /// is between those of the period.
    private var neighbors: [Boot: Set<UInt32>] = [:]
    /// By counter, the boots of the last entry before the period and of the first one in it.
    private var lastBoots: [Int64: Int64] = [:]
    private var firstBoots: [Int64: Int64] = [:]
    /// First and last arrival.
    private var sessions: [Session: (first: Int64, last: Int64)] = [:]

    /// The period from `start` to `now`.
    init(location: Int64?, from start: Int64, to now: Int64, _ rules: CountingRules) {
        self.location = location
        (self.start, self.now, nextStart) = (start, now, rules.nextStart(after: now))
    }

    /// Adds an entry. One of another location, before the period or after it only shows which numbers are missing.
    mutating func take(_ entry: CountEntry) {
        let time = seconds(ofMilliseconds: entry.time)
        guard time >= start, time <= now else { return recordOutside(entry, at: time) }
        let isHere = isHere(entry)
        if entry.source == .hardware { follow(entry, isHere: isHere) }
        guard isHere else { return }
        switch entry.source {
        case .manual: manual += 1
        case .simulator: simulated += 1
        case .hardware:
            if !entry.isDeviceTime { clockless += 1 }
            if entry.isDeviceTime, entry.received - entry.time > Self.lateness { late += 1 }
            let session = Session(location: entry.location, session: entry.gatewaySession)
            let span = sessions[session] ?? (entry.received, entry.received)
            sessions[session] = (min(span.first, entry.received), max(span.last, entry.received))
        }
    }

    private func isHere(_ entry: CountEntry) -> Bool { location == nil || entry.location == location }

    private mutating func recordOutside(_ entry: CountEntry, at time: Int64) {
        guard entry.source == .hardware else { return }
        let boot = Boot(device: entry.device, boot: entry.boot)
        if time >= start - Self.margin, time <= now + Self.margin {
            neighbors[boot, default: []].insert(entry.number)
        }
        if time < start {
            before[boot] = entry
            lastBoots[entry.device] = entry.boot
        } else if after[boot] == nil {
            after[boot] = entry
        }
    }

    private mutating func follow(_ entry: CountEntry, isHere: Bool) {
        let boot = Boot(device: entry.device, boot: entry.boot)
        if firstBoots[entry.device] == nil { firstBoots[entry.device] = entry.boot }
        if counts[boot]?.take(entry, isHere: isHere) == nil { counts[boot] = Count(entry, isHere: isHere) }
    }

    /// Events whose numbers are missing between others of the same counter and boot, one of which is from the location.
    var missing: Int {
        counts.reduce(0) { sum, one in
            sum + max(0, one.value.missing - one.value.found(among: neighbors[one.key] ?? []))
        }
    }
    /// Events whose numbers are missing between an entry of the period and one of an earlier or later operational day.
    /// The report of that day has them, too.
    var missingOverBoundary: Int {
        counts.reduce(0) { sum, one in
            let (boot, count) = one
            var missing = 0
            if let former = before[boot], isHere(former) || isHere(count.first) {
                missing += count.gap(after: former)
            }
            if let next = after[boot], seconds(ofMilliseconds: next.time) >= nextStart,
                isHere(next) || isHere(count.last)
            {
                missing += count.gap(before: next)
            }
            return sum + missing
        }
    }
    /// Counters with entries in the period.
    var devices: Set<Int64> { Set(counts.keys.map(\.device)) }
    /// Number of counter resets, after a boot or without one. A reset is in the period of the first event after it.
    var resets: Int {
        let boots = counts.filter(\.value.isHere)
        return boots.count - Set(boots.keys.map(\.device)).count + boots.values.reduce(0) { $0 + $1.resets }
            + boots.count { startsAnew($0.key, $0.value) }
    }

    /// Whether the counter was reset between its last entry before the period and these, its first ones in it.
    private func startsAnew(_ boot: Boot, _ count: Count) -> Bool {
        guard firstBoots[boot.device] == boot.boot, let lastBoot = lastBoots[boot.device] else { return false }
        return lastBoot != boot.boot || before[boot].map { count.first.isReset(after: $0) } ?? false
    }
    /// Whether two gateways received events of a location at the same time.
    var hasConflict: Bool {
        Dictionary(grouping: sessions, by: \.key.location).values.contains { spans in
            let ordered = spans.map(\.value).sorted { $0.first < $1.first }
            return zip(ordered, ordered.dropFirst()).contains { $1.first < $0.last }
        }
    }
}

/// Whole seconds, rounded down.
func seconds(ofMilliseconds time: Int64) -> Int64 { time >= 0 ? time / 1000 : (time - 999) / 1000 }

/// Whole seconds since a time, both in milliseconds since 1970; 0 for a later time, as after a clock was set back.
func age(ofMilliseconds time: Int64, at now: Int64) -> Int64 {
    let (age, isOver) = now.subtractingReportingOverflow(time)
    return isOver ? (time < 0 ? .max / 1000 : 0) : max(0, age / 1000)
}
