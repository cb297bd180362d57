/// A time, in nanoseconds since 1970-01-01 UTC; reaches from the year 1677 to 2262.
public struct Timestamp: Sendable, Hashable, Comparable {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Microseconds since 1970; a time out of range becomes the nearest one.
    public init(microseconds: Int64) {
        let (product, overflow) = microseconds.multipliedReportingOverflow(by: 1000)
        nanoseconds = overflow ? (microseconds < 0 ? .min : .max) : product
    }

    /// Seconds since 1970 and nanoseconds in that second; a time out of range becomes the nearest one.
    public init(seconds: Int64, nanoseconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow2) = product.addingReportingOverflow(nanoseconds)
        self.nanoseconds = overflow || overflow2 ? (seconds < 0 ? .min : .max) : sum
    }

    public static func < (one: Timestamp, other: Timestamp) -> Bool { one.nanoseconds < other.nanoseconds }
}

extension Timestamp {
    /// The time so much later; a time out of range becomes the nearest one.
    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let added = Timestamp(seconds: seconds, nanoseconds: attoseconds / 1_000_000_000).nanoseconds
        return time.advanced(nanoseconds: added)
    }

    /// How much later this time is than another.
    public static func - (time: Timestamp, earlier: Timestamp) -> Duration {
        .nanoseconds(time.nanoseconds(since: earlier))
    }

    /// The time after a number of nanoseconds, clamped to the range of times.
    public func advanced(nanoseconds span: Int64) -> Timestamp {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(span)
        return Timestamp(nanoseconds: overflow ? (span < 0 ? .min : .max) : sum)
    }

    /// Nanoseconds from an earlier time to this one; the nearest number where that is out of range.
    public func nanoseconds(since earlier: Timestamp) -> Int64 {
        let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        return overflow ? (self < earlier ? .min : .max) : difference
    }
}
