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
