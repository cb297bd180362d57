import Bytes

/// The bottle, the hands that move it and the power: all that happens to a puck.
struct Surroundings: Sendable {
    /// Water in the bottle, in ml.
    private(set) var water: Double
    private(set) var pose: Pose
    var battery: Battery
    var loadCell = LoadCell()
    var chance: Chance
    /// What hands are about to do, the next thing first.
    private var plan = FIFO<(time: Timestamp, change: Change)>()
    /// When the last thing of the plan is done.
    private var planEnd: Timestamp?
    private let accelerometer = Accelerometer()

    /// What hands do.
    enum Change: Hashable, Sendable {
        case pose(Pose)
        /// Takes so many ml out.
        case drink(Double)
        /// Fills up to so many ml.
        case fill(Double)
        /// A knock, without moving the bottle.
        case knock
        case doubleTap
    }

    /// What the accelerometer notices of a change.
    enum Jolt: Hashable, Sendable { case motion, doubleTap }

    /// ml.
    static let capacity = 830.0
    /// ml that go with every drink, so that whole ml are measured as such whatever the noise.
    private static let drop = 0.05
    /// Steps that wait to be done.
    private static let planLimit = 1000

    init(water: Double = capacity, pose: Pose = .standing, charge: Double = 83.9, seed: UInt64) {
        self.water = min(max(water, 0), Self.capacity)
        self.pose = pose
        battery = Battery(charge: charge)
        chance = Chance(seed: seed)
    }

    /// When the next thing of the plan is due.
    var deadline: Timestamp? { plan.first?.time }

    /// Plans what is to be done, each thing so many seconds after the one before, when all that was planned is done.
    mutating func plan(_ steps: [(seconds: Double, change: Change)], at now: Timestamp) {
        guard plan.count + steps.count <= Self.planLimit else { return }
        var time = max(now, planEnd ?? now)
        for step in steps {
            time = time + .milliseconds(Int(step.seconds * 1000))
            plan.append((time, step.change))
        }
        planEnd = time
    }

    /// Does the next thing of the plan; what the accelerometer notices of it.
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

    /// The bottle stands with so much water, as though it had never been otherwise; returns what the load cell reads.
    mutating func stand(with level: Double) -> Int {
        water = min(max(level, 0), Self.capacity)
        pose = .standing
        return weigh()
    }

    mutating func weigh() -> Int { loadCell.reading(water: water, pose: pose, &chance) }

    mutating func feel() -> Acceleration { accelerometer.sample(pose: pose, &chance) }
}
