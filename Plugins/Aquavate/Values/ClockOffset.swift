/// An estimate of the seconds by which a puck's epoch is ahead of UTC, in whole hours. Only the timestamp of
/// Current State shows it. A state that is out of date, or from a clock that was not set, is ignored.
///
/// The first state of a connection may be older than SET_TIME and look like an offset: after a loss of power, the
/// clock is behind by any time (section 10.9). Another offset than before is learned from a later evaluation only.
struct ClockOffset: Sendable {
    /// Nil if unknown.
    private(set) var seconds: Int?
    /// Whether the last Current State of this connection suggests another offset and may be older than SET_TIME.
    private(set) var isDoubtful = false
    /// Timestamp of the last Current State of this connection; nil before the first.
    private var stateTime: Int?

    /// Starts a new connection, whose first state may be old.
    mutating func beginConnection() {
        isDoubtful = false
        stateTime = nil
    }

    /// Learns from the timestamp of a Current State that was received at a time, in seconds since 1970.
    mutating func learn(stateTime time: Int, received now: Int) {
        let isLater = stateTime.map { $0 != time } ?? false
        stateTime = time
        let difference = time - now
        let nearest = Int((Double(difference) / 3600).rounded()) * 3600
        guard abs(nearest) <= 14 * 3600, abs(difference - nearest) <= 60 else { return }
        isDoubtful = nearest != seconds ?? 0 && !isLater
        if !isDoubtful { seconds = nearest }
    }
}
