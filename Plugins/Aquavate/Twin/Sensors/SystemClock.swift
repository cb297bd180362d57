import Bytes

/// The clock of the puck's processor. It runs in sleep, and stops without power.
struct SystemClock: Sendable {
    /// Parts per million by which it runs fast; negative if slow.
    private(set) var drift: Double
    /// Nanoseconds since 1970 shown when it was last set or adjusted, and the time of that.
    private var shown: Int64
    private var since: Timestamp

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

    /// Seconds since 1970, truncated.
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
    /// Truncates a number. A number out of range becomes the nearest limit, and NaN the greatest value, as on the
    /// firmware's processor.
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
