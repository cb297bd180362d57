public import Bytes

/// Assumptions about the battery, and parameters of the estimate.
public struct EstimateSettings: Hashable, Sendable {
    /// Capacity in mAh.
    public var capacity: Double
    /// Nominal voltage in V.
    public var voltage = 3.82
    /// Length of the rolling window in seconds, 60 to 120.
    public var window = 90.0
    /// Number of samples in the moving average; nil for those of the window.
    public var smoothing: Double?

    public static let windowRange = 60.0...120.0
    public static let voltageRange = 1.0...60.0
    public static let smoothingRange = 1.0...10_000.0

    public init(capacity: Double) {
        self.capacity = capacity
    }

    /// The current that raises the level by `rise` (1 is a full battery) in `seconds`, in mA.
    func milliamperes(rise: Double, seconds: Double) -> Double { capacity * rise / (seconds / 3600) }

    /// The power of a current in mA, in W.
    func watts(_ milliamperes: Double) -> Double { milliamperes / 1000 * voltage }
}

/// An estimate of the power that charges a battery at a time. The device's own consumption is not included.
public struct ChargeEstimate: Hashable, Sendable {
    public var time: Timestamp
    /// Current into the battery, in mA.
    public var milliamperes: Double
    /// Power into the battery, in W.
    public var watts: Double
    /// `watts`, smoothed by an exponential moving average.
    public var smoothedWatts: Double
    /// Time until the battery is full at this power, in seconds.
    public var secondsToFull: Double
}

/// One charge, from plugging in to unplugging.
public struct ChargeSession: Hashable, Sendable {
    /// Number of the session in one estimate or one table, from 1.
    public var id: Int
    public var start: Timestamp
    /// Nil while the charge is under way.
    public var end: Timestamp?
    /// Mean power in W, weighted by time; nil if the level did not rise for long enough.
    public var averageWatts: Double?
    /// Highest smoothed power in W.
    public var peakWatts: Double?
    /// Rise of the level, in per cent of a full battery.
    public var risenPercent: Double
    /// From the first to the last sample, in seconds.
    public var duration: Double
    /// The device's model, as the user named it.
    public var model: String
    /// The charger, in the user's words: `20W PD`.
    public var charger: String
    /// The user's notes.
    public var notes: String
    /// The kind of charger, inferred from the rise of the level: `wired, fast`; empty if not known.
    public var inferredCharger = ""
    /// Address of the device in the store; nil for a session of a file.
    public var device: String?
    /// Time until the battery is full, in seconds; nil after the end, or if the level does not rise.
    public var secondsToFull: Double?

    public init(
        id: Int, start: Timestamp, end: Timestamp? = nil, averageWatts: Double? = nil, peakWatts: Double? = nil,
        risenPercent: Double, duration: Double, model: String = "", charger: String = "", notes: String = "",
        secondsToFull: Double? = nil
    ) {
        self.id = id
        self.start = start
        self.end = end
        self.averageWatts = averageWatts
        self.peakWatts = peakWatts
        self.risenPercent = risenPercent
        self.duration = duration
        self.model = model
        self.charger = charger
        self.notes = notes
        self.secondsToFull = secondsToFull
    }

    /// The time of its last sample.
    var lastTime: Timestamp { end ?? start.advanced(nanoseconds: Int64((min(duration, 1e9) * 1e9).rounded())) }
}
