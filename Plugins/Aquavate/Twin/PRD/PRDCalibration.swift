import Bytes

/// The part of the requirements' CalibrationData that converts counts of the load cell to grams.
struct PRDCalibration: Codable, Hashable, Sendable {
    /// Counts per gram.
    var scaleFactor: Double
    /// Counts at zero weight.
    var zeroOffset: Int
    /// calibration_valid: a precision calibration has been made.
    var isPrecise: Bool

    /// The default of the firmware: typical of the model of load cell. This twin's cell gives 16 % more.
    static let ofFirmware = PRDCalibration(scaleFactor: 375, zeroOffset: 0, isPrecise: false)
    /// Result of a precision calibration.
    static let precise = PRDCalibration(scaleFactor: LoadCell.countsPerGram, zeroOffset: 0, isPrecise: true)

    /// ml that a calibration may be made with (HB-13).
    static let volumes = 50...5000
    /// Readings in one weighing.
    static let readings = 10

    func grams(_ reading: Int) -> Double { Double(reading - zeroOffset) / scaleFactor }

    /// Whether a puck can have stored these values.
    var isSound: Bool {
        (100...800).contains(scaleFactor) && (Int(Int32.min)...Int(Int32.max)).contains(zeroOffset)
    }
}

extension Board {
    /// Mean of several readings without outliers, as in one measurement.
    mutating func weighPrecisely() -> Int {
        let readings = (0..<PRDCalibration.readings).map { _ in Double(weigh()) }
        return Int(Measurement.moments(Measurement.withoutOutliers(readings)).mean.rounded())
    }
}
