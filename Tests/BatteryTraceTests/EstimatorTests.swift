import BatteryTrace
import Bytes
import Testing

@Suite struct EstimatorTests {
    /// The worked value of the protocol document: 3274 mAh, 50 % to 51 % in 180 s.
    @Test func theWorkedValue() throws {
        var estimator = ChargeEstimator(EstimateSettings(capacity: 3274))
        #expect(estimator.take(sample(0, 0.50)) == nil)
        let second = estimator.take(sample(180, 0.51))
        let estimate = try #require(second)
        #expect(abs(estimate.milliamperes - 654.8) < 1e-6)
        #expect(abs(estimate.watts - 2.501) < 0.0005)
        #expect(estimate.smoothedWatts == estimate.watts)
        // 49 % at 1 % in 180 s.
        #expect(abs(estimate.secondsToFull - 49 * 180) < 1e-6)
        let session = try #require(estimator.current)
        #expect(session.start == noon)
        #expect(session.end == nil)
        #expect(abs(session.risenPercent - 1) < 1e-9)
        #expect(session.duration == 180)
        #expect(abs(try #require(session.averageWatts) - 2.501) < 0.0005)
        #expect(abs(try #require(session.peakWatts) - 2.501) < 0.0005)
    }

    /// The same value sampled every 5 s: a constant level gives no new estimate.
    @Test func theWorkedValueWatchedClosely() throws {
        var estimator = ChargeEstimator(EstimateSettings(capacity: 3274))
        var last: ChargeEstimate?
        for second in stride(from: 0.0, through: 900, by: 5) {
            let level = 0.50 + (second / 180).rounded(.down) / 100
            if let estimate = estimator.take(sample(second, level)) {
                #expect(abs(estimate.watts - 2.501) < 0.0005, "at \(second) s")
                last = estimate
            }
        }
        #expect(abs(try #require(last).smoothedWatts - 2.501) < 0.0005)
    }

    /// By hand: capacity 1000 mAh, 3.82 V. Exact levels every 60 s with a window of 60 s: each window is two samples,
    /// so the weight of the newest is 2/3. 1 % a minute is 600 mA, 2.292 W; 2 % a minute twice that.
    @Test func smoothingFollowsTheFormula() throws {
        var settings = EstimateSettings(capacity: 1000)
        settings.window = 60
        let levels = [0.10, 0.11, 0.12, 0.14]
        var estimator = ChargeEstimator(settings)
        let estimates = levels.enumerated().compactMap { index, level in
            estimator.take(sample(60 * Double(index), level))
        }
        #expect(estimates.map { $0.watts.rounded(to: 6) } == [2.292, 2.292, 4.584])
        // The first estimate is rough, since the first sample's level may be older; smoothing restarts with the second.
        #expect(estimates.map { $0.smoothedWatts.rounded(to: 6) } == [2.292, 2.292, 3.82])
        let session = try #require(estimator.current)
        #expect(session.peakWatts?.rounded(to: 6) == 3.82)
        // From 11 % to 14 % in 120 s: the mean of 2.292 W for a minute and 4.584 W for a minute.
        #expect(session.averageWatts?.rounded(to: 6) == 3.438)
    }

    @Test func nothingIsEstimatedWithoutARise() {
        let settings = EstimateSettings(capacity: 3274)
        for levels in [[0.5, 0.5, 0.5], [0.5, 0.4, 0.3], [0.5, 0.49, 0.49]] {
            var estimator = ChargeEstimator(settings)
            for (index, level) in levels.enumerated() {
                #expect(estimator.take(sample(100 * Double(index), level, .charging)) == nil)
            }
            #expect(estimator.current?.averageWatts == nil)
            #expect(estimator.current?.secondsToFull == nil)
        }
    }

    @Test func samplesThatAreNotLaterArePassedOver() {
        var estimator = ChargeEstimator(EstimateSettings(capacity: 3274), [sample(0, 0.50), sample(180, 0.51)])
        let before = estimator.current
        #expect(estimator.take(sample(180, 0.60)) == nil)
        #expect(estimator.take(sample(10, 0.20)) == nil)
        #expect(estimator.current == before)
    }

    /// A constant level ends the high estimates: the estimate falls to the power that is still possible.
    @Test func aLevelThatStaysLowersTheEstimate() throws {
        var estimator = ChargeEstimator(EstimateSettings(capacity: 3274))
        var estimates: [ChargeEstimate] = []
        for second in stride(from: 0.0, to: 3600, by: 5) {
            let level = 0.50 + min((second / 60).rounded(.down), 10) / 100
            if let estimate = estimator.take(sample(second, level, .charging)) { estimates.append(estimate) }
        }
        let full = 3274.0 / 1000 * 3.82 * 0.6
        #expect(abs(estimates[0].watts - full) < 1e-6)
        #expect(try #require(estimates.last).watts < full / 40)
        // 10 % in 600 s, then no rise: about a sixth of the power over the hour.
        let average = try #require(estimator.current?.averageWatts)
        #expect((full * 0.14...full * 0.19).contains(average))
    }

    /// Times at the limits of their range, and jumping levels, give no absurd estimates and no trap.
    @Test func extremeSamplesAreHarmless() {
        var estimator = ChargeEstimator(EstimateSettings(capacity: 100_000))
        let times: [Int64] = [.min, -1, 0, 1, 2, .max - 1, .max]
        for (index, time) in times.enumerated() {
            let estimate = estimator.take(
                BatterySample(
                    time: Timestamp(nanoseconds: time), level: index % 2 == 0 ? 0 : 1, state: .charging))
            #expect(estimate.map { $0.watts.isFinite && $0.watts > 0 } ?? true)
        }
        #expect(estimator.allSessions.allSatisfy { $0.duration.isFinite })
    }
}

extension Double {
    func rounded(to decimals: Int) -> Double {
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        return (self * scale).rounded() / scale
    }
}
