import Bytes

/// The clock of a counter, valid once a gateway has set it.
struct CounterClock: Sendable {
    /// Time as a Count Event carries it.
    struct Reading: Hashable, Comparable, Sendable {
        /// Unix seconds, UTC.
        var seconds: Int
        /// 0 to 999.
        var milliseconds: Int

        static func < (one: Self, other: Self) -> Bool {
            (one.seconds, one.milliseconds) < (other.seconds, other.milliseconds)
        }
    }

    /// The reading that it was set to, and when.
    private var setting: (reading: Reading, time: Timestamp)?
    /// The last reading. A clock set back returns it until it has caught up: times do not go back within a boot.
    private var latest = Reading(seconds: 0, milliseconds: 0)

    var isValid: Bool { setting != nil }

    mutating func set(to reading: Reading, at now: Timestamp) { setting = (reading, now) }

    mutating func lose() { setting = nil }

    /// The time; nil while the clock is not valid.
    mutating func read(at now: Timestamp) -> Reading? {
        guard let (reading, time) = setting else { return nil }
        let span = max(0, now.nanoseconds(since: time)) / 1_000_000
        let milliseconds = Int64(reading.seconds) * 1000 + Int64(reading.milliseconds) + span
        let current = Reading(
            seconds: Int(UInt32(clamping: milliseconds / 1000)), milliseconds: Int(milliseconds % 1000))
        latest = max(latest, current)
        return latest
    }
}
