import Glibc

/// The charging curve of a battery over time, as an emulated peripheral shows it.
///
/// Constant current to 80 %; then the current falls in proportion to the level, to a tenth at 100 %, as at constant
/// voltage. A wired charger reaches its power in 5 s. A wireless charger takes a minute, and after 20 minutes gives a
/// fifth less, because it is warm.
public struct ChargeCurve: Hashable, Sendable {
    /// How the power reaches the battery.
    public enum Connection: String, CaseIterable, Hashable, Sendable {
        case wired, wireless
    }

    /// Capacity in mAh.
    public var capacity: Double
    /// Nominal voltage in V.
    public var voltage = 3.82
    /// Power of the charger at full current, as it reaches the battery, in W.
    public var watts: Double
    public var connection: Connection
    /// Level when the charger is connected, 0 to 1.
    public var startLevel: Double

    public init(capacity: Double, watts: Double, connection: Connection = .wired, startLevel: Double) {
        self.capacity = capacity
        self.watts = watts
        self.connection = connection
        self.startLevel = startLevel
    }

    /// Level from which the current falls.
    private static let knee = 0.8
    /// Fraction of the current at a full battery.
    private static let rest = 0.1

    /// Level at a time after the charger was connected, 0 to 1.
    public func level(atSeconds seconds: Double) -> Double {
        let start = min(max(startLevel, 0), 1)
        // The charge over the effective seconds at full power, as a fraction of a full battery.
        let charge = watts / voltage / (capacity / 1000) * effectiveSeconds(seconds) / 3600
        let toKnee = max(0, Self.knee - start)
        guard charge > toKnee else { return start + max(0, charge) }
        let from = max(start, Self.knee)
        return min(1, Self.tapered(from, charge - toKnee))
    }

    /// Power into the battery at a time, in W.
    public func watts(atSeconds seconds: Double) -> Double {
        let level = level(atSeconds: seconds)
        guard seconds >= 0, level < 1 else { return 0 }
        let part = level <= Self.knee ? 1 : 1 - Self.fall * (level - Self.knee)
        return watts * part * power(atSeconds: seconds)
    }

    /// Mean power into the battery between two times, in W.
    public func meanWatts(from start: Double, to end: Double) -> Double {
        let rise = level(atSeconds: end) - level(atSeconds: start)
        return rise * capacity / 1000 * voltage / ((end - start) / 3600)
    }

    /// Slope of the current over the level, in fractions of the full current.
    private static var fall: Double { (1 - rest) / (1 - knee) }

    /// The level after a charge, given as the fraction of a full battery that full current would have added: the
    /// solution of dL/dx = 1 - fall · (L - knee).
    private static func tapered(_ from: Double, _ charge: Double) -> Double {
        let start = 1 - fall * (from - knee)
        return knee + (1 - start * exp(-fall * charge)) / fall
    }

    // MARK: - The charger

    /// Time until the power is reached; it rises linearly. In seconds.
    private var ramp: Double { connection == .wired ? 5 : 60 }
    /// When the charger is warm, in seconds.
    private static let warm = 1200.0

    /// Fraction of its power that the charger gives at a time.
    private func power(atSeconds seconds: Double) -> Double {
        if seconds < ramp { return max(0, seconds / ramp) }
        return connection == .wireless && seconds >= Self.warm ? 0.8 : 1
    }

    /// The integral of `power` from 0 on: the seconds at full power that give the same charge.
    private func effectiveSeconds(_ seconds: Double) -> Double {
        guard seconds > 0 else { return 0 }
        let ramped = min(seconds, ramp)
        var effective = ramped * ramped / (2 * ramp) + max(0, seconds - ramp)
        if connection == .wireless { effective -= 0.2 * max(0, seconds - Self.warm) }
        return effective
    }
}
