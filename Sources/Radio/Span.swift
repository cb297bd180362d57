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
