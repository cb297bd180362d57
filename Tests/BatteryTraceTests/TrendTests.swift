import Bytes
import Testing

@testable import BatteryTrace

/// Trends of health, against another implementation, and the start of accelerated ageing.
struct TrendTests {
    private static let xs = [0, 1, 2, 3.5, 5, 7, 8, 11, 12, 15]
    private static let ys = [100, 99.5, 99.6, 98.9, 98.1, 97.5, 97.6, 95.2, 94.8, 92.3]
    private static let points = zip(xs, ys).map { (x: $0, y: $1) }

    /// The results of `lowess(y, x, frac, it=0)` in statsmodels 0.14.
    @Test(arguments: [
        (
            0.75,
            [
                100.02238705913915, 99.68484728926506, 99.33699663587646, 98.80770100142139, 98.31377109252996,
                97.59964473562718, 96.99957843422291, 95.23093519650814, 94.5469929096064, 92.47255851323975,
            ]
        ),
        (
            0.5,
            [
                99.93962494384787, 99.67962807643973, 99.40273037607676, 98.829637805793, 98.19928039480178,
                97.6681916538955, 97.22351986248435, 95.35680790923735, 94.6114318682682, 92.34068184343448,
            ]
        ),
    ])
    func loessIsThatOfOthers(span: Double, expected: [Double]) throws {
        let values = try #require(Trend.loess.values(Self.points, span: span))
        for (value, expected) in zip(values, expected) { #expect(abs(value - expected) < 1e-9) }
    }

    @Test func aTrendTakesFourPoints() {
        #expect(Trend.loess.values(Array(Self.points.prefix(3)), span: 0.75) == nil)
        #expect(Trend.ema.values([], span: 0.75) == nil)
        #expect(Trend.none.values(Self.points, span: 0.75) == nil)
        #expect(Trend.loess.values(Array(Self.points.prefix(4)), span: 0.1)?.count == 4)
    }

    @Test func pointsOfOnePlaceHaveTheirMean() {
        #expect(Trend.loess.values([(5, 1), (5, 2), (5, 3), (5, 6)], span: 1) == [3, 3, 3, 3])
    }

    /// N = 5: each new value weighs a third.
    @Test func theMovingAverageFollows() {
        #expect(Trend.ema.values([(0, 9), (1, 9), (2, 6), (3, 9)], span: 1) == [9, 9, 8, 9 - 2.0 / 3])
    }

    private func snapshots(_ health: [Double]) -> [BatterySnapshot] {
        health.enumerated().map { month, health in
            BatterySnapshot(
                id: month + 1, date: time(Double(month) * 30 * 86_400), battery: BatteryHealth(health: health / 100))
        }
    }

    @Test func acceleratedAgeingIsTold() throws {
        // 1 % in ten months, then 1 % a month; a single outlier changes nothing.
        let steady = (0..<10).map { 100 - 0.1 * Double($0) }
        let fast = (0..<10).map { 99 - Double($0) }
        let acceleration = try #require(Acceleration(snapshots(steady + fast)))
        #expect(acceleration.isAbnormal)
        #expect(
            acceleration.text.hasPrefix("the battery ages faster: 12.2 % of its capacity a year lately, 1.2 % before"))
        var odd = steady
        odd[4] = 90
        #expect(try #require(Acceleration(snapshots(odd + fast))).isAbnormal)
    }

    @Test func steadyAgeingIsNot() throws {
        let steady = try #require(Acceleration(snapshots((0..<20).map { 100 - 0.8 * Double($0) })))
        #expect(!steady.isAbnormal)
        #expect(try #require(Acceleration(snapshots(Array(repeating: 95, count: 20)))).lately == 0)
        #expect(Acceleration(snapshots([100, 99, 90])) == nil)
        #expect(Acceleration([]) == nil)
    }
}
