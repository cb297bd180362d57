package import Bytes

/// What is assumed of the battery, and how its power is estimated.
package struct EstimateSettings: Hashable, Sendable {
    /// Capacity in mAh.
    package var capacity: Double
    /// Nominal voltage in V.
    package var voltage = 3.82
    /// Length of the rolling window in seconds, 60 to 120.
    package var window = 90.0

    package static let windowRange = 60.0...120.0

    package init(capacity: Double) {
        self.capacity = capacity
    }

    /// The current that raises the level by `rise` (1 is a full battery) in `seconds`, in mA.
    func milliamperes(rise: Double, seconds: Double) -> Double { capacity * rise / (seconds / 3600) }

    /// The power of a current in mA, in W.
    func watts(_ milliamperes: Double) -> Double { milliamperes / 1000 * voltage }
}

/// The power that charges a battery at a time. It is estimated: what the device itself uses meanwhile is not in it.
package struct ChargeEstimate: Hashable, Sendable {
    package var time: Timestamp
    /// Current into the battery, in mA.
    package var milliamperes: Double
    /// Power into the battery, in W.
    package var watts: Double
    /// `watts`, smoothed by an exponential moving average.
    package var smoothedWatts: Double
    /// Time until the battery is full if it goes on like this, in seconds.
    package var secondsToFull: Double
}

/// One charge, from plugging in to unplugging.
package struct ChargeSession: Hashable, Sendable {
    /// Numbers the sessions of one estimate or one table, from 1.
    package var id: Int
    package var start: Timestamp
    /// Nil while it lasts.
    package var end: Timestamp?
    /// Mean power in W, each moment weighing the same; nil where the level did not rise for long enough.
    package var averageWatts: Double?
    /// Highest smoothed power in W.
    package var peakWatts: Double?
    /// By how much the level rose, in per cent of a full battery.
    package var risenPercent: Double
    /// From the first to the last sample, in seconds.
    package var duration: Double
    /// The device's model, as the user named it.
    package var model: String
    /// What charged it, in the user's words: `20W PD`.
    package var charger: String
    /// The user's.
    package var notes: String
    /// Time until the battery is full, in seconds; nil once it ended, or where the level does not rise.
    package var secondsToFull: Double?

    package init(
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
}
