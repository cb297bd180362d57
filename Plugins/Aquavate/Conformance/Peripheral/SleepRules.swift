import Bytes
import PluginKit
import Profile

/// Connections that are lost, to sleep or to a radio fault (sections 10.1 and 10.3).
struct SleepRules: Rule {
    private let pucks: PuckTracker

    init(_ pucks: PuckTracker) {
        self.pucks = pucks
    }

    var rules: [RuleIndex] { [.aq103, .aq311] }
    /// The next connection shows whether the puck slept.
    var scope: RuleScope { .device }
    var interests: Set<RuleInterest> { [.advertising, .values(of: .currentState)] }

    /// A connection lost earlier than the puck may sleep.
    private struct EarlyLoss {
        var moment: FrameReference
        var activity: FrameReference
        /// The last Current State; nil if it was still the boot value.
        var state: CurrentState?
        /// Whether the puck was received too soon after the loss to have slept, or has kept its last evaluation.
        var isAwake = false
        /// The beginning of the next connection.
        var opened: FrameReference?
    }

    private var early: EarlyLoss?

    /// Least seconds from the last data activity to sleep, with tolerance.
    fileprivate static let leastAwake = 29.0
    /// Seconds after a lost connection within which a received puck is assumed not to have slept.
    private static let awake = 5.0
    /// Battery level in percent below which the puck may be in lockout.
    private static let lockout = 25

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if let state = event.state { return checkBoot(state, event, &report) }
        switch event.content {
        case .opened:
            noteHeard(event.moment)
            if early?.opened != nil { settle(&report) }
            early?.opened = event.moment
        case .advertised(let advertisement):
            if advertisement.kind == .connectable { noteHeard(event.moment) }
        case .closed(let closing):
            settle(&report)
            if let puck = pucks[event] { end(closing, puck, event, &report) }
        default: return
        }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) { settle(&report) }

    private mutating func end(
        _ closing: ConnectionClosing, _ puck: PuckState, _ event: Event, _ report: inout RuleReport
    ) {
        guard closing.isLoss else {
            if closing.isByLocalHost { report.pass(.aq311) }
            return
        }
        guard let activity = puck.certainActivity else {
            return report.inconclusive(.aq103, "the last data activity was not captured")
        }
        if event.moment.seconds(since: activity) >= Self.leastAwake {
            report.pass(.aq103)
            return report.pass(.aq311)
        }
        let state = puck.state?.content
        if let state, !state.isBoot, state.battery < Self.lockout {
            return report.inconclusive(.aq103, "the battery is so low that the puck may have locked itself")
        }
        early = EarlyLoss(
            moment: event.moment, activity: activity, state: state?.isOfBoot == false ? state : nil)
    }

    private mutating func noteHeard(_ moment: FrameReference) {
        guard let early, moment.seconds(since: early.moment) <= Self.awake else { return }
        self.early?.isAwake = true
    }

    /// AQ-103: sleep ends with a boot, which resets the evaluated state. Silence alone may be a radio fault.
    private mutating func checkBoot(_ state: CurrentState, _ event: Event, _ report: inout RuleReport) {
        guard let early, let opened = early.opened, opened.connection == event.connection.number, early.state != nil
        else {
            return
        }
        guard state.isOfBoot else {
            // The puck still has its last evaluation: it has not rebooted.
            if early.state?.timestamp == state.timestamp { self.early?.isAwake = true }
            return settle(&report)
        }
        let seconds = opened.seconds(since: early.activity)
        guard seconds < Self.leastAwake else { return settle(&report) }
        self.early = nil
        report.fail(
            .aq103, expected: "29 s awake after the last data activity",
            observed: "begun anew within \(seconds.secondsText)", at: [early.activity, early.moment, event.moment])
    }

    /// Reports an early loss after which nothing has shown that the puck slept.
    private mutating func settle(_ report: inout RuleReport) {
        guard let early else { return }
        self.early = nil
        failLoss(early, &report)
        let connection = early.moment.connection
        if early.isAwake { return report.pass(.aq103, connection: connection) }
        report.inconclusive(
            .aq103, "whether the puck slept or was out of reach is not told", connection: connection)
    }

    /// AQ-311: the loss of a puck that is not known to have slept. A puck that slept fails AQ-103.
    private func failLoss(_ early: EarlyLoss, _ report: inout RuleReport) {
        report.fail(
            .aq311, expected: "the client's end, or sleep 29 s after the last data activity",
            observed: "a loss after \(early.moment.seconds(since: early.activity).secondsText)",
            at: [early.activity, early.moment], bytes: [])
    }
}

/// The end of an idle connection, when the puck sleeps (section 10.3).
struct IdleConnectionRule: Rule {
    private let pucks: PuckTracker

    init(_ pucks: PuckTracker) {
        self.pucks = pucks
    }

    var rules: [RuleIndex] { [.aq104] }
    var interests: Set<RuleInterest> { [.requests, .allValues] }

    /// Unsynced records at the beginning of the connection.
    private var first: Int?
    /// The last notification: the bottle may have been handled then.
    private var handled: FrameReference?
    private var isOverdue = false

    /// Most seconds from the last data activity to sleep, with tolerance.
    private static let normal = 40.0
    /// The same with new unsynced records.
    private static let extended = 255.0

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let puck = pucks[event] else { return }
        switch event.content {
        case .value, .response:
            if first == nil { first = puck.unsynced?.content }
            check(puck, event, until: event.moment.time, &report)
            if event.isNotified { handled = event.moment }
        case .closed(let closing): end(closing, puck, event, &report)
        default: return
        }
    }

    private mutating func end(
        _ closing: ConnectionClosing, _ puck: PuckState, _ event: Event, _ report: inout RuleReport
    ) {
        let timeout = event.connection.supervisionTimeout
        if closing.isLoss {
            guard let activity = puck.certainActivity else { return }
            let seconds = event.moment.seconds(since: activity)
            // The puck was asleep or out of reach a supervision timeout before the other side noticed.
            if seconds >= SleepRules.leastAwake, seconds - (timeout ?? 0) <= Self.normal { report.pass(.aq104) }
        } else if let timeout, closing.isByLocalHost || closing.isByRemote {
            // The side that ends a connection has received from the other within the supervision timeout.
            check(puck, event, until: event.moment.time - TimeSpan(clamping: timeout), &report)
        }
    }

    /// AQ-104: a puck that answers long after the last data activity has not slept, although nothing keeps it awake.
    private mutating func check(_ puck: PuckState, _ event: Event, until time: Timestamp, _ report: inout RuleReport) {
        guard let activity = puck.lastActivity, !puck.isInCalibrationMode, !puck.isCalibrating,
            puck.state?.content.flags.stable == true, !isOverdue
        else { return }
        let rest = max(activity, handled ?? activity)
        let hasNew = (puck.unsynced?.content ?? 0) > (first ?? 0)
        let limit = hasNew ? Self.extended : Self.normal
        let seconds = (time - rest.time).seconds
        guard seconds > limit, !event.isDataActivity || event.isRead else { return }
        isOverdue = true
        report.fail(
            .aq104, expected: "sleep within \(limit.secondsText) of the last data activity",
            observed: "alive after \(seconds.secondsText)", at: [rest, event.moment])
    }
}
