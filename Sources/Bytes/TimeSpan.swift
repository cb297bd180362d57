/// A signed span of time in nanoseconds.
///
/// All arithmetic saturates at the range of the type, so that no times in a capture can trap.
public struct TimeSpan: Sendable, Hashable, Comparable {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    public init(microseconds: Int64) {
        self.init(nanoseconds: 1000)
        self = self * microseconds
    }

    public init(milliseconds: Int64) {
        self.init(nanoseconds: 1_000_000)
        self = self * milliseconds
    }

    public init(seconds: Int64) {
        self.init(nanoseconds: 1_000_000_000)
        self = self * seconds
    }

    /// The span nearest to a real number of seconds; zero for NaN.
    public init(clamping seconds: Double) {
        let nanoseconds = seconds * 1e9
        self.nanoseconds =
            Int64(exactly: nanoseconds.rounded()) ?? (nanoseconds > 0 ? .max : nanoseconds < 0 ? .min : 0)
    }

    public static var zero: TimeSpan { TimeSpan(nanoseconds: 0) }
    public static var longest: TimeSpan { TimeSpan(nanoseconds: .max) }

    public var seconds: Double { Double(nanoseconds) / 1e9 }

    public static func < (one: TimeSpan, other: TimeSpan) -> Bool { one.nanoseconds < other.nanoseconds }
}

extension TimeSpan {
    public static func + (one: TimeSpan, other: TimeSpan) -> TimeSpan {
        let (sum, overflow) = one.nanoseconds.addingReportingOverflow(other.nanoseconds)
        return TimeSpan(nanoseconds: overflow ? (other.nanoseconds < 0 ? .min : .max) : sum)
    }

    public static func - (one: TimeSpan, other: TimeSpan) -> TimeSpan {
        let (difference, overflow) = one.nanoseconds.subtractingReportingOverflow(other.nanoseconds)
        return TimeSpan(nanoseconds: overflow ? (other.nanoseconds < 0 ? .max : .min) : difference)
    }

    public static func * (span: TimeSpan, factor: Int64) -> TimeSpan {
        let (product, overflow) = span.nanoseconds.multipliedReportingOverflow(by: factor)
        return TimeSpan(nanoseconds: overflow ? ((span.nanoseconds < 0) == (factor < 0) ? .max : .min) : product)
    }

    /// A fraction of the span. Division by zero gives the longest span with the sign of this one, or zero for a zero
    /// span.
    public static func / (span: TimeSpan, divisor: Int64) -> TimeSpan {
        let (quotient, overflow) = span.nanoseconds.dividedReportingOverflow(by: divisor)
        guard overflow else { return TimeSpan(nanoseconds: quotient) }
        if span == .zero { return .zero }
        return TimeSpan(nanoseconds: (span.nanoseconds < 0) == (divisor < 0) ? .max : .min)
    }

    public static func += (span: inout TimeSpan, other: TimeSpan) { span = span + other }
    public static func -= (span: inout TimeSpan, other: TimeSpan) { span = span - other }
    public static prefix func - (span: TimeSpan) -> TimeSpan { .zero - span }

    /// The absolute value of the span.
    public var magnitude: TimeSpan { self < .zero ? -self : self }

    /// Number of whole periods of `length`, which must be above zero, in the span. Rounded down: a negative span gives
    /// -1 or less.
    public func count(of length: TimeSpan) -> Int64 {
        let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: max(length.nanoseconds, 1))
        return remainder < 0 ? quotient - 1 : quotient
    }
}
