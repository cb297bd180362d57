import Bytes

/// A gesture, derived from the accelerometer and the weight (section 10.4).
enum Gesture: Hashable, Sendable {
    case none, shakeWhileInverted, invertedHold, sidewaysTilt, uprightStable, upright
}

/// Detects a gesture at each pass: the first match in the order of section 10.4.
struct GestureDetector: Sendable {
    private(set) var gesture = Gesture.none
    /// The latest samples, ten at most.
    private var window: [Acceleration] = []
    private var lastLevel: Double?
    private var shakenSince: Timestamp?
    private var invertedSince: Timestamp?
    private var isHoldLatched = false
    /// Until when an inverted hold is ignored.
    private var coolDown: Timestamp?
    private var steadySince: Timestamp?

    private static let windowLength = 10
    private static let shakeWindowLength = 5
    private static let shakeTime = Duration.milliseconds(1500)
    private static let holdTime = Duration.seconds(5)
    private static let holdPause = Duration.seconds(2)
    private static let steadyTime = Duration.seconds(2)

    /// Handles a pass of the loop. The level is in ml; while calibrating (not `heedsLevel`), its changes do not matter.
    mutating func pass(_ sample: Acceleration, level: Double, heedsLevel: Bool, at now: Timestamp) -> Gesture {
        if window.count == Self.windowLength { window.removeFirst() }
        window.append(sample)
        let levelChange = abs(level - (lastLevel ?? level))
        lastLevel = level
        let isShaken = detectShaking(sample, at: now)
        let isHeld = detectHold(sample, isShaken: isShaken, at: now)
        let isUpright = sample.y <= -0.9 && abs(sample.x) <= 0.174 && abs(sample.z) <= 0.174 && level >= -50
        let isSteady =
            isUpright && window.count == Self.windowLength && window[...].variance < 0.02
            && (!heedsLevel || levelChange < 6)
        steadySince = isSteady ? steadySince ?? now : nil

        if isShaken {
            gesture = .shakeWhileInverted
        } else if isHeld {
            gesture = .invertedHold
        } else if abs(sample.x) > 0.5 || abs(sample.z) > 0.5 {
            gesture = .sidewaysTilt
        } else if let steadySince, now - steadySince >= Self.steadyTime {
            gesture = .uprightStable
        } else {
            gesture = isUpright ? .upright : .none
        }
        return gesture
    }

    /// Turning the bottle over is not shaking: only the last second counts.
    private mutating func detectShaking(_ sample: Acceleration, at now: Timestamp) -> Bool {
        let isMoving = window.suffix(Self.shakeWindowLength).variance > 0.08
        shakenSince = sample.y > -0.3 && isMoving ? shakenSince ?? now : nil
        return shakenSince.map { now - $0 >= Self.shakeTime } ?? false
    }

    private mutating func detectHold(_ sample: Acceleration, isShaken: Bool, at now: Timestamp) -> Bool {
        guard sample.y > 0.7 else {
            if isHoldLatched { coolDown = now + Self.holdPause }
            isHoldLatched = false
            invertedSince = nil
            return false
        }
        if isHoldLatched { return true }
        guard !isShaken, coolDown.map({ now >= $0 }) ?? true else {
            invertedSince = nil
            return false
        }
        let since = invertedSince ?? now
        invertedSince = since
        isHoldLatched = now - since >= Self.holdTime
        return isHoldLatched
    }
}

extension ArraySlice<Acceleration> {
    /// Sum of the axes' variances, in g².
    var variance: Double {
        let count = Double(count)
        var sum = Acceleration(x: 0, y: 0, z: 0)
        var squares = 0.0
        for sample in self {
            sum.x += sample.x
            sum.y += sample.y
            sum.z += sample.z
            squares += sample.x * sample.x + sample.y * sample.y + sample.z * sample.z
        }
        return squares / count - (sum.x * sum.x + sum.y * sum.y + sum.z * sum.z) / (count * count)
    }
}
