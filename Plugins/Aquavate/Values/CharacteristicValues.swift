/// Current State (section 4.1).
typealias CurrentState = DeviceProfile.CurrentState

extension CurrentState {
    /// The value of a puck that has not evaluated anything since its boot.
    init() {
        let flags = Flags(
            timeValid: false, calibrated: false, stable: false, calMeasuring: false, calResult: false,
            lowBattery: false)
        self.init(timestamp: 0, weight: 0, level: 0, dailyTotal: 0, battery: 0, flags: flags, unsynced: 0)
    }

    /// Whether the puck has not evaluated anything since its boot.
    var isBoot: Bool { self == CurrentState() }

    /// `isBoot` ignoring the number of unsynced records, which a push contains even before the first evaluation.
    var isOfBoot: Bool { isPush(of: CurrentState()) }

    /// Whether an evaluation differs enough from the previous one to be notified (section 10.6).
    func isNews(after other: CurrentState) -> Bool {
        dailyTotal != other.dailyTotal || flags.stable != other.flags.stable
            || flags.calMeasuring != other.flags.calMeasuring || flags.calResult != other.flags.calResult
            || flags.lowBattery != other.flags.lowBattery || abs((level ?? 0) - (other.level ?? 0)) >= 10
    }

    /// Day of the puck's local epoch.
    var day: Int { timestamp / 86_400 }

    /// Whether this is the same evaluation, ignoring the number of unsynced records: a push repeats the last one.
    func isPush(of other: CurrentState) -> Bool {
        var same = other
        same.unsynced = unsynced
        return self == same
    }
}

/// Bottle Config (section 4.2).
typealias BottleConfig = DeviceProfile.BottleConfig
/// Device Settings (section 4.7).
typealias DeviceSettings = DeviceProfile.DeviceSettings
/// Calibration State (section 4.9).
typealias CalibrationValue = DeviceProfile.CalibrationState

extension BottleConfig {
    /// The value of an uncalibrated puck before any write.
    static let uncalibrated = BottleConfig(scale: 1, tare: 0, capacity: 830, goal: 2500)

    /// Whether the puck accepts the scale: NaN passes its comparisons.
    var isAccepted: Bool { scale.isNaN || hasScaleInRange }
    var hasScaleInRange: Bool { scale >= 100 && scale <= 800 }
    /// The goal that the puck stores of an accepted write.
    var clampedGoal: Int { min(max(goal, PuckMemory.goals.lowerBound), PuckMemory.goals.upperBound) }
}

/// A drink in the dialect `prd`.
typealias PRDRecord = DeviceProfile.PrdDrinkRecord
/// Drink History: up to 20 records (HB-3).
typealias PRDHistory = DeviceProfile.DrinkHistory
/// Bottle Config (HB-2).
typealias PRDConfig = DeviceProfile.PrdBottleConfig
/// A command in the dialect `prd`, written to Sync Status (HB-12, HB-13).
typealias PRDControl = DeviceProfile.PrdControl
/// Device Status (HB-5).
typealias PRDStatus = DeviceProfile.DeviceStatus

extension PRDRecord {
    /// The type that the amount of a drink implies (HB-9); nil for a refill.
    var typeOfAmount: Kind? {
        switch amount {
        case ..<0: nil
        case ..<50: .sip
        case ..<100: .gulp
        default: .pour
        }
    }
}
