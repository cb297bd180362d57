package import Bytes

/// Times of the monitor protocol's frames: the arrival of the first, and from there on the firmware's timestamps.
///
/// A timestamp counts 0.1 ms. Zephyr divides a cycle counter of 32 bits by its rate / 10000, truncated: a timestamp wraps
/// at 2^32 / divisor, and its unit is divisor / rate. Without the rate, the modulus is learned from a step backwards and
/// the time that has passed meanwhile.
package struct MonitorClock: Sendable {
    /// Unit of the timestamps, in nanoseconds.
    private let unit: Double
    /// Whether the rate of the firmware's clock was given.
    private let isGiven: Bool
    /// Timestamps are less than this; nil until known.
    private var modulus: Double?
    /// When the frames began, or when the firmware last started anew.
    private var origin = Timestamp.epoch
    /// Units since `origin`.
    private var units = 0.0
    private var last: (ticks: UInt32, arrival: Timestamp)?
    /// The time of the last frame.
    private var latest = Timestamp.earliest

    private static let second = 10_000.0
    /// Values of the cycle counter.
    private static let cycles = 4_294_967_296.0
    /// The lowest rate that has a divisor.
    package static let lowestRate: UInt32 = 10_000

    /// - Parameter rate: rate of the firmware's clock, in Hz, at least `lowestRate`; nil if unknown.
    package init(rate: UInt32? = nil) {
        isGiven = rate != nil
        let divisor = max(1, (rate ?? 0) / Self.lowestRate)
        unit = rate.map { Double(divisor) * 1e9 / Double(max($0, 1)) } ?? 100_000
        modulus = rate == nil ? nil : Self.cycles / Double(divisor)
    }

    /// The time of a frame with this timestamp, which arrived at `arrival`.
    package mutating func time(of ticks: UInt32, at arrival: Timestamp) -> Timestamp {
        defer { last = (ticks, arrival) }
        if let last {
            let span: TimeSpan = arrival - last.arrival
            let elapsed = max(0, Double(span.nanoseconds) / unit)
            if let passed = unitsPassed(Double(ticks) - Double(last.ticks), elapsed: elapsed) {
                units += passed
                let nanoseconds = (units * unit).rounded()
                if nanoseconds < 9e18 {
                    latest = origin + TimeSpan(nanoseconds: Int64(nanoseconds))
                    return latest
                }
            }
        }
        // Timestamps may have run ahead of the arrivals.
        latest = max(arrival, latest)
        (origin, units) = (latest, 0)
        return latest
    }

    /// Units between two timestamps with the difference `step`, `elapsed` units apart by their arrival; nil if the
    /// firmware has started anew.
    private mutating func unitsPassed(_ step: Double, elapsed: Double) -> Double? {
        if let modulus {
            let wraps = max(step < 0 ? 1 : 0, ((elapsed - step) / modulus).rounded())
            let passed = step + wraps * modulus
            let isNear = abs(passed - elapsed) <= Self.second + elapsed / 5
            if wraps == 0, isCredible(step, elapsed) { return step }
            if wraps > 0, isNear { return passed }
            if isGiven { return nil }
            self.modulus = nil
        }
        guard step < 0 else { return isCredible(step, elapsed) ? step : nil }
        modulus = Self.modulus(near: elapsed - step)
        return modulus.map { step + $0 }
    }

    /// Whether timestamps may advance by `step`: buffers on the way deliver what is up to a minute old at once.
    private func isCredible(_ step: Double, _ elapsed: Double) -> Bool {
        step <= elapsed * 1.2 + 60 * Self.second
    }

    /// The modulus of a usual clock next to `estimate`: 32,768 Hz, a whole number of MHz, or a clock that uses all 32
    /// bits, as NimBLE's. Nil if there is none, as after a start of the firmware.
    private static func modulus(near estimate: Double) -> Double? {
        for modulus in [cycles, cycles / 3] where abs(estimate - modulus) < modulus / 100 { return modulus }
        let megahertz = (cycles / estimate / 100).rounded()
        guard (1...1000).contains(megahertz) else { return nil }
        let modulus = cycles / (megahertz * 100)
        return abs(estimate - modulus) < second / 4 ? modulus : nil
    }

    /// Whether the timestamps are those of a clock of 32,768 Hz whose rate was not given: they run 9.2 % fast.
    package var isOfSlowClock: Bool {
        guard !isGiven, let last else { return false }
        let elapsed: TimeSpan = last.arrival - origin
        guard elapsed > TimeSpan(seconds: 30) else { return false }
        return abs(units * unit / Double(elapsed.nanoseconds) - 32_768 / 30_000) < 0.01
    }
}
