/// The battery: its charge falls with use, and rises on a charger.
struct Battery: Sendable {
    /// Percent of what it holds.
    private(set) var charge: Double
    /// Percent up to which a charger fills it; nil without one.
    private(set) var target: Double?

    /// Percent for each hour.
    private static let awakeDrain = 8.0
    private static let asleepDrain = 0.02
    private static let chargeRate = 50.0

    init(charge: Double = 83.9) {
        self.charge = min(max(charge, 0), 100)
    }

    /// Volts: 3.2 when empty, 4.2 when full.
    var voltage: Double { 3.2 + charge / 100 }

    /// What the puck makes of the voltage (section 10.8): whole percents, cut off. The small sum keeps what arithmetic
    /// loses from costing one.
    var percent: Int { min(max(Int((voltage - 3.2) / 1.0 * 100 + 1e-6), 0), 100) }

    /// The puck shows so many percent from now on, and will for as long as it can.
    mutating func set(percent: Double) {
        charge = min(max(percent.rounded(.down), 0) + 0.9, 100)
        target = nil
    }

    /// On a charger, until it shows so many percent.
    mutating func charge(to percent: Double) { target = min(max(percent, 0), 100) }

    /// So many seconds pass.
    mutating func pass(_ seconds: Double, isAwake: Bool) {
        if let target {
            charge = min(max(charge, target), charge + Self.chargeRate * seconds / 3600)
            if charge >= target { self.target = nil }
        } else {
            charge = max(charge - (isAwake ? Self.awakeDrain : Self.asleepDrain) * seconds / 3600, 0)
        }
    }
}
