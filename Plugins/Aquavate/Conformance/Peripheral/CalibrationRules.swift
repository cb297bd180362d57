import Bytes
import PluginKit
import Profile

/// Times of a bottle-driven calibration (sections 9.1 and 9.2).
struct CalibrationRules: Rule {
    private let pucks: PuckTracker

    init(_ pucks: PuckTracker) {
        self.pucks = pucks
    }

    var rules: [RuleIndex] {
        [.aq092, .aq093, .aq094, .aq095, .aq096, .aq098, .aq099, .aq100]
    }
    var interests: Set<RuleInterest> {
        values(of: .command, .calibrationState, .currentState).union([.subscriptions])
    }

    private var due = Expectations()
    /// State triggered of the calibration in progress.
    private var triggered: FrameReference?
    /// The client's last CANCEL_CALIBRATION.
    private var cancelled: FrameReference?
    /// True if a client started the calibration in progress, false if it may have been started at the bottle at the
    /// same time, nil if no client started it.
    private var isBegunByClient: Bool?
    /// The last evaluation of an upright bottle outside calibration.
    private var standing: FrameReference?
    /// Whether states may be missing since the last captured one.
    private var isUncertain = false

    /// Seconds after a notified evaluation within which no calibration can have been started at the bottle: that takes
    /// 5 s upside down, and the evaluation may have been in flight.
    private static let standingTime = 5.0 - DeviceProfile.Time.crossing

