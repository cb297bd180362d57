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

    /// The time so many nanoseconds later; a time out of range becomes the nearest one.
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
