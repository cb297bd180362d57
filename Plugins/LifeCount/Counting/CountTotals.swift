import Bytes
import PluginKit

/// How full a location is (schema 3.4 of the requirements).
enum OccupancyStatus: String, Sendable {
    case ok, warning, full

    /// Warning from 80 %, full from 100 %; nil where the capacity is not known.
    init?(_ count: Int64, of capacity: Int64?) {
        guard let capacity, capacity > 0 else { return nil }
        self = count >= capacity ? .full : count >= capacity - capacity / 5 ? .warning : .ok
    }
}

/// What entries come to in each bucket of a period, and the count of people in between.
///
/// The count of a location begins with zero on each operational day and never falls below it. Entries are taken one after the
/// other, in the order of their time.
struct CountTotals: Sendable {
    struct Bucket: Hashable, Sendable {
        var range: CountRange.Bucket
        var entered: Int64 = 0
        var left: Int64 = 0
        /// The largest count, that at its start included.
        var peak: Int64 = 0
    }

    private(set) var buckets: [Bucket]
    /// The count at the end, of all locations and of each.
    private(set) var count: Int64 = 0
    private var counts = SortedMap<Int64, Int64>()
    /// The count by time, in seconds since 1970, from each change on; the first at the beginning.
    private(set) var curve: [(time: Int64, count: Int64)] = []
    /// Steps out that found nobody in.
    private(set) var clamped = 0
    /// Steps in after which the count was at or above the capacity.
    private(set) var overcrowded = 0

    private let rules: CountingRules
    /// Of the period, up to the present, in seconds since 1970; the end is not in it.
    private let start: Int64
    private let end: Int64
    /// How far the count is added up, and what it has come to: people by seconds.
    private var place: Int64
    private var integral = 0.0
    /// The bucket that the time has come to.
    private var index = 0
    /// When the next operational day begins.
    private var nextReset: Int64

    /// Points of the curve that are kept; later changes are in the totals, and not in the curve.
    private static let curveLimit = 200_000

    /// Nothing after `now` counts.
    init(_ ranges: [CountRange.Bucket], now: Int64, _ rules: CountingRules) {
        self.rules = rules
        buckets = ranges.map { Bucket(range: $0) }
        let start = ranges.first?.start ?? now
        self.start = start
        end = ranges.last.map { max(start, min($0.end, now + 1)) } ?? start
        (place, nextReset) = (start, start)
        if !ranges.isEmpty { curve.append((start, 0)) }
    }

    /// Takes an entry; one outside of the period is passed over.
    mutating func take(_ entry: CountEntry) {
        let time = seconds(ofMilliseconds: entry.time)
        guard time >= start, time < end else { return }
        pass(to: time, including: true)
        count(entry, at: time)
    }

    /// Adds up to the end of the period: no further entry comes.
    mutating func finish() {
        guard end > start else { return }
        pass(to: end, including: false)
        curve.append((end, count))
    }

    /// Mean of the count over the time, each moment weighing the same.
    var average: Double { end > start ? integral / Double(end - start) : 0 }

    /// Adds the count up to a time, with the beginnings of days and buckets before it, or at it.
    private mutating func pass(to time: Int64, including isIncluded: Bool) {
        let last = isIncluded ? time : time - 1
        while nextReset <= last {
            add(to: nextReset)
            if nextReset > start {
                counts = SortedMap()
                set(0, at: nextReset)
            }
            nextReset = rules.start(of: CivilDate(daysSince1970: rules.date(of: nextReset).daysSince1970 + 1))
        }
        add(to: time)
        // A day begins in no hour, and with each longer bucket: the count is still that of the bucket's start.
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

    var entered: Int64 { buckets.reduce(0) { $0 + $1.entered } }
    var left: Int64 { buckets.reduce(0) { $0 + $1.left } }
    var net: Int64 { entered - left }
    /// The bucket with the largest count, the first of several; nil where nobody came.
    var peak: Bucket? { buckets.filter { $0.peak > 0 }.max { ($0.peak, $1.range.start) < ($1.peak, $0.range.start) } }
    /// The bucket in which most people came in, the first of several; nil where nobody came.
    var peakFlow: Bucket? {
        buckets.filter { $0.entered > 0 }.max { ($0.entered, $1.range.start) < ($1.entered, $0.range.start) }
    }
}

/// What is wrong with the entries of a period at a location, or at all together ("Data quality").
struct CountQuality: Sendable {
    /// Nil for all together.
    private let location: Int64?
    /// Events with the time of their arrival, as the counter had no clock.
    private(set) var clockless = 0
    /// Events that came over a minute after they happened.
    private(set) var late = 0
    /// Entries that no counter made.
    private(set) var manual = 0
    private(set) var simulated = 0

