import Bytes
import PluginKit
import Profile

/// How the client calibrates, and holds and ends links (sections 9 and 11.4).
struct ClientCalibrationRules: PuckRule {
    var rules: [RuleIndex] { [.aq227, .aq228, .aq229] }
    var interests: Set<RuleInterest> { PuckRuleSet.everything }

    /// When a calibration that the client began ended.
    private var ended = PerConnection<FrameReference>()
    private var isKept = SortedSet<Int>()
    /// When the client asked for the end of the state that it waits in.
    private var givenUp = PerConnection<FrameReference>()

    /// How long clients have waited in wait_full before they gave up, in seconds.
    private var waits: [Double] = []

    /// Seconds by which two waits of one timer differ; those of a user differ by more.
    private static let timerAccuracy = 0.25
    /// Seconds below which a wait is nobody's patience, and those that have to be borne; waits that are remembered.
    private static let patience = 30.0..<119.0
    private static let waitLimit = 16
    /// Seconds after the end of a calibration in which the link is kept.
    private static let kept = 60.0

    mutating func see(_ event: PuckEvent, on link: PuckLink?, _ report: inout RuleReport) {
        guard let link else { return }
        switch event.sentCommand?.kind {
        case .startCalibration?:
            judgeStart(event, link, &report)
            ended[event.connection] = nil
        case .calSetData?: ended[event.connection] = nil
        case .cancelCalibration?: judgePatience(event, link, &report)
        default: break
        }
        judgeEnd(event, &report)
        if let closing = event.closing {
            if closing.isByLocalHost { judgePatience(event, link, &report) }
            if ended[event.connection] != nil, !isKept.contains(event.connection) { report.pass(.aq229) }
            ended[event.connection] = nil
            givenUp[event.connection] = nil
            isKept.remove(event.connection)
        }
        if let state = event.calibration {
            if link.isInCalibrationMode, state == 0 || state >= 9 {
                ended[event.connection] = event.moment
            } else {
                ended[event.connection] = nil
            }
            judgeBorne(link, event, &report)
        }
    }

    mutating func finish(at time: Timestamp, _ report: inout RuleReport) {
        for (_, moment) in ended.all where (time - moment.time).seconds > Self.kept {
            failKept(moment, (time - moment.time).seconds, &report)
        }
    }

    /// AQ-227
    private func judgeStart(_ event: PuckEvent, _ link: PuckLink, _ report: inout RuleReport) {
        guard let last = link.calibration else {
            if event.link.isComplete { report.pass(.aq227) }
            return
        }
        let seconds = event.moment.seconds(since: last.moment)
        if last.content == 1, seconds < PuckLink.crossingTime {
            report.inconclusive(.aq227, "a calibration was begun at the bottle in the same moment")
        } else if link.isCalibrating {
            report.fail(
                .aq227, expected: "the end of the calibration before", observed: "START amid it",
                at: [last.moment, event.moment])
        } else if last.content >= 9, seconds < 3 {
            report.fail(
                .aq227, expected: "3 s after the calibration before", observed: seconds.secondsText,
                at: [last.moment, event.moment])
        } else {
            report.pass(.aq227)
        }
    }

    // MARK: - Patience

    /// Whether the bottle waits for the user in a state.
    private static func isWaiting(in state: Int) -> Bool {
        let state = CalibrationValue.State(rawValue: state)
        return state == .waitEmpty || state == .waitFull
    }

    /// AQ-228: a user may end a calibration at any time; a client that has waited twice as long exactly has a timer.
    private mutating func judgePatience(_ event: PuckEvent, _ link: PuckLink, _ report: inout RuleReport) {
        guard let last = link.calibration, Self.isWaiting(in: last.content) else { return }
        // What comes after the first CANCEL is not given up once more.
        if let before = givenUp[event.connection], before > last.moment { return }
        givenUp[event.connection] = event.moment
        let seconds = event.moment.seconds(since: last.moment)
        guard last.content == CalibrationValue.State.waitFull.rawValue, Self.patience.contains(seconds) else {
            return report.inconclusive(.aq228, "the user may have ended the calibration")
        }
        let accuracy = max(Self.timerAccuracy, link.jitter)
        let isTimer = waits.contains { abs($0 - seconds) <= accuracy }
        waits = waits.suffix(Self.waitLimit - 1) + [seconds]
        guard isTimer else { return report.inconclusive(.aq228, "the user may have ended the calibration") }
        report.fail(
            .aq228, expected: "120 s without a notification in wait_full",
            observed: "given up after \(seconds.secondsText), as before",
            at: [last.moment, event.moment])
    }

