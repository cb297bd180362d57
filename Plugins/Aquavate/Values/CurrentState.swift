import PluginKit

/// Current State as the profile's type of that name reads it. It comes often, so it is read by its fields' paths.
struct CurrentState: Hashable, Sendable {
    /// Seconds of the puck's local epoch, of the last evaluation; 0 before the first.
    var timestamp: Int
    /// Grams; nil while a raw reading stands in its place.
    var weight: Int?
    /// Millilitres; nil while a raw reading stands in its place.
    var level: Int?
    /// Millilitres.
    var dailyTotal: Int
    /// Percent.
    var battery: Int
    var isTimeValid: Bool
    var isCalibrated: Bool
    var isStable: Bool
    var isMeasuring: Bool
    var hasResult: Bool
    var isBatteryLow: Bool
    /// Stored records that no client has acknowledged.
    var unsynced: Int

    init?(_ reading: ValueReading) {
        guard let timestamp = reading.integer("timestamp"), let total = reading.integer("daily_total"),
            let battery = reading.integer("battery"), let unsynced = reading.integer("unsynced"),
            let isTimeValid = reading.flag("flags.time_valid"), let isCalibrated = reading.flag("flags.calibrated"),
            let isStable = reading.flag("flags.stable"), let isMeasuring = reading.flag("flags.cal_measuring"),
            let hasResult = reading.flag("flags.cal_result"), let isBatteryLow = reading.flag("flags.low_battery")
        else { return nil }
        self.timestamp = timestamp
        weight = reading.integer("weight")
        level = reading.integer("level")
        dailyTotal = total
        self.battery = battery
        self.isTimeValid = isTimeValid
        self.isCalibrated = isCalibrated
        self.isStable = isStable
        self.isMeasuring = isMeasuring
        self.hasResult = hasResult
        self.isBatteryLow = isBatteryLow
        self.unsynced = unsynced
    }

    /// Whether it is the value of a puck that has evaluated nothing since its boot.
    var isBoot: Bool {
        timestamp == 0 && dailyTotal == 0 && battery == 0 && unsynced == 0 && (weight ?? 0) == 0 && (level ?? 0) == 0
            && !isTimeValid && !isCalibrated && !isStable && !isMeasuring && !hasResult && !isBatteryLow
    }

    /// The same evaluation, whatever the number of unsynced records: a push sends the last one again.
    func isPush(of other: CurrentState) -> Bool {
        var same = other
        same.unsynced = unsynced
        return self == same
    }
}

/// Bottle Config as the profile's type of that name reads it.
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

/// Device Settings as the profile's type of that name reads it.
struct DeviceSettings: Codable, Hashable, Sendable {
    struct Flags: Codable, Hashable, Sendable {
        var shakeToEmpty: Bool
    }

    var flags: Flags
}