    /// States by number.
    private enum State {
        static let idle = CalibrationValue.State.idle.rawValue
        static let triggered = CalibrationValue.State.triggered.rawValue
        static let started = CalibrationValue.State.started.rawValue
        static let waitEmpty = CalibrationValue.State.waitEmpty.rawValue
        static let measureEmpty = CalibrationValue.State.measureEmpty.rawValue
        static let waitFull = CalibrationValue.State.waitFull.rawValue
        static let measureFull = CalibrationValue.State.measureFull.rawValue
        static let complete = CalibrationValue.State.complete.rawValue
        static let error = CalibrationValue.State.error.rawValue
    }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        due.pass(to: event, &report)
        if event.isGap || event.unsubscribed == .calibrationState { lose() }
        guard let puck = pucks[event] else { return }
        if event.closing != nil, let last = puck.calibration, last.content >= State.complete { report.pass(.aq100) }
        switch event.commandKind {
        case .startCalibration?: start(event, puck, &report)
        case .cancelCalibration?: cancel(event, puck, &report)
        default: break
        }
        if event.isNotified, puck.meaning(of: event) == .evaluation, !puck.mayEvaluateFast(at: event.moment),
            event.isSubscribed(to: .calibrationState) == true
        {
            standing = event.moment
        }
        guard let state = event.calibration else { return }
        if state == State.triggered {
            let isStanding = standing.map { event.moment.seconds(since: $0) < Self.standingTime } ?? false
            isBegunByClient = due.isWaiting(.aq092) == nil ? nil : isStanding
        }
        checkReadings(state, event, &report)
        handle(state, event, puck, &report)
        isUncertain = false
    }

    /// Resets the state when calibration states may be missing.
    private mutating func lose() {
        triggered = nil
        cancelled = nil
        isBegunByClient = nil
        standing = nil
        isUncertain = true
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        due.finish(at: end.time, &report)
    }

    // MARK: - Commands

    private mutating func start(_ event: Event, _ puck: PuckState, _ report: inout RuleReport) {
        // The main loop may execute this START before that CANCEL.
        if let cancel = cancelled, event.moment.seconds(since: cancel) > DeviceProfile.Time.service { cancelled = nil }
        if due.isWaiting(.aq092) != nil { return }
        guard event.isSubscribed(to: .calibrationState) == true else {
            return report.inconclusive(.aq092, "whether the client has subscribed was not captured")
        }
        if let last = puck.calibration, !isUncertain {
            guard !(State.triggered...State.measureFull).contains(last.content) else { return }
            // Complete and error last 3 s.
            if last.content >= State.complete, event.moment.seconds(since: last.moment) < 3.5 { return }
        } else if standing == nil {
            // A calibration started at the bottle or on an earlier connection continues: START is ignored (9.3).
            return report.inconclusive(.aq092, "whether a calibration was under way was not told")
        }
        due.expect(.aq092, "state triggered", by: .calibrationState, within: 8, from: event.moment)
    }

    private mutating func cancel(_ event: Event, _ puck: PuckState, _ report: inout RuleReport) {
        cancelled = event.moment
        guard puck.isCalibrating, !isUncertain, due.isWaiting(.aq099) == nil else { return }
        due.expect(.aq099, "state idle, or complete", by: .calibrationState, within: 12, from: event.moment)
    }

    // MARK: - States

    private mutating func handle(_ state: Int, _ event: Event, _ puck: PuckState, _ report: inout RuleReport) {
        leave(puck, state, event, &report)
        switch state {
        case State.idle:
            _ = due.meet(.aq099, &report)
            due.drop(.aq092)
            checkIdle(event, puck, &report)
        case State.triggered:
            if due.drop(.aq092) != nil || puck.isInCalibrationMode {
                due.expect(.aq092, "state started", by: .calibrationState, within: 15, from: event.moment)
            }
            triggered = event.moment
        case State.started: _ = due.meet(.aq092, &report)
        case State.waitEmpty:
            expectEnd(.aq094, of: "wait_empty", within: 75, event)
            checkStart(event, puck, &report)
        case State.waitFull: expectEnd(.aq095, of: "wait_full", within: 135, event)
        case State.complete, State.error:
            _ = due.meet(.aq099, &report)
            triggered = nil
        default: break
        }
    }

    /// Expects the next state. A repeated notification of the same state does not restart the time.
    private mutating func expectEnd(_ rule: RuleIndex, of state: String, within seconds: Double, _ event: Event) {
        guard due.isWaiting(rule) == nil else { return }
        due.expect(rule, "another state than \(state)", by: .calibrationState, within: seconds, from: event.moment)
    }

    /// AQ-098: a calibration started at the bottle may still notify the readings of the previous one.
    private mutating func checkReadings(_ state: Int, _ event: Event, _ report: inout RuleReport) {
        guard let isCertain = isBegunByClient else { return }
        if [State.idle, State.complete, State.error].contains(state) { isBegunByClient = nil }
        guard state != State.complete, let empty = event.value?.reading?.integer("empty_adc"),
            let full = event.value?.reading?.integer("full_adc")
        else { return }
        if empty == 0, full == 0 { return report.pass(.aq098) }
        guard isCertain else {
            return report.inconclusive(.aq098, "it may have been begun at the bottle when START was sent")
        }
        report.fail(.aq098, expected: "readings of 0", observed: "\(empty) and \(full)")
    }

    /// AQ-094, AQ-095, AQ-096: the duration of the state that ends.
    private mutating func leave(_ puck: PuckState, _ next: Int, _ event: Event, _ report: inout RuleReport) {
        guard let last = puck.calibration, last.content != next, !isUncertain else { return }
        let seconds = event.moment.seconds(since: last.moment)
        switch last.content {
        case State.waitEmpty: _ = due.meet(.aq094, &report)
        case State.waitFull:
            guard due.drop(.aq095) != nil else { return }
            if next != State.measureFull || seconds >= 4.6 - event.connection.jitter { return report.pass(.aq095) }
            fail(.aq095, "4.5 s of wait_full before a measurement", seconds, last.moment, event, &report)
        case State.measureEmpty, State.measureFull:
            // An abort does not wait for the end of a measurement that leaves the loop free.
            let least = next == State.idle ? 0 : 4.9 - event.connection.jitter
            if (least...12 + event.connection.jitter).contains(seconds) { return report.pass(.aq096) }
            fail(.aq096, "5 to 12 s of measurement", seconds, last.moment, event, &report)
        default: return
        }
    }

    /// AQ-093
    private func checkStart(_ event: Event, _ puck: PuckState, _ report: inout RuleReport) {
        guard let triggered else { return }
        let seconds = event.moment.seconds(since: triggered)
        if seconds >= 3 - event.connection.jitter { return report.pass(.aq093) }
        fail(.aq093, "3 s from triggered to wait_empty", seconds, triggered, event, &report)
    }

    /// AQ-100
    private func checkIdle(_ event: Event, _ puck: PuckState, _ report: inout RuleReport) {
        guard let last = puck.calibration, last.content >= State.complete, !isUncertain, cancelled == nil else {
            return
        }
        fail(.aq100, "no state idle by itself", event.moment.seconds(since: last.moment), last.moment, event, &report)
    }

    private func fail(
        _ rule: RuleIndex, _ expected: String, _ seconds: Double, _ since: FrameReference, _ event: Event,
        _ report: inout RuleReport
    ) {
        report.fail(rule, expected: expected, observed: "after \(seconds.secondsText)", at: [since, event.moment])
    }
}

