package import Bytes

/// Spans of time, in nanoseconds.
enum Span {
    static let microsecond: Int64 = 1_000
    static let millisecond: Int64 = 1_000_000
    static let second: Int64 = 1_000_000_000
    /// The unit of advertising intervals and scan windows, 0.625 ms.
    static let slot: Int64 = 625_000
    /// The unit of connection intervals, 1.25 ms.
    static let doubleSlot: Int64 = 1_250_000
    /// The unit of supervision time-outs and of advertising durations, 10 ms.
    static let centisecond: Int64 = 10_000_000
}

extension Timestamp {
    /// The time so many nanoseconds later; the last one there is where the sum is out of range.
    package func advanced(nanoseconds span: Int64) -> Timestamp {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(span)
        return Timestamp(nanoseconds: overflow ? (span < 0 ? .min : .max) : sum)
    }

    /// Nanoseconds from an earlier time to this one.
    package func nanoseconds(since earlier: Timestamp) -> Int64 {
        let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        return overflow ? (nanoseconds < 0 ? .min : .max) : difference
    }
}
