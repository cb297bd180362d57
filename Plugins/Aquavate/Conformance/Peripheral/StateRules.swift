import Bytes
import PluginKit
import Profile

/// Changes from one Current State to the next (sections 4.1, 7.4 and 10.6).
struct StateRules: Rule {
    private let pucks: PuckTracker

    init(_ pucks: PuckTracker) {
        self.pucks = pucks
    }

    var rules: [RuleIndex] { [.aq038, .aq039, .aq040, .aq044, .aq045] }
    var interests: Set<RuleInterest> { values(of: .currentState, .command) }

    /// Number of DELETE, RESET_DAILY and CLEAR_HISTORY commands after which the daily total has not fallen yet.
    private var mayFall = 0

    /// Seconds between evaluations, with a tolerance (AQ-040).
    private static let pace = (normal: 4.5, calibrating: 0.45)
    /// Allowed error of the puck's clock in seconds (AQ-038).
    private static let timeAccuracy = 120.0

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        switch event.commandKind {
        case .deleteDrink?, .resetDaily?, .clearHistory?: mayFall += 1
        default: break
        }
        guard let puck = pucks[event], let state = event.state, let meaning = puck.meaning(of: event) else { return }
        checkTime(state, meaning, puck, event, &report)
        guard meaning != .overtaken else { return }
        checkStable(state, puck, &report)
        checkTotal(state, puck, event, &report)
        switch meaning {
        case .push: report.pass(.aq039)
        case .evaluation:
            checkPace(event, puck, &report)
            checkReason(state, puck, event, &report)
        case .reading, .overtaken: return
        }
    }

    // MARK: - Time

    /// AQ-038: only an evaluation has the current time, and only if the clock was set. A pushed or read state may be
    /// old, but is never ahead of the clock.
    private func checkTime(
        _ state: CurrentState, _ meaning: StateMeaning, _ puck: PuckState, _ event: Event, _ report: inout RuleReport
    ) {
        if state.isPush(of: CurrentState()) { return }
        if state.timestamp == 0 {
            return report.fail(.aq038, expected: "a time, or all zero", observed: "time 0 and other fields")
        }
        if let last = puck.state?.content, last.timestamp == state.timestamp { return }
        guard state.flags.timeValid else { return report.inconclusive(.aq038, "the puck's clock was never set") }
        if meaning != .evaluation, let clock = puck.clock {
            let ahead = Double(state.timestamp - clock.content) - event.moment.seconds(since: clock.moment)
            if ahead <= Self.timeAccuracy { return report.pass(.aq038) }
            return report.fail(
                .aq038, expected: "a time that is not in the future", observed: "\(ahead.secondsText) ahead",
                at: [clock.moment, event.moment])
        }
        let difference = Double(state.timestamp) - event.moment.time.seconds
        let hours = (difference / 3600).rounded()
        let rest = difference - hours * 3600
        if (-12...14).contains(hours), abs(rest) <= Self.timeAccuracy { return report.pass(.aq038) }
        guard event.moment.isTimeOfDay else {
            return report.inconclusive(.aq038, "the time of day is unknown")
        }
        guard meaning == .evaluation else {
            return report.inconclusive(.aq038, "how old the value is was not told")
        }
        guard let timeSet = puck.timeSet, event.moment.seconds(since: timeSet) > DeviceProfile.Time.crossing else {
            return report.inconclusive(.aq038, "when the puck's clock was set was not captured")
        }
        report.fail(
            .aq038, expected: "the time of the capture, give or take 120 s and whole hours",
            observed: "\(Int(difference)) s from it")
    }

    // MARK: - Notifications

    /// AQ-040: two evaluations in the same mode.
    private func checkPace(_ event: Event, _ puck: PuckState, _ report: inout RuleReport) {
        guard let last = puck.states.evaluation else { return }
        let passed = event.moment.seconds(since: last.moment)
        let least = puck.mayEvaluateFast(at: event.moment) ? Self.pace.calibrating : Self.pace.normal
        if passed >= least { return report.pass(.aq040) }
        // An evaluation from before the change of mode may have been in flight.
        if let change = puck.modeChanged, last.moment.seconds(since: change) < DeviceProfile.Time.crossing { return }
        report.fail(
            .aq040, expected: "\(least.secondsText) between evaluations", observed: passed.secondsText,
            at: [last.moment, event.moment])
    }

    /// AQ-039: an evaluation that was not notified may lie between two notifications, if there was time for it.
    private func checkReason(_ state: CurrentState, _ puck: PuckState, _ event: Event, _ report: inout RuleReport) {
        guard let before = puck.notifiedState else { return }
        if state.isNews(after: before.content) { return report.pass(.aq039) }
        let pace = puck.mayEvaluateFast(at: event.moment) ? Self.pace.calibrating : Self.pace.normal
        guard let last = puck.states.evaluation, event.moment.seconds(since: last.moment) < 2 * pace else {
            return report.inconclusive(.aq039, "an evaluation that was not notified may lie between")
        }
        report.fail(
            .aq039, expected: "another total, level or flag, or something to confirm", observed: "none of these",
            at: [last.moment, event.moment])
    }

    // MARK: - Flags

    /// AQ-044
    private func checkStable(_ state: CurrentState, _ puck: PuckState, _ report: inout RuleReport) {
        guard let last = puck.state, last.content.flags.stable, !puck.mayEvaluateFast(at: report.moment) else { return }
        if state.flags.stable { return report.pass(.aq044) }
        report.fail(
            .aq044, expected: "stable", observed: "no longer stable", at: [last.moment, report.moment])
    }

    // MARK: - Daily total

    /// AQ-045: a deletion takes effect with the next evaluation at the latest, a change of day with the next drink.
    private mutating func checkTotal(
        _ state: CurrentState, _ puck: PuckState, _ event: Event, _ report: inout RuleReport
    ) {
        guard let last = puck.state, !last.content.isPush(of: CurrentState()), !state.isPush(of: CurrentState()) else {
            return
        }
        if state.dailyTotal >= last.content.dailyTotal { return report.pass(.aq045) }
        if mayFall > 0 {
            mayFall -= 1
            return
        }
        if puck.total.mayBeOfAnotherDay(at: state) { return }
        guard event.connection.isGapless else { return report.inconclusive(.aq045, "something was not captured") }
        report.fail(
            .aq045, expected: "\(last.content.dailyTotal) ml or more", observed: "\(state.dailyTotal) ml",
            at: [last.moment, event.moment])
    }
}

