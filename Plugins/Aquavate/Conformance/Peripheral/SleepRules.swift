import Bytes
import PluginKit
import Profile

/// Connections that end because the puck sleeps (sections 10.1 and 10.3).
struct SleepRules: Rule {
    private let pucks: PuckTracker

    init(_ pucks: PuckTracker) {
        self.pucks = pucks
    }

    var rules: [RuleIndex] { [.aq103, .aq104, .aq311] }
    var interests: Set<RuleInterest> { [.link, .advertising, .requests, .allValues] }

    /// A connection lost earlier than the puck may sleep. The next connection shows whether it slept.
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
    private var supervision = PerConnection<Double>()
    /// Unsynced records at the beginning of each connection.
    private var first = PerConnection<Int>()
    /// The last notification: the bottle may have been handled then.
    private var handled = PerConnection<FrameReference>()
    private var isOverdue = SortedSet<Int>()

    /// Seconds from the last data activity to sleep, with tolerances.
    private static let normal = (least: 29.0, most: 40.0)
    /// The upper limit with new unsynced records, in seconds.
    private static let extended = 255.0
    /// Seconds after a lost connection within which a received puck is assumed not to have slept.
    private static let awake = 5.0
    /// Battery level in percent below which the puck may be in lockout.
    private static let lockout = 25

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        let link = pucks[event]
        if event.value != nil || event.response != nil { return follow(event, link, &report) }
        if event.request != nil { return }
        switch event.content {
        case .opened(let opening):
            if let parameters = opening.parameters { note(parameters, event) }
            noteHeard(event.moment)
            if early?.opened != nil { settle(&report) }
            early?.opened = event.moment
        case .parameters(let parameters): note(parameters, event)
        case .advertised(let advertisement):
            if advertisement.kind == .connectable { noteHeard(event.moment) }
        case .closed(let closing):
            settle(&report)
            if let link { end(closing, link, event, &report) }
            supervision[event.connection.number] = nil
            first[event.connection.number] = nil
            handled[event.connection.number] = nil
            isOverdue.remove(event.connection.number)
        default: return
        }
    }

    /// Handles a value or a response.
    private mutating func follow(_ event: Event, _ link: PuckLink?, _ report: inout RuleReport) {
        if let state = event.state { checkBoot(state, event, &report) }
        guard let link else { return }
        if first[event.connection.number] == nil { first[event.connection.number] = link.unsynced?.content }
        checkLife(link, event, until: event.moment.time, &report)
        if event.isNotified { handled[event.connection.number] = event.moment }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) { settle(&report) }

    private mutating func note(_ parameters: ConnectionParameters, _ event: Event) {
        supervision[event.connection.number] = Double(parameters.timeout) / 100
    }

    // MARK: - The end

    private mutating func end(
        _ closing: ConnectionClosing, _ link: PuckLink, _ event: Event, _ report: inout RuleReport
    ) {
        guard closing.isLoss else {
            if closing.isByLocalHost { report.pass(.aq311) }
            // The side that ends a connection has received from the other within the supervision timeout.
            if let timeout = supervision[event.connection.number], closing.isByLocalHost || closing.isByRemote {
                checkLife(link, event, until: event.moment.time - TimeSpan(clamping: timeout), &report)
            }
            return
        }
        // The puck was asleep or out of reach a supervision timeout before the other side noticed.
        let silence = supervision[event.connection.number] ?? 0
        guard let activity = link.certainActivity else {
            return report.inconclusive(.aq103, "the last data activity was not captured")
        }
        let seconds = event.moment.seconds(since: activity)
        if seconds >= Self.normal.least {
            report.pass(.aq103)
            report.pass(.aq311)
            if seconds - silence <= Self.normal.most { report.pass(.aq104) }
            return
        }
        if let battery = link.state?.content.battery, link.state?.content.isBoot == false, battery < Self.lockout {
            return report.inconclusive(.aq103, "the battery is so low that the puck may have locked itself")
        }
        let state = link.state?.content
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
        guard seconds < Self.normal.least else { return settle(&report) }
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

    // MARK: - Time awake

    /// AQ-104: a puck that answers long after the last data activity has not slept, although nothing keeps it awake.
    private mutating func checkLife(
        _ link: PuckLink, _ event: Event, until time: Timestamp, _ report: inout RuleReport
    ) {
        guard let activity = link.lastActivity, !link.isInCalibrationMode, !link.isCalibrating,
            link.state?.content.flags.stable == true, !isOverdue.contains(event.connection.number)
        else { return }
        let rest = max(activity, handled[event.connection.number] ?? activity)
        let hasNew = (link.unsynced?.content ?? 0) > (first[event.connection.number] ?? 0)
        let limit = hasNew ? Self.extended : Self.normal.most
        let seconds = (time - rest.time).seconds
        guard seconds > limit, !event.isDataActivity || event.isRead else { return }
        isOverdue.insert(event.connection.number)
        report.fail(
            .aq104, expected: "sleep within \(limit.secondsText) of the last data activity",
            observed: "alive after \(seconds.secondsText)", at: [rest, event.moment])
    }
}
