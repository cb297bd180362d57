import Bytes
import PluginKit
import Profile

/// What a puck keeps without power: its files and its non-volatile storage (section 7.1), and how its bottle stands.
struct PuckMemory: Codable, Hashable, Sendable {
    var drinks = DrinkStore()
    /// The calibration; nil before the first.
    var calibration: CellScale? = .usual
    /// Whether the calibration is marked as valid.
    var isCalibrationValid = true
    /// Hours that the puck's local time is ahead of UTC; only set by cable.
    var timeZone = 0
    /// The clock has been set once.
    var isTimeValid = true
    /// Seconds since 1970 when the clock was saved last; nil for a puck whose clock is right.
    var savedTime: Int?
    /// Seconds since 1970 when its clock chip got power, if it has one.
    var clockChipStart: Int?
    /// Seconds of nothing after which it sleeps; 1 to 300, 0 for never.
    var sleepTimeout = 30
    /// Seconds without standing still after which it sleeps deeper; 30 to 600.
    var extendedThreshold = 180
    /// The Empty Gesture is heeded; nil for the firmware's default.
    var shakeToEmpty: Bool?
    /// ml for a day.
    var goal = 2500
    /// Percent of the battery below which it does nothing; 5 to 95.
    var lockout = 20
    /// The reading that drinks are measured from; 0 for none.
    var baseline = 0
    /// Bottle Config of the dialect of the requirements, which is what its client says.
    var required = RequiredConfig(capacity: 830, tare: 271)
    /// How that dialect turns counts into grams; nil for a precision calibration.
    var requiredCalibration: RequiredCalibration?
    var surroundings = Surroundings()

    /// How the bottle was left.
    struct Surroundings: Codable, Hashable, Sendable {
        /// ml.
        var water = 830.0
        var pose = Pose.standing
        /// Percent.
        var charge = 83.9
    }

    static let goals = 1000...4000

    /// A puck that was never used: without a calibration and without the time.
    static var factory: PuckMemory {
        var memory = PuckMemory()
        memory.calibration = nil
        memory.isCalibrationValid = false
        memory.isTimeValid = false
        memory.required.tare = 0
        memory.requiredCalibration = .ofFirmware
        return memory
    }

    /// The calibration that a boot loads; nil for none, or for one that it does not take.
    var loadedCalibration: CellScale? {
        guard isCalibrationValid, let calibration, calibration.isValid else { return nil }
        return calibration
    }
}

extension PuckMemory {
    /// A puck that is ready for use; in the dialect of the requirements it has recorded the weight of the full bottle.
    init(_ dialect: Dialect) {
        self.init()
        if dialect == .prd { baseline = CellScale.usual.full }
    }
}

// MARK: - As JSON

extension PuckMemory {
    /// What an earlier puck left.
    init(_ json: [UInt8]) throws(TwinFault) {
        do {
            self = try RecordDecoder().decode(from: Value(JSONValue(reading: json)))
        } catch {
            throw TwinFault("this is not what a puck has stored: \(error); begin without it")
        }
        if let fault { throw TwinFault("this is not what a puck has stored: \(fault); begin without it") }
    }

    var json: [UInt8] {
        guard let value = try? RecordEncoder().encode(self) else { return [] }
        return Array(value.json.utf8)
    }

    /// What no puck would have written; nil if all is well.
    private var fault: String? {
        let counts = Int(Int32.min)...Int(Int32.max)
        return if !drinks.isSound {
            "its drinks do not fit into each other"
        } else if let calibration, !counts.contains(calibration.empty) || !counts.contains(calibration.full) {
            "its calibration has numbers beyond 32 bits"
        } else if !(-12...14).contains(timeZone) || !(0...Int(UInt32.max)).contains(savedTime ?? 0)
            || !(0...Int(UInt32.max)).contains(clockChipStart ?? 0)
        {
            "its time is out of range"
        } else if !(0...300).contains(sleepTimeout) || !(30...600).contains(extendedThreshold) {
            "its times of sleep are out of range"
        } else if !Self.goals.contains(goal) || !(5...95).contains(lockout) || !counts.contains(baseline) {
            "its settings are out of range"
        } else if !(0...Int(UInt16.max)).contains(required.capacity) || !counts.contains(required.tare)
            || !(0...Int(UInt16.max)).contains(required.goal ?? 0) || requiredCalibration?.isSound == false
        {
            "its bottle is out of range"
        } else {
            nil
        }
    }
}
