import Bytes
import PluginKit
import Profile

/// How Current State goes on from value to value (sections 4.1, 7.4 and 10.6).
struct StateRules: PuckRule {
    var rules: [RuleIndex] { [.aq038, .aq039, .aq040, .aq044, .aq045, .aq102] }
    var interests: Set<RuleInterest> { values(of: .currentState, .command) }

    /// Deletions, resets and clearings for which the daily total has not fallen yet.
    private var mayFall = PerConnection<Int>()
    /// The raw reading of a connection that has ended.
    private var formerResult: FormerResult?

    /// What a connection leaves that ends with a raw reading, or amid its measurement.
    private struct FormerResult {
        /// The time of the Current State told last.
        var timestamp: Int?
        /// What the puck's clock showed when; nil where it is not known.
        var clock: Timestamped<Int>?
        /// When the puck had lost the connection at the latest.
        var ended: Timestamp

        /// Whether a Current State was evaluated after the end of the connection.
        func isBefore(_ timestamp: Int) -> Bool {
            guard let clock else { return false }
            let evaluated = Double(timestamp - clock.content)
            return evaluated > (ended - clock.moment.time as TimeSpan).seconds + Self.clockAccuracy
        }

        /// Seconds that a notification may be on its way, and one for times in whole seconds.
        private static let clockAccuracy = PuckLink.crossingTime + 1
    }

    /// Seconds between evaluations, with some room (AQ-040).
    private static let pace = (normal: 4.5, calibrating: 0.45)
    /// Seconds by which the puck's clock may be wrong (AQ-038).
    private static let timeAccuracy = 120.0

    mutating func see(_ event: PuckEvent, on link: PuckLink?, _ report: inout RuleReport) {
        if event.isOpening, let former = formerResult { formerResult?.ended = min(former.ended, event.moment.time) }
        if let closing = event.closing {
            if let link { end(closing, link, event) }
            mayFall[event.connection] = nil
        }
        switch event.commandKind {
        case .deleteDrink?, .resetDaily?, .clearHistory?: mayFall[event.connection, default: 0] += 1
        // It clears the raw reading too.
        case .calSetData?: formerResult = nil
        default: break
        }
        guard let state = event.state, let meaning = event.meaning, let link else { return }
        judgeTime(state, meaning, link, event, &report)
        guard meaning != .overtaken else { return }
        judgeResult(state, meaning, event, link, &report)
        judgeStable(state, link, &report)
        judgeTotal(state, link, event, &report)
        switch meaning {
        case .push: report.pass(.aq039)
        case .evaluation:
            judgePace(event, link, &report)
            judgeReason(state, link, event, &report)
        case .reading, .overtaken: return
        }
    }

    // MARK: - Time

