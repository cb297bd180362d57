/// The battery: its charge falls with use, and rises on a charger.
struct Battery: Sendable {
    /// Percentage of its capacity.
    private(set) var charge: Double
    /// Percentage up to which a charger charges it; nil without a charger.
    private(set) var target: Double?

    /// Percent per hour.
    private static let awakeDrain = 8.0
    private static let asleepDrain = 0.02
    private static let chargeRate = 50.0

    init(charge: Double = 83.9) {
        self.charge = min(max(charge, 0), 100)
    }

    /// Volts: 3.2 when empty, 4.2 when full.
    var voltage: Double { 3.2 + charge / 100 }

    /// The percentage that the puck derives from the voltage (section 10.8), truncated. The small addend keeps rounding
    /// errors from costing one percent.
    var percent: Int { min(max(Int((voltage - 3.2) / 1.0 * 100 + 1e-6), 0), 100) }

    /// Sets the percentage that the puck shows, with enough charge to show it for as long as possible.
    mutating func set(percent: Double) {
        charge = min(max(percent.rounded(.down), 0) + 0.9, 100)
        target = nil
    }

    /// Connects a charger until the puck shows a percentage.
    mutating func charge(to percent: Double) { target = min(max(percent, 0), 100) }

    /// Drains or charges the battery for a time.
    mutating func pass(_ seconds: Double, isAwake: Bool) {
        if let target {
            charge = min(max(charge, target), charge + Self.chargeRate * seconds / 3600)
            if charge >= target { self.target = nil }
        } else {
            charge = max(charge - (isAwake ? Self.awakeDrain : Self.asleepDrain) * seconds / 3600, 0)
        }
    }
}
