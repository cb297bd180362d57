import Bytes
import Testing

/// Times and spans at the ends of their ranges, where 64-bit arithmetic would trap.
struct TimeSpanTests {
    typealias Row = (one: Int64, other: Int64, result: Int64)

    @Test(arguments: [(2, 3, 5), (.max, 1, .max), (.min, -1, .min), (.max, .min, -1)] as [Row])
    func sumsSaturate(_ row: Row) {
        let sum = TimeSpan(nanoseconds: row.one) + TimeSpan(nanoseconds: row.other)
        #expect(sum.nanoseconds == row.result)
        #expect((Timestamp(nanoseconds: row.one) + TimeSpan(nanoseconds: row.other)).nanoseconds == row.result)
    }

    @Test(arguments: [(2, 3, -1), (.min, 1, .min), (.max, -1, .max), (0, .min, .max), (.max, .min, .max)] as [Row])
    func differencesSaturate(_ row: Row) {
        let difference = TimeSpan(nanoseconds: row.one) - TimeSpan(nanoseconds: row.other)
        #expect(difference.nanoseconds == row.result)
        let times: TimeSpan = Timestamp(nanoseconds: row.one) - Timestamp(nanoseconds: row.other)
        #expect(times.nanoseconds == row.result)
        let duration: Duration = Timestamp(nanoseconds: row.one) - Timestamp(nanoseconds: row.other)
        #expect(duration == .nanoseconds(row.result))
        #expect((Timestamp(nanoseconds: row.one) - TimeSpan(nanoseconds: row.other)).nanoseconds == row.result)
    }

    @Test(arguments: [(3, -4, -12), (.max, 2, .max), (.max, -2, .min), (.min, -1, .max), (0, .min, 0)] as [Row])
    func productsSaturate(_ row: Row) {
        let product = TimeSpan(nanoseconds: row.one) * row.other
        #expect(product.nanoseconds == row.result)
    }

    @Test(arguments: [(7, 2, 3), (.min, -1, .max), (1, 0, .max), (-1, 0, .min), (0, 0, 0)] as [Row])
    func quotientsSaturate(_ row: Row) {
        let quotient = TimeSpan(nanoseconds: row.one) / row.other
        #expect(quotient.nanoseconds == row.result)
    }

    @Test(
        arguments: [
            (1.5, 1_500_000_000), (1e300, .max), (-.infinity, .min), (.nan, 0), (9_223_372_036.854775, .max),
        ] as [(Double, Int64)])
    func realNumbersOfSecondsAreClamped(_ seconds: Double, _ nanoseconds: Int64) {
        let span = TimeSpan(clamping: seconds)
        #expect(abs(span.seconds - Double(nanoseconds) / 1e9) < 1e-3)
    }

    @Test func wholeUnitsAreClamped() {
        #expect(TimeSpan(seconds: .max) == .longest)
        #expect(TimeSpan(milliseconds: 3).nanoseconds == 3_000_000)
        #expect(TimeSpan(microseconds: .min).nanoseconds == .min)
        #expect(-TimeSpan(nanoseconds: .min) == .longest)
        #expect(Timestamp.latest + Duration.seconds(30) == .latest)
    }
}
