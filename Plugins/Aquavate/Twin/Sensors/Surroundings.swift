import Bytes

/// The surroundings of a puck: the bottle, the hands that move it, and the power.
struct Surroundings: Sendable {
    /// Water in the bottle, in ml.
    private(set) var water: Double
    private(set) var pose: Pose
    var battery: Battery
    var loadCell = LoadCell()
    var chance: Chance
    /// Planned changes, the next one first.
    private var plan = FIFO<(time: Timestamp, change: Change)>()
    /// Time of the last planned change.
    private var planEnd: Timestamp?
    private let accelerometer = Accelerometer()

    /// A change by hand.
    enum Change: Hashable, Sendable {
        case pose(Pose)
        /// Takes out an amount of water, in ml.
        case drink(Double)
        /// Fills the bottle up to a level, in ml.
        case fill(Double)
        /// A knock, without moving the bottle.
        case knock
        case doubleTap
    }

    /// Reaction of the accelerometer to a change.
    enum Jolt: Hashable, Sendable { case motion, doubleTap }

    /// ml.
    static let capacity = 830.0
    /// ml lost with every drink, so that whole ml are measured as such despite the noise.
    private static let drop = 0.05
    /// Maximum number of planned changes.
    private static let planLimit = 1000

    init(water: Double = capacity, pose: Pose = .standing, charge: Double = 83.9, seed: UInt64) {
        self.water = min(max(water, 0), Self.capacity)
        self.pose = pose
        battery = Battery(charge: charge)
        chance = Chance(seed: seed)
    }

    /// Time of the next planned change.
    var deadline: Timestamp? { plan.first?.time }

    /// Plans steps after all earlier ones, each a number of seconds after the one before.
    mutating func plan(_ steps: [(seconds: Double, change: Change)], at now: Timestamp) {
        guard plan.count + steps.count <= Self.planLimit else { return }
        var time = max(now, planEnd ?? now)
        for step in steps {
            time = time + .milliseconds(Int(step.seconds * 1000))
            plan.append((time, step.change))
        }
        planEnd = time
    }

    /// Executes the next planned change; returns the reaction of the accelerometer.
    mutating func proceed() -> Jolt? {
        guard let (_, change) = plan.popFirst() else { return nil }
        switch change {
        case .pose(let pose):
            defer { self.pose = pose }
            return self.pose == pose ? nil : .motion
        case .drink(let amount): water = max(water - max(amount, 0) - Self.drop, 0)
        case .fill(let level): water = min(max(level, 0), Self.capacity)
        case .knock: return .motion
        case .doubleTap: return .doubleTap
        }
        return nil
    }

    /// Stands the bottle with this much water, as if it had always been so; returns the reading of the load cell.
    mutating func stand(with level: Double) -> Int {
        water = min(max(level, 0), Self.capacity)
        pose = .standing
        return weigh()
    }

    mutating func weigh() -> Int { loadCell.reading(water: water, pose: pose, &chance) }

    mutating func feel() -> Acceleration { accelerometer.sample(pose: pose, &chance) }
}
