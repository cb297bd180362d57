/// What readings of the load cell mean: the calibration in force.
struct CellScale: Codable, Hashable, Sendable {
    /// Bits of the counts per gram: a number that is none can be among them, which JSON cannot say.
    private var scaleBits: UInt32
    /// Counts under the empty bottle.
    var empty: Int
    /// Counts under the full one.
    var full: Int

    /// Water of a full bottle, in ml.
    static let capacity = 830
    /// As the puck's defaults have it (section 10.10).
    static let usual = CellScale(scale: 435.96, empty: 118_146, full: 479_993)
    /// Counts per gram that are taken from storage as valid.
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

    /// Whether a boot takes it: what is no number passes the firmware's comparisons.
    var isValid: Bool { !(scale < Self.validScales.lowerBound) && !(scale > Self.validScales.upperBound) }

    /// ml, or grams of water, of a reading.
    func level(_ reading: Int) -> Double { Double(reading - empty) / Double(scale) }

    /// Grams of the empty bottle with the cell's zero, as Bottle Config tells them.
    var tare: Int { Int(Int32(clampingReal: (Double(empty) / Double(scale)).rounded(.towardZero))) }

    /// The empty bottle has so many counts from now on.
    mutating func rebase(empty: Int) {
        self.empty = empty
        full = empty + Int(Int32(clampingReal: Double(Self.capacity) * Double(scale)))
    }
}
