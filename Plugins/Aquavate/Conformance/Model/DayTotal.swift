/// The day that a puck's daily total is of. It is computed anew with drinks and deletions, not at midnight: until
/// then it may be that of a day before.
struct DayTotal: Sendable {
    /// Day of the puck's local epoch on which the total was computed at the earliest; nil before a state was told.
    private(set) var day: Int?
    private var value: Int?

    /// Seconds that a puck may have been awake before its first state is seen.
    private static let awake = 3600

    /// Takes a state in; one that is an evaluation tells of the time when it comes.
    mutating func take(_ state: CurrentState, isEvaluation: Bool) {
        if state.isBoot { return }
        if value == nil {
            day = (state.timestamp - Self.awake) / 86_400
        } else if value != state.dailyTotal, isEvaluation {
            day = state.day
        }
        value = state.dailyTotal
    }

    /// Whether the total told before may be that of another day than a state is of.
    func mayBeOfAnotherDay(at state: CurrentState) -> Bool { day != state.day }
}