    /// The puck itself goes on from a state that was waited for.
    private func judgeBorne(_ link: PuckLink, _ event: PuckEvent, _ report: inout RuleReport) {
        guard let last = link.calibration, Self.isWaiting(in: last.content), event.calibration != last.content
        else { return }
        report.pass(.aq228)
    }

    // MARK: - The end

    /// AQ-229
    private mutating func judgeEnd(_ event: PuckEvent, _ report: inout RuleReport) {
        guard let moment = ended[event.connection], !isKept.contains(event.connection) else { return }
        let seconds = event.moment.seconds(since: moment)
        guard seconds > Self.kept else { return }
        isKept.insert(event.connection)
        failKept(moment, seconds, &report)
    }

    private func failKept(_ moment: FrameReference, _ seconds: Double, _ report: inout RuleReport) {
        report.fail(
            .aq229, expected: "a disconnection within 10 s of the end of the calibration",
            observed: "the link is kept for \(seconds.secondsText)", at: [moment], bytes: [])
    }
}

/// How the client holds links that it needs and ends those that it does not (section 11.4).
struct ClientLinkRules: PuckRule {
    var rules: [RuleIndex] { [.aq232, .aq233] }
    var interests: Set<RuleInterest> { PuckRuleSet.everything }

    fileprivate struct Use {
        var last: FrameReference
        /// The last pings without other data activity between them.
        var pings: [FrameReference] = []
        /// Supervision timeout in seconds.
        var timeout = 0.0

        /// Seconds from one PING to the next at most, and by which those of one timer differ.
        static let period = 25.0
        static let timerAccuracy = 1.0
    }

    private var uses = PerConnection<Use>()

    mutating func see(_ event: PuckEvent, on link: PuckLink?, _ report: inout RuleReport) {
        guard let link else {
            if case .opened(let opening) = event.content {
                uses[event.connection] = Use(last: event.moment)
                uses[event.connection]?.take(opening.parameters)
            }
            return
        }
        uses.update(event.connection) { $0.take(event, link, &report) }
        if event.closing != nil { uses[event.connection] = nil }
    }
}

extension ClientLinkRules.Use {
    fileprivate mutating func take(_ parameters: ConnectionParameters?) {
        if let parameters { timeout = Double(parameters.timeout) / 100 }
    }

    fileprivate mutating func take(_ event: PuckEvent, _ link: PuckLink, _ report: inout RuleReport) {
        take(event.parameters)
        judgeIdle(event, link, &report)
        if let closing = event.closing { return judgeHold(closing, event, link, &report) }
        if event.sentCommand?.kind == .ping {
            ping(event.moment, &report)
        } else if event.isDataActivity {
            pings.removeAll(keepingCapacity: true)
        }
        if event.request != nil || event.attribute != nil { last = event.moment }
    }

    private mutating func ping(_ moment: FrameReference, _ report: inout RuleReport) {
        if let before = pings.last, moment.seconds(since: before) <= Self.period { report.pass(.aq232) }
        if pings.count == 3 { pings.removeFirst() }
        pings.append(moment)
    }

    /// AQ-233
    private func judgeIdle(_ event: PuckEvent, _ link: PuckLink, _ report: inout RuleReport) {
        if link.isCalibrating { return }
        var seconds = event.moment.seconds(since: last)
        // A puck that sleeps does not answer the client's end of the link, which takes the supervision timeout then.
        if event.closing?.isByLocalHost == true { seconds -= timeout }
        guard seconds > 65 else {
            if event.closing?.isByLocalHost == true { report.pass(.aq233) }
            return
        }
        if event.closing?.isLoss == true { return }
        report.fail(
            .aq233, expected: "the end of an idle link within 60 s", observed: "idle for \(seconds.secondsText)",
            at: [last, event.moment], bytes: [])
    }

    /// AQ-232: pings of one timer hold the link; after one of another pace, the client may not want the link any longer.
    private func judgeHold(
        _ closing: ConnectionClosing, _ event: PuckEvent, _ link: PuckLink, _ report: inout RuleReport
    ) {
        guard closing.isLoss, let ping = pings.last, link.lastActivity == ping else { return }
        let seconds = event.moment.seconds(since: ping) - timeout
        guard seconds > Self.period else { return }
        let pauses = zip(pings, pings.dropFirst()).map { $1.seconds(since: $0) }
        guard pauses.count == 2, abs(pauses[0] - pauses[1]) <= Self.timerAccuracy, pauses[1] > Self.period else {
            return report.inconclusive(.aq232, "whether the client wanted to hold the link is not told")
        }
        report.fail(
            .aq232, expected: "PING every 25 s",
            observed: "one every \(pauses[1].secondsText), and the link is lost after the last", at: pings,
            bytes: [])
    }
}
