public import Bytes

/// A time zone as a table: offsets from UTC, and when each begins.
public struct TimeZoneTable: Hashable, Sendable {
    public struct Transition: Hashable, Sendable {
        /// Seconds since 1970.
        public var time: Int64
        /// Seconds that local time is ahead of UTC from then on.
        public var offset: Int64

        public init(time: Int64, offset: Int64) {
            self.time = time
            self.offset = offset
        }
    }

    /// `Europe/Paris`.
    public var name: String
    /// The offset before the first transition.
    public var initialOffset: Int64
    /// By time.
    public var transitions: [Transition]

    public init(name: String, initialOffset: Int64, transitions: [Transition] = []) {
        self.name = name
        self.initialOffset = initialOffset
        self.transitions = transitions
    }

    public static let utc = TimeZoneTable(name: "UTC", initialOffset: 0)

    /// A time that offsets and days can be added to: one that is millions of years away is brought nearer.
    private static func clamped(_ time: Int64) -> Int64 { min(max(time, -1 << 48), 1 << 48) }

    /// Seconds that local time is ahead of UTC at a time, in seconds since 1970.
    public func offset(at time: Int64) -> Int64 {
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? initialOffset : transitions[low - 1].offset
    }

    /// What a clock on the wall shows, as seconds from 1970-01-01 00:00 of that clock.
    public func local(_ time: Int64) -> Int64 { Self.clamped(time) + offset(at: time) }

    /// The day of a time, by the clock on the wall.
    public func day(of time: Int64) -> CivilDate {
        CivilDate(daysSince1970: Int64((Double(local(time)) / 86_400).rounded(.down)))
    }

    /// When the clock on the wall first shows a time, in seconds from its 1970-01-01 00:00, or, where a change of the clock
    /// skips it, the first time after it; in seconds since 1970.
    public func time(ofLocal local: Int64) -> Int64 {
        // No zone is more than a day off. The first time at which the clock has come so far.
        let local = Self.clamped(local)
        let near = transitions.filter { abs(Self.clamped($0.time) - local) <= 2 * 86_400 }
        var start = local - 2 * 86_400
        for transition in near {
            let end = transition.time
            let candidate = local - offset(at: start)
            if candidate < end { return max(candidate, start) }
            start = end
        }
        return max(local - offset(at: start), start)
    }

    /// When a day begins: midnight, or the first time after it.
    public func start(of day: CivilDate) -> Int64 { time(ofLocal: day.daysSince1970 * 86_400) }

    /// `2026-03-01T12:59:58+01:00`.
    public func text(_ time: Int64) -> String {
        var text = TextWriter(capacity: 32)
        text.writeISO8601(second: local(time))
        let offset = offset(at: time)
        if offset == 0 { return String(decoding: text.bytes, as: UTF8.self) + "Z" }
        let minutes = UInt64(offset.magnitude / 60)
        text.write(offset < 0 ? "-" : "+" as StaticString)
        text.writeDecimal(minutes / 60, digits: 2)
        text.write(":" as StaticString)
        text.writeDecimal(minutes % 60, digits: 2)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// `12:59`.
    public func clock(_ time: Int64) -> String {
        var text = TextWriter(capacity: 24)
        text.writeISO8601(second: local(time))
        return String(String(decoding: text.bytes, as: UTF8.self).dropFirst(11).prefix(5))
    }
}
