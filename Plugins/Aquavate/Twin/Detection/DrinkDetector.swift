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

    /// From how many ml on something is a refill.
    enum RefillThreshold: Double, Sendable {
        case shipped = 100
        case required = 30
    }

    private static let drink = 30.0
    private static let drift = 15.0
    /// Levels that a reading to measure from can have, in ml.
    private static let plausible = -100.0...1000.0

    /// Compares a reading with the one that drinks are measured from, which is 0 for none.
    static func judge(
        _ reading: Int, from baseline: Int, _ scale: CellScale, refill threshold: RefillThreshold
    ) -> Finding {
        let before = scale.level(baseline)
        let now = scale.level(reading)
        guard baseline != 0, plausible.contains(before) else { return .rebase }
        let delta = before - now
        if delta >= drink { return .drink(amount: delta, level: now) }
        if delta <= -threshold.rawValue { return .refill(amount: -delta, level: now) }
        return abs(delta) < drift ? .rebase : .nothing
    }
}
