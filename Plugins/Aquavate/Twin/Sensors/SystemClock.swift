import Bytes

/// The clock of the puck's processor. It goes on in sleep, and stops without power.
struct SystemClock: Sendable {
    /// Parts in a million by which it runs fast; slow if negative.
    private(set) var drift: Double
    /// Nanoseconds since 1970 that it showed when it was set or adjusted, and when that was.
    private var shown: Int64
    private var since: Timestamp

    /// Shows a time from now on.
    init(shows seconds: Int, drift: Double = 0, at now: Timestamp) {
        shown = Timestamp(seconds: Int64(clamping: seconds), nanoseconds: 0).nanoseconds
        since = now
        self.drift = drift
    }

    func nanoseconds(at now: Timestamp) -> Int64 {
        let passed = now.nanoseconds(since: since)
        let gained = Int64(clampingReal: Double(passed) * drift / 1_000_000)
        return Timestamp(nanoseconds: shown).advanced(nanoseconds: passed).advanced(nanoseconds: gained).nanoseconds
    }

    /// Seconds since 1970, cut off.
    func seconds(at now: Timestamp) -> Int { Int(nanoseconds(at: now) / 1_000_000_000) }

    mutating func set(_ seconds: Int, at now: Timestamp) {
        self = SystemClock(shows: seconds, drift: drift, at: now)
    }

    mutating func setDrift(_ drift: Double, at now: Timestamp) {
        shown = nanoseconds(at: now)
        since = now
        self.drift = drift
    }
}

extension FixedWidthInteger {
    /// The number cut off to a whole one; the nearest one out of range, and the greatest for what is no number, as the
    /// firmware's processor has it.
    init(clampingReal number: Double) {
        if number.isNaN || number >= Double(Self.max) {
            self = .max
        } else if number <= Double(Self.min) {
            self = .min
        } else {
            self = Self(number)
        }
    }
}