/// AQ-102: the raw reading of a measurement is cleared after a disconnection.
struct RawReadingRule: Rule {
    private let pucks: PuckTracker

    init(_ pucks: PuckTracker) {
        self.pucks = pucks
    }

    var rules: [RuleIndex] { [.aq102] }
    var scope: RuleScope { .device }
    var interests: Set<RuleInterest> { values(of: .currentState, .command) }

    /// The raw reading of an earlier connection.
    private var former: FormerReading?

    /// The last state of a connection that ended with a raw reading, or during its measurement.
    private struct FormerReading {
        /// Timestamp of the last Current State.
        var timestamp: Int?
        /// The puck's clock at a frame; nil if unknown.
        var clock: Timestamped<Int>?
        /// The latest time at which the puck noticed the end of the connection.
        var ended: Timestamp

        /// Whether a Current State with this timestamp was evaluated after the end of the connection.
        func isBefore(_ timestamp: Int) -> Bool {
            guard let clock else { return false }
            let evaluated = Double(timestamp - clock.content)
            return evaluated > (ended - clock.moment.time as TimeSpan).seconds + Self.clockAccuracy
        }

        /// Seconds for which a notification may be in flight, plus one because timestamps are whole seconds.
        private static let clockAccuracy = DeviceProfile.Time.crossing + 1
    }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if event.isOpening, let ended = former?.ended { former?.ended = min(ended, event.moment.time) }
        // It clears the raw reading too.
        if event.commandKind == .calSetData { former = nil }
        guard let puck = pucks[event] else { return }
        if let closing = event.closing { end(closing, puck, event) }
        if let state = event.state, let meaning = puck.meaning(of: event) {
            check(state, meaning, puck, event, &report)
        }
    }

    /// Records the raw reading with which a connection ends; that of an earlier connection stays if nothing was
    /// evaluated since.
    private mutating func end(_ closing: ConnectionClosing, _ puck: PuckState, _ event: Event) {
        let last = puck.state?.content
        if last?.flags.calResult == true || puck.measured != nil {
            if former != nil, puck.measured == nil { return }
            former = FormerReading(
                timestamp: last?.timestamp, clock: puck.clock, ended: event.moment.time + closing.silence)
        } else if last != nil {
            former = nil
        }
    }

    /// Until the next evaluation, a push or a read shows the state from before the disconnection.
    private mutating func check(
        _ state: CurrentState, _ meaning: StateMeaning, _ puck: PuckState, _ event: Event, _ report: inout RuleReport
    ) {
        guard let former, puck.measured == nil, meaning != .overtaken, state.timestamp != former.timestamp,
            meaning == .evaluation || former.isBefore(state.timestamp)
        else { return }
        self.former = nil
        if !state.flags.calResult { return report.pass(.aq102) }
        guard event.connection.isComplete else {
            return report.inconclusive(.aq102, "a measurement may not have been captured")
        }
        report.fail(.aq102, expected: "no raw reading after a disconnection", observed: "cal_result is set")
    }
}
