/// The load cell and its converter: counts for the mass that rests on it (section 10.10).
struct LoadCell: Sendable {
    /// Standard deviation of a reading, in counts.
    var noise = 5.0
    /// A faulty cell reads 0, whatever the load.
    var isFaulty = false

    static let countsPerGram = 435.96
    /// Counts under the empty bottle of 271 g.
    static let emptyCounts = 118_146.0

    /// The converter has 24 bits.
    private static let range = -8_388_608.0...8_388_607.0

    /// A reading with this much water in the bottle, in ml.
    func reading(water: Double, pose: Pose, _ chance: inout Chance) -> Int {
        if isFaulty { return 0 }
        let load = pose.loadsCell ? Self.emptyCounts + water * Self.countsPerGram : 0
        let reading = (load + chance.noise(noise)).rounded()
        return Int(min(max(reading, Self.range.lowerBound), Self.range.upperBound))
    }
}

/// The accelerometer, ±2 g.
struct Accelerometer: Sendable {
    /// Change of the acceleration in g above which it reports activity: its AC-coupled mode compares with the
    /// acceleration at rest (requirements, "Wake Triggers").
    static let activityThreshold = 1.5
    /// Least acceleration of a double tap, in g (section 10.1).
    static let doubleTapThreshold = 3.0

    /// A sample in a pose; `tilt` is the angle of a tilted bottle, in degrees, nil for that of drinking.
    func sample(pose: Pose, tilt: Double?, _ chance: inout Chance) -> Acceleration {
        let mean = tilt.map { Acceleration(tiltedBy: $0) } ?? pose.acceleration
        func axis(_ value: Double, _ chance: inout Chance) -> Double {
            min(max(value + chance.noise(pose.unrest), -2), 2)
        }
        let x = axis(mean.x, &chance)
        let y = axis(mean.y, &chance)
        return Acceleration(x: x, y: y, z: axis(mean.z, &chance))
    }
}
