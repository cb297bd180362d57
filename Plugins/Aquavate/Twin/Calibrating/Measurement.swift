import Bytes

/// A measurement for calibration: 5 s at 10 readings a second (section 9.1).
struct Measurement: Sendable {
    struct Result: Hashable, Sendable {
        /// Mean of the readings without outliers; nil for too few.
        var mean: Int?
        /// Whether the readings are close enough together.
        var isStable: Bool
    }

    private var readings: [Double] = []
    /// Time of the next reading.
    private(set) var next: Timestamp

    /// Whether the loop waits for the measurement.
    let blocksLoop: Bool

    static let count = 50
    private static let interval = Duration.milliseconds(100)
    private static let fewest = 8
    /// Counts².
    private static let largestVariance = 6000.0

    init(at now: Timestamp, blocksLoop: Bool) {
        self.blocksLoop = blocksLoop
        next = now + Self.interval
    }

    /// Adds a reading; returns the result after the last one.
    mutating func take(_ reading: Int) -> Result? {
        readings.append(Double(reading))
        next = next + Self.interval
        return readings.count == Self.count ? result : nil
    }

    private var result: Result {
        let kept = Self.withoutOutliers(readings)
        guard kept.count >= Self.fewest else { return Result(mean: nil, isStable: false) }
        let moments = Self.moments(kept)
        return Result(mean: Int(moments.mean), isStable: moments.variance < Self.largestVariance)
    }

    /// The readings within two standard deviations of their mean.
    static func withoutOutliers(_ readings: [Double]) -> [Double] {
        let all = moments(readings)
        let limit = 2 * all.variance.squareRoot()
        return readings.filter { abs($0 - all.mean) <= limit }
    }

    static func moments(_ values: [Double]) -> (mean: Double, variance: Double) {
        let mean = values.reduce(0, +) / Double(values.count)
        return (mean, values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count))
    }
}
