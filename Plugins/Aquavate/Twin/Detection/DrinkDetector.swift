/// Detects drinks and refills in readings of the load cell (section 10.5).
enum DrinkDetector {
    enum Finding: Hashable, Sendable {
        /// Less water than before: the amount that was drunk, and the level that is left, in ml.
        case drink(amount: Double, level: Double)
        /// More water than before; in ml.
        case refill(amount: Double, level: Double)
        /// Nothing happened; the reading becomes the new baseline.
        case rebase
        /// Too little for an event, too much for drift: the baseline stays.
        case nothing
    }

    /// Thresholds for changes of the level, in ml.
    struct Thresholds: Sendable {
        var drink = 30.0
        var refill: Double
        /// Smaller changes are drift of the load cell: the reading becomes the new baseline.
        var drift: Double
        /// Plausible levels of the baseline.
        var plausible: ClosedRange<Double>

        static let shipped = Thresholds(refill: 100, drift: 15, plausible: -100...1000)
        /// Compares with the last recorded weight, however small the changes since then.
        static let required = Thresholds(refill: 30, drift: 0, plausible: -.infinity ... .infinity)
    }

    /// Compares a reading with the baseline, which is 0 for none. Levels are in ml.
    static func judge(
        _ reading: Int, from baseline: Int, _ thresholds: Thresholds, level: (Int) -> Double
    ) -> Finding {
        let before = level(baseline)
        let now = level(reading)
        guard baseline != 0, thresholds.plausible.contains(before) else { return .rebase }
        let delta = before - now
        if delta >= thresholds.drink { return .drink(amount: delta, level: now) }
        if delta <= -thresholds.refill { return .refill(amount: -delta, level: now) }
        return abs(delta) < thresholds.drift ? .rebase : .nothing
    }
}
