import Bytes

/// The surroundings of a puck: the bottle, the hands that move it, and the power.
struct Surroundings: Sendable {
    /// Water in the bottle, in ml.
    private(set) var water: Double
    private(set) var pose: Pose
    /// Angle of a tilted bottle, in degrees; nil for that of drinking, and in other poses.
    private(set) var tilt: Double?
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
        /// Tilts the bottle by an angle, in degrees.
        case tilt(Double)
        /// Takes out an amount of water, in ml.
        case drink(Double)
        /// Fills the bottle up to a level, in ml.
        case fill(Double)
        /// A knock of a strength in g, without moving the bottle.
        case knock(Double)
        case doubleTap(Double)
    }

    /// An acceleration that a change causes, with its strength in g.
    enum Jolt: Hashable, Sendable {
        case motion(Double)
        case doubleTap(Double)

        /// Whether the accelerometer reports it as activity.
        var isActivity: Bool {
            switch self {
            case .motion(let strength), .doubleTap(let strength): strength > Accelerometer.activityThreshold
            }
        }

        /// Whether the accelerometer reports it as a double tap.
        var isDoubleTap: Bool {
            if case .doubleTap(let strength) = self { strength >= Accelerometer.doubleTapThreshold } else { false }
        }
    }

    /// Strength of the jolt when a hand takes, tilts or puts down the bottle, in g.
    private static let handling = 2.0

    /// ml.
    static let capacity = 830.0
    /// ml lost with every drink, so that whole ml are measured as such despite the noise.
    private static let drop = 0.05
    /// Maximum number of planned changes.
    private static let planLimit = 1000

    init(
        water: Double = capacity, pose: Pose = .standing, tilt: Double? = nil, charge: Double = 83.9, seed: UInt64
    ) {
        self.water = min(max(water, 0), Self.capacity)
        self.pose = pose
        self.tilt = pose == .tilted ? tilt : nil
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
        case .pose(let pose): return move(to: pose)
        case .tilt(let angle): return move(to: .tilted, by: angle)
        case .drink(let amount): water = max(water - max(amount, 0) - Self.drop, 0)
        case .fill(let level): water = min(max(level, 0), Self.capacity)
        case .knock(let strength): return .motion(strength)
        case .doubleTap(let strength): return .doubleTap(strength)
        }
        return nil
    }

    /// Moves the bottle; one that only leans on its base is not jolted.
    private mutating func move(to pose: Pose, by angle: Double? = nil) -> Jolt? {
        guard pose != self.pose || angle != tilt else { return nil }
        let wasOnBase = isOnBase
        self.pose = pose
        tilt = angle
        return wasOnBase && isOnBase ? nil : .motion(Self.handling)
    }

    /// Whether the bottle stands, or leans on its base by so little that it counts as upright.
    private var isOnBase: Bool { pose == .standing || tilt.map { $0 <= Pose.uprightLimit } ?? false }

    /// Stands the bottle with this much water, as if it had always been so; returns the reading of the load cell.
    mutating func stand(with level: Double) -> Int {
        water = min(max(level, 0), Self.capacity)
        pose = .standing
        tilt = nil
        return weigh()
    }

    mutating func weigh() -> Int { loadCell.reading(water: water, pose: pose, &chance) }

    mutating func feel() -> Acceleration { accelerometer.sample(pose: pose, tilt: tilt, &chance) }
}
