extension Timestamp {
    /// The time so much later; a time out of range becomes the nearest one.
    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let added = Timestamp(seconds: seconds, nanoseconds: attoseconds / 1_000_000_000).nanoseconds
        let (sum, overflow) = time.nanoseconds.addingReportingOverflow(added)
        return Timestamp(nanoseconds: overflow ? (added < 0 ? .min : .max) : sum)
    }

    /// How much later this time is than another.
    public static func - (time: Timestamp, earlier: Timestamp) -> Duration {
        let (difference, overflow) = time.nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        return .nanoseconds(overflow ? (time < earlier ? .min : .max) : difference)
    }
}