    /// AQ-038: only an evaluation tells the time when it comes, and only of a clock that was set. What is pushed or read may
    /// be old, and is never ahead of the clock.
    private func judgeTime(
        _ state: CurrentState, _ meaning: StateMeaning, _ link: PuckLink, _ event: PuckEvent, _ report: inout RuleReport
    ) {
        if state.isPush(of: CurrentState()) { return }
        if state.timestamp == 0 {
            return report.fail(.aq038, expected: "a time, or all zero", observed: "time 0 and other fields")
        }
        if let last = link.state?.content, last.timestamp == state.timestamp { return }
        guard state.flags.timeValid else { return report.inconclusive(.aq038, "the puck's clock was never set") }
        if meaning != .evaluation, let clock = link.clock {
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
        guard let timeSet = link.timeSet, event.moment.seconds(since: timeSet) > PuckLink.crossingTime else {
            return report.inconclusive(.aq038, "when the puck's clock was set was not captured")
        }
        report.fail(
            .aq038, expected: "the time of the capture, give or take 120 s and whole hours",
            observed: "\(Int(difference)) s from it")
    }

    // MARK: - Notifications

    /// AQ-040: of two evaluations that are made in the same mode.
    private func judgePace(_ event: PuckEvent, _ link: PuckLink, _ report: inout RuleReport) {
        guard let last = link.states.evaluation else { return }
        let passed = event.moment.seconds(since: last.moment)
        let least = link.mayEvaluateFast(at: event.moment) ? Self.pace.calibrating : Self.pace.normal
        if passed >= least { return report.pass(.aq040) }
        // One of before the change of mode may have been on its way.
        if let change = link.modeChanged, last.moment.seconds(since: change) < PuckLink.crossingTime { return }
        report.fail(
            .aq040, expected: "\(least.secondsText) between evaluations", observed: passed.secondsText,
            at: [last.moment, event.moment])
    }

    /// AQ-039: the evaluation before may not have been notified, if there was time for one.
    private func judgeReason(_ state: CurrentState, _ link: PuckLink, _ event: PuckEvent, _ report: inout RuleReport) {
        guard let before = link.notifiedState else { return }
        if state.isNews(after: before.content) { return report.pass(.aq039) }
        let pace = link.mayEvaluateFast(at: event.moment) ? Self.pace.calibrating : Self.pace.normal
        guard let last = link.states.evaluation, event.moment.seconds(since: last.moment) < 2 * pace else {
            return report.inconclusive(.aq039, "an evaluation that was not notified may lie between")
        }
        report.fail(
            .aq039, expected: "another total, level or flag, or something to confirm", observed: "none of these",
            at: [last.moment, event.moment])
    }

    // MARK: - Flags

    /// AQ-044
    private func judgeStable(_ state: CurrentState, _ link: PuckLink, _ report: inout RuleReport) {
        guard let last = link.state, last.content.flags.stable, !link.mayEvaluateFast(at: report.moment) else { return }
        if state.flags.stable { return report.pass(.aq044) }
        report.fail(
            .aq044, expected: "stable", observed: "no longer stable", at: [last.moment, report.moment])
    }

    /// The connection ends: its raw reading, or that of the connection before if nothing was evaluated since, ends with it.
    private mutating func end(_ closing: ConnectionClosing, _ link: PuckLink, _ event: PuckEvent) {
        let last = link.state?.content
        if last?.flags.calResult == true || link.measured != nil {
            if formerResult != nil, link.measured == nil { return }
            formerResult = FormerResult(
                timestamp: last?.timestamp, clock: link.clock, ended: event.moment.time + closing.silence)
        } else if last != nil {
            formerResult = nil
        }
    }

    /// AQ-102: a push or a read shows what was evaluated before the disconnection, until the next evaluation.
    private mutating func judgeResult(
        _ state: CurrentState, _ meaning: StateMeaning, _ event: PuckEvent, _ link: PuckLink, _ report: inout RuleReport
    ) {
        guard let former = formerResult, link.measured == nil, state.timestamp != former.timestamp,
            meaning == .evaluation || former.isBefore(state.timestamp)
        else { return }
        formerResult = nil
        if !state.flags.calResult { return report.pass(.aq102) }
        guard event.link.isComplete else {
            return report.inconclusive(.aq102, "a measurement may not have been captured")
        }
        report.fail(.aq102, expected: "no raw reading after a disconnection", observed: "cal_result is set")
    }

    // MARK: - Daily total

    /// AQ-045: a deletion may take effect as late as the next evaluation, the change of the day as late as the next drink.
    private mutating func judgeTotal(
        _ state: CurrentState, _ link: PuckLink, _ event: PuckEvent, _ report: inout RuleReport
    ) {
        guard let last = link.state, !last.content.isPush(of: CurrentState()), !state.isPush(of: CurrentState()) else {
            return
        }
        if state.dailyTotal >= last.content.dailyTotal { return report.pass(.aq045) }
        if let count = mayFall[event.connection], count > 0 {
            mayFall[event.connection] = count - 1
            return
        }
        if link.total.mayBeOfAnotherDay(at: state) { return }
        guard event.link.isGapless else { return report.inconclusive(.aq045, "something was not captured") }
        report.fail(
            .aq045, expected: "\(last.content.dailyTotal) ml or more", observed: "\(state.dailyTotal) ml",
            at: [last.moment, event.moment])
    }
}
