import BatteryTrace
import Testing

/// The charge curve, and the estimator against the curve's true mean power.
@Suite struct CurveTests {
    static let chargers: [ChargeCurve] = [
        ChargeCurve(capacity: 3274, watts: 5, startLevel: 0.195),
        ChargeCurve(capacity: 3274, watts: 20, startLevel: 0.1),
        ChargeCurve(capacity: 3274, watts: 7.5, connection: .wireless, startLevel: 0.192),
        ChargeCurve(capacity: 3274, watts: 15, connection: .wireless, startLevel: 0.15),
        ChargeCurve(capacity: 500, watts: 0.5, startLevel: 0.18),
        ChargeCurve(capacity: 5000, watts: 45, startLevel: 0.05),
    ]

    static let watchers: [(String, @Sendable (ChargeCurve) -> WatchedCharge)] = [
        ("stepped, every 5 s", { WatchedCharge(curve: $0) }),
        ("stepped, on change", { WatchedCharge(curve: $0, interval: nil) }),
        ("stepped, every 60 s", { WatchedCharge(curve: $0, interval: 60, tellsState: true) }),
        ("stepped, early and late", { WatchedCharge(curve: $0, jitter: 2) }),
        ("exact, every 5 s", { WatchedCharge(curve: $0, isStepped: false) }),
        ("noisy, every 5 s", { WatchedCharge(curve: $0, isStepped: false, noise: 0.001, tellsState: true) }),
        ("noisy steps", { WatchedCharge(curve: $0, noise: 0.0005, tellsState: true) }),
    ]

    /// From 20 % to 80 %, the estimated mean lies within 5 % of the true one, for every charger and every kind of
    /// sampling.
    @Test(arguments: chargers.indices, watchers.indices)
    func theMeanLiesWithinFivePercent(_ charger: Int, _ watcher: Int) throws {
        let charge = Self.watchers[watcher].1(Self.chargers[charger])
        let truth = charge.meanWatts(from: 0.2, to: 0.8)
        for seed in 1...3 as ClosedRange<UInt64> {
            let samples = charge.samples(until: 0.805, seed: seed).filter { $0.level >= 0.2 && $0.level <= 0.8 }
            let estimator = ChargeEstimator(EstimateSettings(capacity: charge.curve.capacity), samples)
            let session = try #require(estimator.allSessions.first)
            #expect(estimator.allSessions.count == 1)
            let average = try #require(session.averageWatts)
            #expect(
                abs(average / truth - 1) < 0.05,
                "\(Self.watchers[watcher].0), seed \(seed): \(average) W of \(truth) W")
            // The highest smoothed power is close to the charger's: neither steps nor noise raise it much. Samples 60 s
            // apart can lower it a little.
            let peak = try #require(session.peakWatts)
            #expect((0.9 * average...1.35 * charge.curve.watts).contains(peak), "peak \(peak) W")
        }
    }

    /// While the current is constant, each estimate is correct once smoothing has settled.
    @Test func aSteadyChargeIsEstimatedSteadily() {
        let charge = WatchedCharge(curve: ChargeCurve(capacity: 3274, watts: 20, startLevel: 0.2))
        var estimator = ChargeEstimator(EstimateSettings(capacity: 3274))
        var settled = 0
        for sample in charge.samples(until: 0.79) {
            guard let estimate = estimator.take(sample), sample.time > time(300) else { continue }
            settled += 1
            #expect(abs(estimate.smoothedWatts / 20 - 1) < 0.1, "\(estimate.smoothedWatts) W")
        }
        #expect(settled > 100)
    }

    @Test func currentIsConstantToEightyPercentAndTapersAfter() {
        let curve = ChargeCurve(capacity: 3274, watts: 20, startLevel: 0.2)
        // 60 % of 3274 mAh at 20 W / 3.82 V, and half of the ramp of 5 s.
        let knee = 0.6 * 3.274 / (20 / 3.82) * 3600 + 2.5
        #expect(abs(curve.level(atSeconds: knee) - 0.8) < 1e-9)
        #expect(curve.watts(atSeconds: 5) == 20)
        #expect(curve.watts(atSeconds: knee - 1) == 20)
        #expect(curve.watts(atSeconds: knee + 60) < 20)
        var power = 20.0
        for minute in 1...60 {
            let next = curve.watts(atSeconds: knee + 60 * Double(minute))
            #expect(next <= power)
            power = next
        }
        #expect(curve.level(atSeconds: 1e6) == 1)
        #expect(curve.watts(atSeconds: 1e6) == 0)
    }

    /// The level is the integral of the power.
    @Test(arguments: chargers.indices)
    func levelAndPowerAgree(_ charger: Int) {
        let curve = Self.chargers[charger]
        var charge = 0.0
        let step = 0.5
        for index in 0..<14_400 {
            let seconds = Double(index) * step
            charge += curve.watts(atSeconds: seconds + step / 2) * step / 3600
            let level = curve.startLevel + charge / (curve.capacity / 1000 * curve.voltage)
            let shown = curve.level(atSeconds: seconds + step)
            guard shown < 1 else { break }
            #expect(abs(shown - level) < 0.0005)
        }
    }

    @Test func aWirelessChargerStartsSlowlyAndWarmsUp() {
        let curve = ChargeCurve(capacity: 3274, watts: 15, connection: .wireless, startLevel: 0)
        #expect(curve.watts(atSeconds: 0) == 0)
        #expect(abs(curve.watts(atSeconds: 30) - 7.5) < 1e-9)
        #expect(curve.watts(atSeconds: 600) == 15)
        #expect(abs(curve.watts(atSeconds: 1300) - 12) < 1e-9)
    }

    @Test(arguments: [-1.0, 0, 1e12, .infinity])
    func extremeTimesAreHarmless(_ seconds: Double) {
        for curve in Self.chargers {
            let level = curve.level(atSeconds: seconds)
            #expect((curve.startLevel...1).contains(level))
        }
    }
}
