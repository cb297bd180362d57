import PluginKit

/// Bottle Config as the profile's type of that name has it (section 4.2).
struct BottleConfig: Codable, Hashable, Sendable {
    /// Counts of the load cell per gram.
    var scale: Float
    /// Grams.
    var tare: Int
    /// Millilitres.
    var capacity: Int
    /// Millilitres.
    var goal: Int

    /// What a puck without calibration reads that nobody wrote to.
    static let uncalibrated = BottleConfig(scale: 1, tare: 0, capacity: 830, goal: 2500)

    /// Whether the puck takes it: NaN passes its comparisons.
    var isAccepted: Bool { scale.isNaN || hasScaleInRange }
    var hasScaleInRange: Bool { scale >= 100 && scale <= 800 }
}

/// Device Settings as the profile's type of that name has it (section 4.7).
struct DeviceSettings: Codable, Hashable, Sendable {
    struct Flags: Codable, Hashable, Sendable {
        /// The Empty Gesture is heeded.
        var shakeToEmpty: Bool
    }

    var flags: Flags
    /// What was written, until the next boot; nil for 0.
    var reserved1: Int?
    var reserved2: Int?
}

/// Calibration State as the profile's type of that name has it (section 4.9).
struct CalibrationValue: Codable, Hashable, Sendable {
    struct Flags: Codable, Hashable, Sendable {
        var failed: Bool
    }

    var state: Int
    var flags: Flags
    /// Counts of the load cell; 0 until the state is complete.
    var emptyAdc: Int
    var fullAdc: Int
}
