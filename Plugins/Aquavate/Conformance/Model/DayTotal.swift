/// The day that a puck's daily total covers. The puck recomputes the total after drinks and deletions, not at midnight
/// until then the total may cover an earlier day.
struct DayTotal: Sendable {
    /// Earliest day of the puck's local epoch on which the total may have been computed; nil before the first state.
    private(set) var day: Int?
    private var value: Int?

    /// Seconds for which a puck may have been awake before its first captured state.
    private static let awake = 3600

    /// Records a state. Only the timestamp of an evaluation is the current time.
    mutating func handle(_ state: CurrentState, isEvaluation: Bool) {
        if state.isBoot { return }
        if value == nil {
            day = (state.timestamp - Self.awake) / 86_400
        } else if value != state.dailyTotal, isEvaluation {
            day = state.day
        }
        value = state.dailyTotal
    }

    /// Whether the last total may cover a different day than the day of a state.
    func mayBeOfAnotherDay(at state: CurrentState) -> Bool { day != state.day }
}
