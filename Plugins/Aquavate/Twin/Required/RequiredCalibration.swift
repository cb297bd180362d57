import Bytes

/// The part of the requirements' CalibrationData that turns counts of the load cell into grams.
struct RequiredCalibration: Codable, Hashable, Sendable {
    /// Counts per gram.
    var scaleFactor: Double
    /// Counts at zero weight.
    var zeroOffset: Int
    /// calibration_valid: a precision calibration has been made.
    var isPrecise: Bool

    /// What ships in the firmware: typical of the model of load cell. This twin's cell gives 16 % more.
    static let ofFirmware = RequiredCalibration(scaleFactor: 375, zeroOffset: 0, isPrecise: false)
    /// What a precision calibration finds.
    static let precise = RequiredCalibration(scaleFactor: LoadCell.countsPerGram, zeroOffset: 0, isPrecise: true)

    /// Readings of one weighing.
    static let readings = 10

    /// Grams of a reading.
    func grams(_ reading: Int) -> Double { Double(reading - zeroOffset) / scaleFactor }

    /// Whether a puck can have stored it.
    var isSound: Bool {
        (100...800).contains(scaleFactor) && (Int(Int32.min)...Int(Int32.max)).contains(zeroOffset)
    }
}

extension Board {
    /// Several readings without the outliers, averaged, as one measurement takes them.
    mutating func weighPrecisely() -> Int {
        let readings = (0..<RequiredCalibration.readings).map { _ in Double(weigh()) }
        return Int(Measurement.moments(Measurement.withoutOutliers(readings)).mean.rounded())
    }
}
