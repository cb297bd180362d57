import BatteryTrace
import Bytes
import TestKit

/// Noon of 2026-03-01 UTC, the start of all simulated charges.
let noon = Timestamp(seconds: 1_772_366_400, nanoseconds: 0)

/// Noon plus seconds.
func time(_ seconds: Double) -> Timestamp {
    Timestamp(nanoseconds: noon.nanoseconds + Int64((seconds * 1e9).rounded()))
}

func sample(_ seconds: Double, _ level: Double, _ state: BatteryState? = nil) -> BatterySample {
    BatterySample(time: time(seconds), level: level, state: state)
}

/// A charge as sampled by an observer of the battery.
struct WatchedCharge: Sendable {
    var curve: ChargeCurve
    /// Levels are whole per cent, as in Battery Level; otherwise exact.
    var isStepped = true
    /// Time between samples, in seconds; nil: a sample only when the level changes.
    var interval: Double? = 5
    /// The largest deviation of a sample's time, in seconds.
    var jitter = 0.0
    /// Standard deviation of the levels, as a fraction of a full battery.
    var noise = 0.0
    /// Samples contain the charging state.
    var tellsState = false

    /// The samples from the start until `level` is reached; deterministic for a seed.
    func samples(until level: Double, seed: UInt64 = 1) -> [BatterySample] {
        var random = SplitMix64(seed: seed)
        var samples: [BatterySample] = []
        let step = interval ?? 1
        for index in 0..<200_000 {
            let planned = Double(index) * step
            let seconds = max(0, planned + jitter * Double.random(in: -1...1, using: &random))
            let exact = curve.level(atSeconds: seconds)
            if exact >= level, index > 0 { break }
            // The sum of twelve uniform random numbers is close to a normal distribution with a standard deviation of
            // 1.
            let deviation = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
            let shown = shown(exact + noise * deviation)
            if interval == nil, samples.last?.level == shown { continue }
            samples.append(sample(seconds, shown, tellsState ? .charging : nil))
        }
        return samples
    }

    private func shown(_ level: Double) -> Double {
        let level = min(max(level, 0), 1)
        return isStepped ? (level * 100).rounded(.down) / 100 : level
    }

    /// The true mean power from one level to another, in W.
    func meanWatts(from start: Double, to end: Double) -> Double {
        var (first, last) = (0.0, 0.0)
        while curve.level(atSeconds: first) < start { first += 0.25 }
        last = first
        while curve.level(atSeconds: last) < end { last += 0.25 }
        return curve.meanWatts(from: first, to: last)
    }
}

extension ChargeEstimator {
    /// An estimator that has processed all samples.
    init(_ settings: EstimateSettings, _ samples: [BatterySample]) {
        self.init(settings)
        for sample in samples { _ = take(sample) }
    }
}
