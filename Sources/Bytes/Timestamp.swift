/// A point in time in nanoseconds since 1970-01-01 UTC, from the year 1677 to 2262.
public struct Timestamp: Sendable, Hashable, Comparable {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Microseconds since 1970; clamped to the range of the type.
    public init(microseconds: Int64) {
        let (product, overflow) = microseconds.multipliedReportingOverflow(by: 1000)
        nanoseconds = overflow ? (microseconds < 0 ? .min : .max) : product
    }

    /// Seconds since 1970 and nanoseconds within that second; clamped to the range of the type.
    public init(seconds: Int64, nanoseconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow2) = product.addingReportingOverflow(nanoseconds)
        self.nanoseconds = overflow || overflow2 ? (seconds < 0 ? .min : .max) : sum
    }

    /// 1970-01-01.
    public static var epoch: Timestamp { Timestamp(nanoseconds: 0) }
    public static var earliest: Timestamp { Timestamp(nanoseconds: .min) }
    public static var latest: Timestamp { Timestamp(nanoseconds: .max) }

    /// Seconds since 1970.
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    public static func < (one: Timestamp, other: Timestamp) -> Bool { one.nanoseconds < other.nanoseconds }
}

extension Timestamp {
    /// The time `duration` later; clamped to the range of the type.
    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let added = Timestamp(seconds: seconds, nanoseconds: attoseconds / 1_000_000_000).nanoseconds
        return time.advanced(nanoseconds: added)
    }

    /// The time between two timestamps, as a `Duration` for timers.
    public static func - (time: Timestamp, earlier: Timestamp) -> Duration {
        .nanoseconds((time - earlier as TimeSpan).nanoseconds)
    }

    /// The time between two timestamps; clamped to the range of `TimeSpan`.
    public static func - (time: Timestamp, earlier: Timestamp) -> TimeSpan {
        TimeSpan(nanoseconds: time.nanoseconds) - TimeSpan(nanoseconds: earlier.nanoseconds)
    }

    /// The time `span` later; clamped to the range of the type.
    public static func + (time: Timestamp, span: TimeSpan) -> Timestamp {
        Timestamp(nanoseconds: (TimeSpan(nanoseconds: time.nanoseconds) + span).nanoseconds)
    }

    /// The time `span` earlier; clamped to the range of the type.
    public static func - (time: Timestamp, span: TimeSpan) -> Timestamp {
        Timestamp(nanoseconds: (TimeSpan(nanoseconds: time.nanoseconds) - span).nanoseconds)
    }

    /// The time `span` nanoseconds later; clamped to the range of the type.
    public func advanced(nanoseconds span: Int64) -> Timestamp { self + TimeSpan(nanoseconds: span) }

    /// Nanoseconds from an earlier time to this one; clamped to the range of Int64.
    public func nanoseconds(since earlier: Timestamp) -> Int64 { (self - earlier as TimeSpan).nanoseconds }
}
