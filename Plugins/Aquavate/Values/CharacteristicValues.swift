/// Current State (section 4.1).
typealias CurrentState = DeviceProfile.CurrentState

extension CurrentState {
    /// The value of a puck that has evaluated nothing since its boot.
    init() {
        let flags = Flags(
            timeValid: false, calibrated: false, stable: false, calMeasuring: false, calResult: false,
            lowBattery: false)
        self.init(timestamp: 0, weight: 0, level: 0, dailyTotal: 0, battery: 0, flags: flags, unsynced: 0)
    }

    /// Whether it is the value of a puck that has evaluated nothing since its boot.
    var isBoot: Bool { self == CurrentState() }

    /// The same, whatever the number of unsynced records, which a push tells before the first evaluation too.
    var isOfBoot: Bool { isPush(of: CurrentState()) }

    /// Whether an evaluation differs from the one before it by as much as it takes to be notified (section 10.6).
    func isNews(after other: CurrentState) -> Bool {
        dailyTotal != other.dailyTotal || flags.stable != other.flags.stable
            || flags.calMeasuring != other.flags.calMeasuring || flags.calResult != other.flags.calResult
            || flags.lowBattery != other.flags.lowBattery || abs((level ?? 0) - (other.level ?? 0)) >= 10
    }

    /// Day of the puck's local epoch.
    var day: Int { timestamp / 86_400 }

    /// The same evaluation, whatever the number of unsynced records: a push sends the last one again.
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
    /// What a puck without calibration reads that nobody wrote to.
    static let uncalibrated = BottleConfig(scale: 1, tare: 0, capacity: 830, goal: 2500)

    /// Whether the puck takes it: NaN passes its comparisons.
    var isAccepted: Bool { scale.isNaN || hasScaleInRange }
    var hasScaleInRange: Bool { scale >= 100 && scale <= 800 }
}

/// A drink of the dialect of the requirements.
typealias RequiredRecord = DeviceProfile.PrdDrinkRecord
/// Drink History: up to 20 records (HB-3).
typealias RequiredHistory = DeviceProfile.DrinkHistory
/// Bottle Config (HB-2).
typealias RequiredConfig = DeviceProfile.PrdBottleConfig
/// Device Status (HB-5).
typealias RequiredStatus = DeviceProfile.DeviceStatus

extension RequiredRecord {
    /// The type, as the amount of a drink has it (HB-9); nil for a refill.
    var typeOfAmount: Kind? {
        switch amount {
        case ..<0: nil
        case ..<50: .sip
        case ..<100: .gulp
        default: .pour
        }
    }
}