    /// Milliseconds between an event and its arrival that make it late.
    private static let lateness: Int64 = 60_000

    /// Numbers of a counter, as places from the first one on.
    private struct Series {
        private var last: UInt32
        private var low = 0
        private var high = 0
        private var place = 0
        private var numbers = 1

        init(_ first: UInt32) { last = first }

        func isBelowLast(_ number: UInt32) -> Bool { number.distance(after: last) < 0 }

        mutating func take(_ number: UInt32) {
            place += number.distance(after: last)
            (low, high) = (min(low, place), max(high, place))
            (last, numbers) = (number, numbers + 1)
        }

        /// Numbers between others that are not there.
        var missing: Int { max(0, high - low + 1 - numbers) }
    }

    /// The numbers of a counter since its boot.
    private struct Count {
        /// Since the last reset.
        private var all: Series
        private var lastTime: Int64
        private var lastReceived: Int64
        /// The latest entries, where they are of another location. What is missing between two of them is not missing here.
        private var elsewhere: Series?
        private var missingElsewhere = 0
        private var missingBeforeReset = 0
        /// How often the counter began anew without a boot.
        private(set) var resets = 0
        /// Whether an entry is of the location.
        private(set) var isHere: Bool

        init(_ entry: CountEntry, isHere: Bool) {
            all = Series(entry.number)
            (lastTime, lastReceived) = (entry.time, entry.received)
            elsewhere = isHere ? nil : Series(entry.number)
            self.isHere = isHere
        }

        mutating func take(_ entry: CountEntry, isHere: Bool) {
            if isReset(by: entry) {
                missingBeforeReset = missing
                (all, elsewhere, missingElsewhere) = (Series(entry.number), nil, 0)
                if isHere { resets += 1 }
            } else {
                all.take(entry.number)
            }
            (lastTime, lastReceived) = (entry.time, entry.received)
            if isHere {
                missingElsewhere += elsewhere?.missing ?? 0
                elsewhere = nil
                self.isHere = true
            } else if elsewhere?.take(entry.number) == nil {
                elsewhere = Series(entry.number)
            }
        }

        /// Whether an entry has a lower number although it happened and arrived later: it is no replay.
        private func isReset(by entry: CountEntry) -> Bool {
            entry.isDeviceTime && entry.time > lastTime && entry.received >= lastReceived
                && all.isBelowLast(entry.number)
        }

        var missing: Int {
            missingBeforeReset + max(0, all.missing - missingElsewhere - (elsewhere?.missing ?? 0))
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
    /// First and last arrival.
    private var sessions: [Session: (first: Int64, last: Int64)] = [:]

    init(location: Int64?) { self.location = location }

    /// Takes an entry; one of another location shows only which numbers are not missing here.
    mutating func take(_ entry: CountEntry) {
        let isHere = location == nil || entry.location == location
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

    private mutating func follow(_ entry: CountEntry, isHere: Bool) {
        let boot = Boot(device: entry.device, boot: entry.boot)
        if counts[boot]?.take(entry, isHere: isHere) == nil { counts[boot] = Count(entry, isHere: isHere) }
    }

    /// Events whose numbers are missing between others of the same counter and boot, of which one is of the location.
    var missing: Int { counts.values.reduce(0) { $0 + $1.missing } }
    /// How often counters began to count anew, after a boot or without one.
    var resets: Int {
        let boots = counts.filter(\.value.isHere)
        return boots.count - Set(boots.keys.map(\.device)).count + boots.values.reduce(0) { $0 + $1.resets }
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
