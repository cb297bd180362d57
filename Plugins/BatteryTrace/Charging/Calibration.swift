import Bytes

/// Finds a battery's effective capacity from a long, stable charge with a known power.
public enum Calibration {
    /// Why a charge gives no capacity.
    public enum Refusal: Error, Hashable, Sendable {
        /// The power is not above zero.
        case noPower
        /// The level rose by this many per cent; at least 20 are needed.
        case riseTooSmall(percent: Double)
        /// The charge took this many seconds; at least 20 minutes are needed.
        case tooShort(seconds: Double)
        /// Samples are missing for this many seconds.
        case gap(seconds: Double)
        /// A quarter of the charge ran at this percentage of the mean speed.
        case unstable(percent: Double)
    }

    private static let leastRise = 0.2
    private static let leastSeconds = 1200.0
    private static let longestGap = 600.0
    /// How far the speed of each quarter may deviate from the mean, as a fraction of it.
    private static let tolerance = 0.15

    /// The capacity in mAh at which a charge with `watts` (into the battery) explains its samples.
    public static func capacity(
        of samples: [BatterySample], watts: Double, voltage: Double
    ) throws(Refusal) -> Double {
        guard watts > 0, watts.isFinite, voltage > 0 else { throw .noPower }
        for (earlier, later) in zip(samples, samples.dropFirst()) {
            let gap = later.time.seconds(since: earlier.time)
            if gap > longestGap { throw .gap(seconds: gap) }
        }
        let changes = changes(samples)
        guard let first = changes.first, let last = changes.last else { throw .riseTooSmall(percent: 0) }
        // A level written in decimals is not exact to the last bit.
        let (rise, seconds) = (last.level - first.level, last.time.seconds(since: first.time))
        guard rise > leastRise - 1e-9 else { throw .riseTooSmall(percent: max(0, rise * 100)) }
        guard seconds >= leastSeconds else { throw .tooShort(seconds: seconds) }
        try checkStability(changes, slope: rise / seconds)
        return watts / voltage * 1000 * (seconds / 3600) / rise
    }

    /// The samples at which each level was first seen; without the first sample if its level repeats, because that
    /// level may have been reached earlier.
    private static func changes(_ samples: [BatterySample]) -> [BatterySample] {
        var changes: [BatterySample] = []
        for sample in samples where changes.last?.level != sample.level { changes.append(sample) }
        let isFirstRough = samples.count > 1 && samples[0].level == samples[1].level
        return Array(changes.dropFirst(isFirstRough ? 1 : 0))
    }

    private static func checkStability(_ changes: [BatterySample], slope: Double) throws(Refusal) {
        let first = changes[0]
        let rise = changes[changes.count - 1].level - first.level
        var start = first
        for quarter in 1...4 {
            let wanted = first.level + rise * Double(quarter) / 4 - 1e-9
            guard let end = changes.first(where: { $0.level >= wanted }), end.time > start.time else {
                throw .unstable(percent: .infinity)
            }
            let speed = (end.level - start.level) / end.time.seconds(since: start.time) / slope
            guard abs(speed - 1) <= tolerance else { throw .unstable(percent: speed * 100) }
            start = end
        }
    }
}

extension Calibration.Refusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noPower: "a power above 0 W is needed"
        case .riseTooSmall(let percent): "the level rose by \(percent.text(decimals: 1)) %; 20 % are needed"
        case .tooShort(let seconds): "it lasted \((seconds / 60).text(decimals: 1)) min; 20 min are needed"
        case .gap(let seconds): "samples are missing for \((seconds / 60).text(decimals: 1)) min"
        case .unstable(let percent) where percent.isFinite:
            "it is not stable: a quarter of it went at \(percent.text(decimals: 0)) % of the mean speed; 85 to 115 % are needed"
        case .unstable: "it is not stable: the level jumped"
        }
    }
}
