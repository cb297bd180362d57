/// The time at which a record of a bottle counts, by the rule of all reports (docs/hydration.md, "Which time counts").
///
/// It is the bottle's time without its offset from UTC. Where the bottle's clock was not set, or was ahead of the
/// arrival of the record, it is the time of arrival.
struct RecordTime: Hashable, Sendable {
    /// Why a record counts at its arrival.
    enum Arrival: String, Sendable {
        /// The bottle's clock was not set.
        case unsetClock = "unset_clock"
        /// The bottle's time was later than the arrival.
        case fastClock = "fast_clock"

        /// For people, about the bottle.
        var reason: String { self == .unsetClock ? "did not know the time" : "had a fast clock" }
    }

    /// Seconds since 1970; 0 if neither time is known.
    let seconds: Int64
    /// Nil for the bottle's time.
    let arrival: Arrival?

    /// 2020-01-01, in seconds since 1970. A clock that was not set, of a bottle or of a recorder, begins at 0 or 1970.
    static let earliest: Int64 = 1_577_836_800
    /// Seconds that a clock may be ahead without a remark (AQ-308).
    private static let accuracy: Int64 = 120

    /// - Parameters:
    ///   - timestamp: as the bottle sent it, in seconds of its epoch.
    ///   - offset: seconds by which that epoch is ahead of UTC.
    ///   - received: when the record arrived, in seconds since 1970; nil if unknown.
    init(timestamp: Int64, offset: Int64, received: Int64?) {
        guard timestamp >= Self.earliest else {
            seconds = received ?? 0
            arrival = received == nil ? nil : .unsetClock
            return
        }
        let time = timestamp - offset
        guard let received, time > received else {
            seconds = time
            arrival = nil
            return
        }
        seconds = received
        arrival = time - received > Self.accuracy ? .fastClock : nil
    }
}
