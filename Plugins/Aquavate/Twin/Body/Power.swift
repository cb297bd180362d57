import Bytes

/// Power state of a puck (section 10.1).
enum Power: Sendable {
    case off
    /// The puck is not visible yet.
    case booting(Wake, until: Timestamp)
    case awake
    case asleep(Sleep, until: Timestamp)
}

/// A deep sleep, after which the firmware restarts.
enum Sleep: String, Sendable {
    /// Motion ends it.
    case normal
    /// In a bag: only a double tap ends it.
    case backpack
    /// The battery is too low.
    case lockout

    /// Maximum duration, except of a lockout.
    static let limit = Duration.seconds(7200)
}

/// Cause of a wake-up (section 10.2).
enum Wake: String, Sendable {
    case powerOn = "power_on"
    case motion
    case doubleTap = "double_tap"
    /// Its timer, after two hours.
    case healthCheck = "health_check"
    /// Its timer, after midnight.
    case rollover
    /// Its timer, to check the battery.
    case lockoutCheck = "lockout_check"

    var isTimer: Bool {
        switch self {
        case .healthCheck, .rollover, .lockoutCheck: true
        case .powerOn, .motion, .doubleTap: false
        }
    }

    /// The reason in wake events.
    var reason: WakeReason {
        switch self {
        case .powerOn: .powerOn
        case .motion, .doubleTap: .motion
        case .healthCheck, .rollover, .lockoutCheck: .timer
        }
    }
}
