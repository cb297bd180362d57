import Bytes
import PluginKit
import Profile

/// Calibration by the client (sections 9 and 11.4).
struct ClientCalibrationRules: Rule {
    private let pucks: PuckTracker

    init(_ pucks: PuckTracker) {
        self.pucks = pucks
    }

    var rules: [RuleIndex] { [.aq227, .aq228, .aq229] }
    var interests: Set<RuleInterest> { PuckTracker.everything }

    /// The end of a calibration that the client started.
    private var ended: FrameReference?
    /// Whether the connection was kept too long after a calibration, as already reported.
    private var isKept = false
    /// When the client cancelled or disconnected in a waiting state.
    private var givenUp: FrameReference?
    private let waits = CalibrationWaits()

    /// Waits, in seconds, that a timer may end too early: a shorter wait is not a timer's, a longer one is long enough.
    private static let patience = 30.0..<119.0
    /// Seconds for which the client may keep the connection after the end of a calibration.
    private static let kept = 60.0

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let puck = pucks[event] else { return }
        switch event.sentCommand?.kind {
        case .startCalibration?:
            checkStart(event, puck, &report)
            ended = nil
        case .calSetData?: ended = nil
        case .cancelCalibration?: checkPatience(event, puck, &report)
        default: break
        }
        checkEnd(event, &report)
        if let closing = event.closing {
            if closing.isByLocalHost { checkPatience(event, puck, &report) }
            if ended != nil, !isKept { report.pass(.aq229) }
            ended = nil
        }
        if let state = event.calibration {
            ended = puck.isInCalibrationMode && (state == 0 || state >= 9) ? event.moment : nil
            checkBorne(puck, event, &report)
        }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        guard let ended else { return }
        let seconds = (end.time - ended.time).seconds
        if seconds > Self.kept { failKept(ended, seconds, &report) }
    }

    /// AQ-227
    private func checkStart(_ event: Event, _ puck: PuckState, _ report: inout RuleReport) {
        guard let last = puck.calibration else {
            if event.connection.isComplete { report.pass(.aq227) }
            return
        }
        let seconds = event.moment.seconds(since: last.moment)
        if last.content == 1, seconds < DeviceProfile.Time.crossing {
            report.inconclusive(.aq227, "a calibration was begun at the bottle in the same moment")
        } else if puck.isCalibrating {
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

    /// AQ-228: a user may end a calibration at any time; giving up twice after the same time indicates a timer.
    private mutating func checkPatience(_ event: Event, _ puck: PuckState, _ report: inout RuleReport) {
        guard let last = puck.calibration, Self.isWaiting(in: last.content) else { return }
        // A later CANCEL or disconnection in the same state is not a second wait.
        if let givenUp, givenUp > last.moment { return }
        givenUp = event.moment
        let seconds = event.moment.seconds(since: last.moment)
        guard last.content == CalibrationValue.State.waitFull.rawValue, Self.patience.contains(seconds),
            waits.add(seconds, jitter: event.connection.jitter)
        else { return report.inconclusive(.aq228, "the user may have ended the calibration") }
        report.fail(
            .aq228, expected: "120 s without a notification in wait_full",
            observed: "given up after \(seconds.secondsText), as before",
            at: [last.moment, event.moment])
    }

    /// AQ-228: the puck itself leaves a waiting state.
    private func checkBorne(_ puck: PuckState, _ event: Event, _ report: inout RuleReport) {
        guard let last = puck.calibration, Self.isWaiting(in: last.content), event.calibration != last.content
        else { return }
        report.pass(.aq228)
    }

    // MARK: - The end

    /// AQ-229
    private mutating func checkEnd(_ event: Event, _ report: inout RuleReport) {
        guard let ended, !isKept else { return }
        let seconds = event.moment.seconds(since: ended)
        guard seconds > Self.kept else { return }
        isKept = true
        failKept(ended, seconds, &report)
    }

    private func failKept(_ moment: FrameReference, _ seconds: Double, _ report: inout RuleReport) {
        report.fail(
            .aq229, expected: "a disconnection within 10 s of the end of the calibration",
            observed: "the link is kept for \(seconds.secondsText)", at: [moment], bytes: [])
    }
}

/// Seconds for which clients have waited in wait_full before they gave up. The connections of a puck share them: a
/// client that gives up ends its connection.
private final class CalibrationWaits {
    private var waits: [Double] = []

    /// Seconds by which two waits of one timer differ; waits of a user differ by more.
    private static let timerAccuracy = 0.25
    /// Maximum number of stored waits.
    private static let limit = 16

    /// Adds a wait. Returns whether an earlier one was as long, which indicates a timer.
    func add(_ seconds: Double, jitter: Double) -> Bool {
        let accuracy = max(Self.timerAccuracy, jitter)
        let isTimer = waits.contains { abs($0 - seconds) <= accuracy }
        waits = waits.suffix(Self.limit - 1) + [seconds]
        return isTimer
    }
}

/// The client's keep-alive PINGs and its disconnection when idle (section 11.4).
struct ClientLinkRules: Rule {
    private let pucks: PuckTracker

    init(_ pucks: PuckTracker) {
        self.pucks = pucks
    }

    var rules: [RuleIndex] { [.aq232, .aq233] }
    var interests: Set<RuleInterest> { PuckTracker.everything }

    /// The last request or value, or the opening.
    private var lastUse: FrameReference?
    /// Up to three last PINGs without other data activity between them.
    private var pings: [FrameReference] = []

    /// Maximum seconds between two PINGs.
    private static let period = 25.0
    /// Seconds by which two intervals of one timer differ.
    private static let timerAccuracy = 1.0

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if event.isOpening { lastUse = event.moment }
        guard let puck = pucks[event] else { return }
        checkIdle(event, puck, &report)
        if let closing = event.closing { return checkHold(closing, event, puck, &report) }
        if event.sentCommand?.kind == .ping {
            ping(event.moment, &report)
        } else if event.isDataActivity {
            pings.removeAll(keepingCapacity: true)
        }
        if event.request != nil || event.value != nil { lastUse = event.moment }
    }

    private mutating func ping(_ moment: FrameReference, _ report: inout RuleReport) {
        if let before = pings.last, moment.seconds(since: before) <= Self.period { report.pass(.aq232) }
        if pings.count == 3 { pings.removeFirst() }
        pings.append(moment)
    }

    /// AQ-233
    private func checkIdle(_ event: Event, _ puck: PuckState, _ report: inout RuleReport) {
        guard let lastUse, !puck.isCalibrating else { return }
        var seconds = event.moment.seconds(since: lastUse)
        // A sleeping puck does not acknowledge the client's disconnection, which then takes the supervision timeout.
        if event.closing?.isByLocalHost == true { seconds -= event.connection.supervisionTimeout ?? 0 }
        guard seconds > 65 else {
            if event.closing?.isByLocalHost == true { report.pass(.aq233) }
            return
        }
        if event.closing?.isLoss == true { return }
        report.fail(
            .aq233, expected: "the end of an idle link within 60 s", observed: "idle for \(seconds.secondsText)",
            at: [lastUse, event.moment], bytes: [])
    }

    /// AQ-232: PINGs at one interval keep the connection alive; after a different interval, the client may no longer
    /// need it.
    private func checkHold(
        _ closing: ConnectionClosing, _ event: Event, _ puck: PuckState, _ report: inout RuleReport
    ) {
        guard closing.isLoss, let ping = pings.last, puck.lastActivity == ping else { return }
        let seconds = event.moment.seconds(since: ping) - (event.connection.supervisionTimeout ?? 0)
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
