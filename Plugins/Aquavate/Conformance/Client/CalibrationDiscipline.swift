import PluginKit

/// How the client calibrates, and holds and ends links (sections 9 and 11.4).
struct CalibrationDiscipline: PuckRules {
    var rules: [String] { ["AQ-227", "AQ-228", "AQ-229"] }
    var interests: Set<ConformanceInterest> { PuckJudge.everything }

    /// When a calibration that the client began ended.
    private var ended = PerConnection<Moment>()
    private var isKept: Set<Int> = []
    /// When the client asked for the end of the state that it waits in.
    private var givenUp = PerConnection<Moment>()

    /// What the application waits before it gives up, in seconds.
    private static let impatience = 57.0...63.0
    /// Seconds after the end of a calibration in which the link is kept.
    private static let kept = 60.0

    mutating func see(_ sight: Sight, _ report: inout JudgeReport) {
        guard let link = sight.puck else { return }
        switch sight.command?.kind {
        case .startCalibration?:
            judgeStart(sight, link, &report)
            ended[sight.connection] = nil
        case .setCalibration?: ended[sight.connection] = nil
        case .cancelCalibration?: judgePatience(sight, link, &report)
        default: break
        }
        judgeEnd(sight, &report)
        if let closing = sight.closing {
            if closing.isByLocalHost { judgePatience(sight, link, &report) }
            if ended[sight.connection] != nil, !isKept.contains(sight.connection) { report.pass("AQ-229") }
            ended[sight.connection] = nil
            givenUp[sight.connection] = nil
            isKept.remove(sight.connection)
        }
        if let state = sight.calibration {
            if link.isInCalibrationMode, state == 0 || state >= 9 {
                ended[sight.connection] = sight.moment
            } else {
                ended[sight.connection] = nil
            }
            judgeBorne(link, sight, &report)
        }
    }

    mutating func finish(at time: Int64, _ report: inout JudgeReport) {
        for (_, moment) in ended.all where Double(time &- moment.time) / 1e9 > Self.kept {
            failKept(moment, Double(time &- moment.time) / 1e9, &report)
        }
    }

    /// AQ-227
    private func judgeStart(_ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport) {
        guard let last = link.calibration else {
            if sight.link.isComplete { report.pass("AQ-227") }
            return
        }
        let seconds = sight.moment.seconds(since: last.moment)
        if last.content == 1, seconds < PuckLink.crossingTime {
            report.inconclusive("AQ-227", "a calibration was begun at the bottle in the same moment")
        } else if link.isCalibrating {
            report.fail(
                "AQ-227", expected: "the end of the calibration before", observed: "START amid it",
                at: [last.moment, sight.moment])
        } else if last.content >= 9, seconds < 3 {
            report.fail(
                "AQ-227", expected: "3 s after the calibration before", observed: seconds.secondsText,
                at: [last.moment, sight.moment])
        } else {
            report.pass("AQ-227")
        }
    }

    // MARK: - Patience

    /// AQ-228: an end after 60 s of wait_full is the application's, not the user's.
    private mutating func judgePatience(_ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport) {
        guard let last = link.calibration, last.content == 3 || last.content == 6 else { return }
        // What comes after the first CANCEL is not given up once more.
        if let before = givenUp[sight.connection], before > last.moment { return }
        givenUp[sight.connection] = sight.moment
        let seconds = sight.moment.seconds(since: last.moment)
        guard last.content == 6, Self.impatience.contains(seconds) else {
            return report.inconclusive("AQ-228", "the user may have ended the calibration")
        }
        report.fail(
            "AQ-228", expected: "120 s without a notification in wait_full",
            observed: "given up after \(seconds.secondsText)",
            at: [last.moment, sight.moment])
    }

    /// The puck itself goes on from a state that was waited for.
    private func judgeBorne(_ link: PuckLink, _ sight: Sight, _ report: inout JudgeReport) {
        guard let last = link.calibration, last.content == 3 || last.content == 6, sight.calibration != last.content
        else { return }
        report.pass("AQ-228")
    }

    // MARK: - The end

    /// AQ-229
    private mutating func judgeEnd(_ sight: Sight, _ report: inout JudgeReport) {
        guard let moment = ended[sight.connection], !isKept.contains(sight.connection) else { return }
        let seconds = sight.moment.seconds(since: moment)
        guard seconds > Self.kept else { return }
        isKept.insert(sight.connection)
        failKept(moment, seconds, &report)
    }

    private func failKept(_ moment: Moment, _ seconds: Double, _ report: inout JudgeReport) {
        report.fail(
            "AQ-229", expected: "a disconnection within 10 s of the end of the calibration",
            observed: "the link is kept for \(seconds.secondsText)", at: [moment], bytes: [])
    }
}

/// How the client holds links that it needs and ends those that it does not (section 11.4).
struct LinkDiscipline: PuckRules {
    var rules: [String] { ["AQ-232", "AQ-233"] }
    var interests: Set<ConformanceInterest> { PuckJudge.everything }

    private struct Use {
        var last: Moment
        var ping: Moment?
    }

    private var uses = PerConnection<Use>()

    mutating func see(_ sight: Sight, _ report: inout JudgeReport) {
        guard let link = sight.puck else {
            if case .opened = sight.event.content { uses[sight.connection] = Use(last: sight.moment) }
            return
        }
        judgeIdle(sight, link, &report)
        if let closing = sight.closing {
            judgeHold(closing, sight, link, &report)
            uses[sight.connection] = nil
            return
        }
        if sight.command?.kind == .ping {
            if let before = uses[sight.connection]?.ping, sight.moment.seconds(since: before) <= 25 {
                report.pass("AQ-232")
            }
            uses[sight.connection]?.ping = sight.moment
        }
        switch sight.event.content {
        case .request, .value: uses[sight.connection]?.last = sight.moment
        default: return
        }
    }

    /// AQ-233
    private func judgeIdle(_ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport) {
        guard let use = uses[sight.connection], !link.isCalibrating else { return }
        let seconds = sight.moment.seconds(since: use.last)
        guard seconds > 65 else {
            if sight.closing?.isByLocalHost == true { report.pass("AQ-233") }
            return
        }
        if sight.closing?.isLoss == true { return }
        report.fail(
            "AQ-233", expected: "the end of an idle link within 60 s", observed: "idle for \(seconds.secondsText)",
            at: [use.last, sight.moment], bytes: [])
    }

    /// AQ-232
    private func judgeHold(
        _ closing: ConnectionClosing, _ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport
    ) {
        guard closing.isLoss, let ping = uses[sight.connection]?.ping, link.lastActivity == ping else { return }
        let seconds = sight.moment.seconds(since: ping)
        guard seconds > 25 else { return }
        report.fail(
            "AQ-232", expected: "PING every 25 s", observed: "the link is lost \(seconds.secondsText) after the last",
            at: [ping], bytes: [])
    }
}
