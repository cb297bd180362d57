import Bytes

/// The battery of a phone over time: charging, in use or idle. It computes when its percentage changes next.
struct PhoneBattery: Sendable {
    /// Power supply of the phone.
    struct Supply: Hashable, Sendable {
        /// Power that reaches the battery at full current, in W.
        var watts: Double
        var connection: ChargeCurve.Connection
    }

    /// Capacity in mAh.
    let capacity: Double
    /// The charger; nil while unplugged.
    private(set) var supply: Supply?
    /// Power consumption of the phone, in W.
    private(set) var load = 0.0
    /// Level at the time of the last change, 0 to 1.
    private var level: Double
    private var since: Timestamp

    init(capacity: Double, level: Double, at now: Timestamp) {
        self.capacity = capacity
        self.level = level
        since = now
    }

    /// Connects a supply; nil disconnects it.
    mutating func connect(_ supply: Supply?, at now: Timestamp) {
        settle(at: now)
        self.supply = supply
    }

    /// Sets the power consumption of the phone, in W.
    mutating func use(_ load: Double, at now: Timestamp) {
        settle(at: now)
        self.load = load
    }

    /// Sets the level, 0 to 1.
    mutating func set(_ level: Double, at now: Timestamp) {
        settle(at: now)
        self.level = level
    }

    private mutating func settle(at now: Timestamp) {
        level = self.level(at: now)
        since = now
    }

    // MARK: - Over time

    /// Level at a time, 0 to 1.
    func level(at now: Timestamp) -> Double { level(after: max(0, now.seconds(since: since))) }

    /// The whole percentage that a phone shows.
    func percent(at now: Timestamp) -> UInt8 { Self.percent(level(at: now)) }

    /// The next time, to a millisecond, at which the percentage changes; nil while the level stays.
    func nextChange(after now: Timestamp) -> Timestamp? {
        let shown = percent(at: now)
        var early = max(0, now.seconds(since: since))
        var late = early + 1
        while Self.percent(level(after: late)) == shown {
            guard late - early < Self.longest else { return nil }
            late += late - early
        }
        while late - early > Self.resolution {
            let middle = (early + late) / 2
            if Self.percent(level(after: middle)) == shown { early = middle } else { late = middle }
        }
        // At the end of the range of times there is no next change.
        let change = since.advanced(nanoseconds: Int64(exactly: (late * 1e9).rounded(.up)) ?? .max)
        return change > now ? change : nil
    }

    /// Seconds after which an unchanged level counts as constant: a year.
    private static let longest = 3e7
    private static let resolution = 0.001

    /// Fraction of a per cent that rounding may have cost.
    private static let tolerance = 1e-9

    private static func percent(_ level: Double) -> UInt8 { UInt8(min(max(level, 0), 1) * 100 + tolerance) }

    /// Net power into the battery, in W; negative while it discharges.
    private var power: Double { (supply?.watts ?? 0) - load }

    private func level(after seconds: Double) -> Double {
        guard let supply, power > 0 else {
            let curve = ChargeCurve(capacity: capacity, watts: 0, startLevel: level)
            return max(0, level + power * seconds / 3600 / (capacity / 1000 * curve.voltage))
        }
        return ChargeCurve(capacity: capacity, watts: power, connection: supply.connection, startLevel: level)
            .level(atSeconds: seconds)
    }
}
