import PluginKit

/// What Current State says from one value to the next (sections 4.1, 10.6 and 10.9).
struct StateRules: PuckRules {
    var rules: [String] { ["AQ-038", "AQ-039", "AQ-040", "AQ-044", "AQ-045", "AQ-102"] }
    var interests: Set<ConformanceInterest> { values(of: "command", "current_state") }

    /// Whether the daily total may fall, for a command that deletes.
    private var mayFall = PerConnection<Bool>()
    /// The evaluation notified last on each connection.
    private var evaluation = PerConnection<Told<CurrentState>>()
    /// The last value of the connection that ended last, if it held a raw reading.
    private var formerResult: CurrentState?

    /// Seconds between evaluations, with some room (AQ-040).
    private static let pace = (normal: 4.5, calibrating: 0.45)

    mutating func see(_ sight: Sight, _ report: inout JudgeReport) {
        if sight.closing != nil {
            if let last = sight.puck?.state?.content { formerResult = last.flags.calResult ? last : nil }
            mayFall[sight.connection] = nil
            evaluation[sight.connection] = nil
        }
        if sight.isGap { evaluation[sight.connection] = nil }
        switch sight.command?.kind {
        case .deleteDrink?, .resetDaily?, .clearHistory?: mayFall[sight.connection] = true
        default: break
        }
        guard let state = sight.state, let link = sight.puck else { return }
        judgeTime(state, link, sight, &report)
        judgeResult(state, sight, link, &report)
        judgeStable(state, link, &report)
        judgeTotal(state, link, sight, &report)
        guard sight.isNotified else { return }
        if link.isPush(state, at: sight.moment) { return report.pass("AQ-039") }
        judgePace(sight, link, &report)
        judgeReason(state, link, sight, &report)
        evaluation[sight.connection] = Told(content: state, moment: sight.moment)
    }

    // MARK: - Time

    /// AQ-038: a value that was read may be as old as the one before it.
    private func judgeTime(_ state: CurrentState, _ link: PuckLink, _ sight: Sight, _ report: inout JudgeReport) {
        if state.isBoot { return }
        if state.timestamp == 0 {
            return report.fail("AQ-038", expected: "a time, or all zero", observed: "time 0 and other fields")
        }
        if let last = link.state?.content, last.timestamp == state.timestamp { return }
        guard state.flags.timeValid else { return report.inconclusive("AQ-038", "the puck's clock was never set") }
        let difference = Double(state.timestamp) - Double(sight.moment.time) / 1e9
        let hours = (difference / 3600).rounded()
        let rest = difference - hours * 3600
        let age = sight.isNotified ? 0 : sight.moment.seconds(since: link.state?.moment ?? link.opened)
        guard sight.isNotified || link.state != nil || abs(rest) <= 120 else {
            return report.inconclusive("AQ-038", "how old the value is was not told")
        }
        if (-12...14).contains(hours), rest <= 120, rest >= -120 - age { return report.pass("AQ-038") }
        report.fail(
            "AQ-038", expected: "the time of the capture, give or take 120 s and whole hours",
            observed: "\(Int(difference)) s from it")
    }

    // MARK: - Notifications

    /// AQ-040
    private func judgePace(_ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport) {
        guard let last = evaluation[sight.connection] else { return }
        let passed = sight.moment.seconds(since: last.moment)
        let least = link.isInCalibrationMode ? Self.pace.calibrating : Self.pace.normal
        if passed >= least { return report.pass("AQ-040") }
        report.fail(
            "AQ-040", expected: "\(least.secondsText) between evaluations", observed: passed.secondsText,
            at: [last.moment, sight.moment])
    }

    /// AQ-039: the evaluation before may not have been notified, if there was time for one.
    private func judgeReason(_ state: CurrentState, _ link: PuckLink, _ sight: Sight, _ report: inout JudgeReport) {
        guard let last = link.state else { return }
        let before = last.content
        let hasReason =
            state.dailyTotal != before.dailyTotal || state.flags.stable != before.flags.stable
            || state.flags.calMeasuring != before.flags.calMeasuring || state.flags.calResult != before.flags.calResult
            || state.flags.lowBattery != before.flags.lowBattery
            || abs((state.level ?? 0) - (before.level ?? 0)) >= 10
        if hasReason { return report.pass("AQ-039") }
        let pace = link.isInCalibrationMode ? 2 * Self.pace.calibrating : 2 * Self.pace.normal
        guard sight.moment.seconds(since: last.moment) < pace else {
            return report.inconclusive("AQ-039", "an evaluation that was not notified may lie between")
        }
        report.fail(
            "AQ-039", expected: "another total, level or flag, or something to confirm", observed: "none of these",
            at: [last.moment, sight.moment])
    }

    // MARK: - Flags

    /// AQ-044
    private func judgeStable(_ state: CurrentState, _ link: PuckLink, _ report: inout JudgeReport) {
        guard let last = link.state?.content, last.flags.stable, !link.isInCalibrationMode, !link.isCalibrating else {
            return
        }
        if state.flags.stable { return report.pass("AQ-044") }
        report.fail(
            "AQ-044", expected: "stable", observed: "no longer stable",
            at: [link.state?.moment ?? report.moment, report.moment])
    }

    /// AQ-102
    private mutating func judgeResult(
        _ state: CurrentState, _ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport
    ) {
        guard let former = formerResult else { return }
        if link.isInCalibrationMode || !sight.link.isGapless { formerResult = nil }
        // An old value may be read until the next evaluation.
        guard formerResult != nil, state.timestamp != former.timestamp else { return }
        formerResult = nil
        if !state.flags.calResult { return report.pass("AQ-102") }
        report.fail("AQ-102", expected: "no raw reading after a disconnection", observed: "cal_result is set")
    }

    // MARK: - Daily total

    /// AQ-045
    private mutating func judgeTotal(
        _ state: CurrentState, _ link: PuckLink, _ sight: Sight, _ report: inout JudgeReport
    ) {
        guard let last = link.state, !last.content.isBoot, !state.isBoot else { return }
        if state.dailyTotal >= last.content.dailyTotal { return report.pass("AQ-045") }
        let isNextDay = state.timestamp / 86_400 != last.content.timestamp / 86_400
        if mayFall[sight.connection] == true || isNextDay {
            mayFall[sight.connection] = nil
            return
        }
        guard sight.link.isGapless else { return report.inconclusive("AQ-045", "something was not captured") }
        report.fail(
            "AQ-045", expected: "\(last.content.dailyTotal) ml or more", observed: "\(state.dailyTotal) ml",
            at: [last.moment, sight.moment])
    }
}
