/// Tells drinks and refills from readings of the load cell (section 10.5).
enum DrinkDetector {
    /// What a reading says.
    enum Finding: Hashable, Sendable {
        /// Less water than before: so much was drunk, and so much is left, in ml.
        case drink(amount: Double, level: Double)
        /// More water than before; in ml.
        case refill(amount: Double, level: Double)
        /// The reading is measured from from now on, and nothing happened.
        case rebase
        /// Too little for an event, too much for drift: what it is measured from stays.
        case nothing
    }

    /// Changes of the level that mean something, in ml.
    struct Thresholds: Sendable {
        var drink = 30.0
        var refill: Double
        /// Smaller changes are drift of the load cell, and drinks are measured from the new reading.
        var drift: Double
        /// Levels that the reading to measure from can have.
        var plausible: ClosedRange<Double>

        static let shipped = Thresholds(refill: 100, drift: 15, plausible: -100...1000)
        /// Compares with the last recorded weight, however small the changes since then are.
        static let required = Thresholds(refill: 30, drift: 0, plausible: -.infinity ... .infinity)
    }

    /// Compares a reading with the one that drinks are measured from, which is 0 for none. Levels are in ml.
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
