import Bytes

/// Orientation, stability and the Empty Gesture of the requirements ("Measurement Logic"), evaluated at each pass. The
/// sensor lies flat: Z is 1 g while the bottle stands upright.
struct PRDGestureDetector: Sendable {
    /// The samples of the last 2 s at most.
    private var window: [Acceleration] = []
    /// Samples since the bottle was moved, up to the length of the window.
    private var settled = 0
    private var steadySince: Timestamp?
    private var shakenSince: Timestamp?
    /// True from Z below -0.8 g until Z is no longer negative.
    private var isInverted = false

    /// Passes of 200 ms in 2 s.
    private static let windowLength = 10
    private static let shakeWindowLength = 5
    private static let steadyTime = Duration.seconds(1)
    private static let shakeTime = Duration.milliseconds(1500)
    /// Variance in g² below which the bottle stands still, and above which it is shaken; not in the requirements.
    private static let steadyVariance = 0.02
    private static let shakeVariance = 0.08
    /// Limit of X and Y while the bottle is upright, in g: a tilt of 10°.
    private static let level = 0.174

    /// Handles a pass of the loop, with a sample in the axes of the shipped puck.
    mutating func pass(_ sample: Acceleration, at now: Timestamp) -> Gesture {
        let sample = sample.lyingFlat
        if window.count == Self.windowLength { window.removeFirst() }
        window.append(sample)
        settled = min(settled + 1, Self.windowLength)
        let isUpright = sample.z > 0.9 && abs(sample.x) <= Self.level && abs(sample.y) <= Self.level
        let isSteady = isUpright && settled == Self.windowLength && window[...].variance < Self.steadyVariance
        steadySince = isSteady ? steadySince ?? now : nil
        if detectShaking(sample, at: now) { return .shakeWhileInverted }
        if abs(sample.x) > 0.5 || abs(sample.y) > 0.5 { return .sidewaysTilt }
        if let steadySince, now - steadySince >= Self.steadyTime { return .uprightStable }
        return isUpright ? .upright : .none
    }

    /// Restarts the detection of stability after a movement.
    mutating func beginAgain() {
        settled = 0
        steadySince = nil
    }

    private mutating func detectShaking(_ sample: Acceleration, at now: Timestamp) -> Bool {
        isInverted = sample.z < -0.8 || isInverted && sample.z < 0
        let isMoving = window.suffix(Self.shakeWindowLength).variance > Self.shakeVariance
        shakenSince = isInverted && isMoving ? shakenSince ?? now : nil
        return shakenSince.map { now - $0 >= Self.shakeTime } ?? false
    }
}

extension Acceleration {
    /// Converted from the axes of a sensor on edge, with Y down, to those of a sensor that lies flat.
    var lyingFlat: Acceleration { Acceleration(x: x, y: z, z: -y) }
}

/// One attempt to measure: from a movement of the bottle until it stands still, which must happen within 10 s.
enum MeasurementAttempt: Hashable, Sendable {
    case settling(since: Timestamp)
    case measuring
    /// The bottle did not stand still in time: the next movement begins another attempt.
    case timedOut

    private static let timeout = Duration.seconds(10)

    /// The attempt after a pass.
    func next(isStable: Bool, at now: Timestamp) -> MeasurementAttempt {
        switch self {
        case .settling(let since) where now - since >= Self.timeout: .timedOut
        case .settling where isStable: .measuring
        case .measuring where !isStable: .settling(since: now)
        case .settling, .measuring, .timedOut: self
        }
    }
}
