import Profile

/// Current State as the profile's type of that name has it (section 4.1). It comes often, so it is read by its fields'
/// paths.
struct CurrentState: Codable, Hashable, Sendable {
    struct Flags: Codable, Hashable, Sendable {
        /// The clock has been set once.
        var timeValid = false
        /// A valid calibration is loaded.
        var calibrated = false
        /// The bottle stood upright and still.
        var stable = false
        /// A measurement for calibration is running.
        var calMeasuring = false
        /// A raw reading stands in place of weight and level.
        var calResult = false
        var lowBattery = false
    }

    /// Seconds of the puck's local epoch, of the last evaluation; 0 before the first.
    var timestamp = 0
    /// Grams; nil while a raw reading stands in its place.
    var weight: Int? = 0
    /// Millilitres; nil while a raw reading stands in its place.
    var level: Int? = 0
    /// Counts of the load cell; nil but for the result of a measurement.
    var rawAdc: Int?
    /// Millilitres.
    var dailyTotal = 0
    /// Percent.
    var battery = 0
    var flags = Flags()
    /// Stored records that no client has acknowledged.
    var unsynced = 0

    /// The value of a puck that has evaluated nothing since its boot.
    init() {}

    private static let fields = FieldList(
        "timestamp", "weight", "level", "raw_adc", "daily_total", "battery", "unsynced", "flags.time_valid",
        "flags.calibrated", "flags.stable", "flags.cal_measuring", "flags.cal_result", "flags.low_battery")

    init?(_ reading: ValueReading) {
        var numbers = reading.numbers(of: Self.fields)
        let timestamp = numbers.integer()
        weight = numbers.integer()
        level = numbers.integer()
        rawAdc = numbers.integer()
        guard let timestamp, let total = numbers.integer(), let battery = numbers.integer(),
            let unsynced = numbers.integer(), let timeValid = numbers.flag(), let calibrated = numbers.flag(),
            let stable = numbers.flag(), let calMeasuring = numbers.flag(), let calResult = numbers.flag(),
            let lowBattery = numbers.flag()
        else { return nil }
        self.timestamp = timestamp
        dailyTotal = total
        self.battery = battery
        flags = Flags(
            timeValid: timeValid, calibrated: calibrated, stable: stable, calMeasuring: calMeasuring,
            calResult: calResult, lowBattery: lowBattery)
        self.unsynced = unsynced
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