/// A central-driven calibration, point by point: AQ-101 (section 9.4).
struct MeasurementRules: Rule {
    var rules: [RuleIndex] { [.aq101] }
    var interests: Set<RuleInterest> {
        [.requests, .subscriptions, .values(of: .command), .values(of: .currentState)]
    }

    /// A measurement in progress, with the signs of it seen so far.
    private struct Measurement {
        var start: FrameReference
        var hasMeasured = false
        var hasResult = false
        /// Seconds until the Write Response.
        var response: Double?
    }

    private var running: Measurement?

    /// Seconds until cal_measuring is notified: 2, plus 3 for a display update.
    private static let measuringTime = 5.0

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if running != nil {
            if event.closing != nil || event.isGap {
                report.inconclusive(.aq101, "the measurement was not captured whole")
                running = nil
            } else if event.unsubscribed == .currentState {
                report.inconclusive(.aq101, "the client has unsubscribed amid the measurement")
                running = nil
            } else {
                check(at: event.moment.time, &report)
            }
        }
        if event.commandKind == .calMeasurePoint {
            guard event.isSubscribed(to: .currentState) == true else {
                return report.inconclusive(.aq101, "whether the client has subscribed was not captured")
            }
            running = Measurement(start: event.moment)
        } else if let running {
            handle(event, running, &report)
        }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        check(at: end.time, &report)
        if running != nil { report.inconclusive(.aq101, "the capture ends first") }
    }

    private mutating func handle(_ event: Event, _ measurement: Measurement, _ report: inout RuleReport) {
        var measurement = measurement
        if event.isNotified, let state = event.state {
            // The first push still has the old flags.
            if state.flags.calMeasuring { measurement.hasMeasured = true }
            if state.flags.calResult, measurement.hasMeasured { measurement.hasResult = true }
        }
        if let response = event.response, response.requested == measurement.start {
            if response.error != nil || response.isAmbiguous {
                running = nil
                return
            }
            let seconds = event.moment.seconds(since: measurement.start)
            measurement.response = seconds
            if !(4...9).contains(seconds) {
                fail("the Write Response after 4 to 9 s", "after \(seconds.secondsText)", measurement, &report)
                running = nil
                return
            }
        }
        running = measurement
        if measurement.hasResult, measurement.response != nil {
            report.pass(.aq101)
            running = nil
        }
    }

    /// Fails the measurement if a sign of it is overdue.
    private mutating func check(at time: Timestamp, _ report: inout RuleReport) {
        guard let measurement = running else { return }
        let seconds = (time - measurement.start.time).seconds
        let missing: String?
        if seconds > Self.measuringTime, !measurement.hasMeasured {
            missing = "cal_measuring within \(Self.measuringTime.secondsText)"
        } else if seconds > 9.5, !measurement.hasResult {
            missing = "cal_result within 9 s"
        } else if seconds > 9.5, measurement.response == nil {
            missing = "the Write Response after 4 to 9 s"
        } else {
            missing = nil
        }
        guard let missing else { return }
        fail(missing, "none", measurement, &report)
        running = nil
    }

    private func fail(
        _ expected: String, _ observed: String, _ measurement: Measurement, _ report: inout RuleReport
    ) {
        report.fail(.aq101, expected: expected, observed: observed, at: [measurement.start], bytes: [])
    }
}
