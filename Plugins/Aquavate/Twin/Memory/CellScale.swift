/// The calibration in force, which converts readings of the load cell.
struct CellScale: Codable, Hashable, Sendable {
    /// Bit pattern of the counts per gram, which can be NaN: JSON cannot represent that.
    private var scaleBits: UInt32
    /// Counts under the empty bottle.
    var empty: Int
    /// Counts under the full bottle.
    var full: Int

    /// Water of a full bottle, in ml.
    static let capacity = 830
    /// The puck's default (section 10.10).
    static let usual = CellScale(scale: 435.96, empty: 118_146, full: 479_993)
    /// Counts per gram that are accepted from storage.
    static let validScales: ClosedRange<Float> = 100...800

    init(scale: Float, empty: Int, full: Int) {
        scaleBits = scale.bitPattern
        self.empty = empty
        self.full = full
    }

    /// Counts per gram.
    var scale: Float {
        get { Float(bitPattern: scaleBits) }
        set { scaleBits = newValue.bitPattern }
    }

    /// Whether a boot accepts it: NaN passes the firmware's comparisons.
    var isValid: Bool { !(scale < Self.validScales.lowerBound) && !(scale > Self.validScales.upperBound) }

    /// Level of a reading, in ml or grams of water.
    func level(_ reading: Int) -> Double { Double(reading - empty) / Double(scale) }

    /// Grams of the empty bottle including the cell's zero, as in Bottle Config.
    var tare: Int { Int(Int32(clampingReal: (Double(empty) / Double(scale)).rounded(.towardZero))) }

    /// Sets the counts of the empty bottle; those of the full bottle follow from the scale.
    mutating func rebase(empty: Int) {
        self.empty = empty
        let span = Int(Int32(clampingReal: Double(Self.capacity) * Double(scale)))
        full = Int(Int32(clamping: empty + span))
    }
}
