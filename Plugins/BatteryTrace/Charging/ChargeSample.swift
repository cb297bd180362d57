public import Bytes

/// A sample of a battery's level, with the estimate at its time.
public struct ChargeSample: Hashable, Sendable {
    public var time: Timestamp
    /// 0 (empty) to 1 (full).
    public var level: Double
    /// As reported by the source, else inferred.
    public var state: BatteryState
    /// Nil if the level does not rise, or not for long enough.
    public var estimate: ChargeEstimate?
    /// Address of the device in the store; nil for a sample of a file.
    public var device: String?
    /// Start of its session in the store; nil for a sample of a device, whose sessions follow each other.
    public var session: Timestamp?

    public init(time: Timestamp, level: Double, state: BatteryState, estimate: ChargeEstimate? = nil) {
        self.time = time
        self.level = level
        self.state = state
        self.estimate = estimate
    }
}

extension ChargeEstimator {
    /// Handles the next sample; returns it with its estimate. Nil if it is not later than the previous one.
    mutating func record(_ sample: BatterySample) -> ChargeSample? {
        if let lastTime, sample.time <= lastTime { return nil }
        let estimate = take(sample)
        return ChargeSample(time: sample.time, level: sample.level, state: state, estimate: estimate)
    }
}
