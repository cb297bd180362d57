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
