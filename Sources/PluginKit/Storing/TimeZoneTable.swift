public import Bytes

/// A time zone as a table of UTC offsets and their start times.
public struct TimeZoneTable: Hashable, Sendable {
    public struct Transition: Hashable, Sendable {
        /// Seconds since 1970.
        public var time: Int64
        /// Offset of local time from UTC from then on, in seconds; positive to the east.
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
    /// Sorted by time.
    public var transitions: [Transition]

    public init(name: String, initialOffset: Int64, transitions: [Transition] = []) {
        self.name = name
        self.initialOffset = initialOffset
        self.transitions = transitions
    }

    public static let utc = TimeZoneTable(name: "UTC", initialOffset: 0)

    /// Clamps a time to a range of millions of years, so that offsets and days can be added without overflow.
    private static func clamped(_ time: Int64) -> Int64 { min(max(time, -1 << 48), 1 << 48) }

    /// Offset of local time from UTC, in seconds, at a time in seconds since 1970.
    public func offset(at time: Int64) -> Int64 {
        let count = transitionCount(upTo: time)
        return count == 0 ? initialOffset : transitions[count - 1].offset
    }

    /// Number of transitions up to a time, that time included.
    private func transitionCount(upTo time: Int64) -> Int {
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Local time, in seconds from 1970-01-01 00:00 local time.
    public func local(_ time: Int64) -> Int64 { Self.clamped(time) + offset(at: time) }

    /// The local date of a time.
    public func day(of time: Int64) -> CivilDate {
        CivilDate(daysSince1970: Int64((Double(local(time)) / 86_400).rounded(.down)))
    }

    /// The first time, in seconds since 1970, with this local time, given in seconds from 1970-01-01 00:00 local time.
    /// If a clock change skips it, the first time after the change.
    public func time(ofLocal local: Int64) -> Int64 {
        // No zone is more than a day off UTC. Finds the first time at which the local clock has reached `local`.
        let local = Self.clamped(local)
        var start = local - 2 * 86_400
        for transition in transitions[transitionCount(upTo: start)..<transitionCount(upTo: local + 2 * 86_400)] {
            let end = transition.time
            let candidate = local - offset(at: start)
            if candidate < end { return max(candidate, start) }
            start = end
        }
        return max(local - offset(at: start), start)
    }

    /// Start of a day: midnight, or the first time after it.
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
