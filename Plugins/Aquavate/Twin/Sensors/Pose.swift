import Glibc

/// How the bottle, and the puck under it, is held.
enum Pose: String, Codable, Hashable, Sendable {
    case standing
    /// Upright in a hand.
    case held
    /// As for drinking.
    case tilted
    /// On its side, still.
    case lying
    /// Upside down, still.
    case inverted
    /// Shaken upside down.
    case shakenInverted
    /// In a bag, in motion.
    case carried

    /// Whether the bottle's weight rests on the load cell.
    var loadsCell: Bool { self == .standing }

    /// Mean of the acceleration in g; Y is about -1 when upright.
    var acceleration: Acceleration {
        switch self {
        case .standing: Acceleration(x: 0, y: -1, z: 0)
        case .held: Acceleration(x: 0.05, y: -0.97, z: 0.05)
        case .tilted: Acceleration(x: 0.78, y: -0.6, z: 0.05)
        case .lying: Acceleration(x: 1, y: 0, z: 0)
        case .inverted: Acceleration(x: 0, y: 1, z: 0)
        case .shakenInverted: Acceleration(x: 0, y: 0.95, z: 0)
        case .carried: Acceleration(x: 0.7, y: -0.5, z: 0.4)
        }
    }

    /// Angle in degrees up to which a bottle that leans on its base is upright: 0.174 g across (section 10.4).
    static let uprightLimit = 10.0

    /// Standard deviation of each axis, in g.
    var unrest: Double {
        switch self {
        case .standing, .lying, .inverted: 0.004
        case .held, .tilted: 0.15
        case .carried: 0.2
        case .shakenInverted: 0.28
        }
    }
}

/// Acceleration on three axes, in g.
struct Acceleration: Hashable, Sendable {
    var x: Double
    var y: Double
    var z: Double
}

extension Acceleration {
    /// Gravity in a bottle that is tilted by an angle, in degrees: 0 is upright, 180 upside down.
    init(tiltedBy degrees: Double) {
        let angle = degrees * .pi / 180
        self.init(x: sin(angle), y: -cos(angle), z: 0)
    }
}
