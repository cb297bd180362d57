import Bytes
import PluginKit
import Profile

/// How the puck's sleep ends connections (sections 10.1 and 10.3).
struct SleepRules: PuckRule {
    var rules: [RuleIndex] { [.aq103, .aq104, .aq311] }
    var interests: Set<RuleInterest> { [.link, .advertising, .requests, .allValues] }

    /// A link that was lost sooner than sleep may take it: what the next connection shows tells whether the puck slept.
    private struct EarlyLoss {
        var moment: FrameReference
        var activity: FrameReference
        /// The Current State told last; nil where it was that of the boot.
        var state: CurrentState?
        /// Whether the puck was heard too soon after the loss to have slept.
        var isAwake = false
        /// When the next connection began.
        var opened: FrameReference?
    }

    private var early: EarlyLoss?
    private var supervision = PerConnection<Double>()
    /// Unsynced records that each connection began with.
    private var first = PerConnection<Int>()
    /// When Current State was notified last: the bottle was handled.
    private var handled = PerConnection<FrameReference>()
    private var isOverdue = SortedSet<Int>()

    /// Seconds from the last data activity to sleep, with room at both ends; more with new unsynced records.
    private static let normal = (least: 29.0, most: 40.0)
    private static let extended = 255.0
    /// A puck that is heard so soon after a lost link has not slept, as far as is known.
    private static let awake = 5.0
    /// Percent; below, the puck may have locked itself.
    private static let lockout = 25

    mutating func see(_ event: PuckEvent, on link: PuckLink?, _ report: inout RuleReport) {
        if event.attribute != nil || event.response != nil { return follow(event, link, &report) }
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
            supervision[event.connection] = nil
            first[event.connection] = nil
            handled[event.connection] = nil
            isOverdue.remove(event.connection)
        default: return
        }
    }

    /// Something that the puck has sent, or that was written to it.
    private mutating func follow(_ event: PuckEvent, _ link: PuckLink?, _ report: inout RuleReport) {
        if let state = event.state { judgeBoot(state, event, &report) }
        guard let link else { return }
        if first[event.connection] == nil { first[event.connection] = link.unsynced?.content }
        judgeLife(link, event, until: event.moment.time, &report)
        if event.isNotified { handled[event.connection] = event.moment }
    }

    mutating func finish(at time: Timestamp, _ report: inout RuleReport) { settle(&report) }

    private mutating func note(_ parameters: ConnectionParameters, _ event: PuckEvent) {
        supervision[event.connection] = Double(parameters.timeout) / 100
    }

    // MARK: - The end

    private mutating func end(
        _ closing: ConnectionClosing, _ link: PuckLink, _ event: PuckEvent, _ report: inout RuleReport
    ) {
        guard closing.isLoss else {
            if closing.isByLocalHost { report.pass(.aq311) }
            // Whoever ends a link has heard of the other side within the supervision timeout.
            if let timeout = supervision[event.connection], closing.isByLocalHost || closing.isByRemote {
                judgeLife(link, event, until: event.moment.time - TimeSpan(clamping: timeout), &report)
            }
            return
        }
        // The puck was gone a supervision timeout before the other side noticed.
        let silence = supervision[event.connection] ?? 0
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

    /// AQ-103: sleep ends with a boot, which forgets what was evaluated. A silence alone may be one of the radio.
    private mutating func judgeBoot(_ state: CurrentState, _ event: PuckEvent, _ report: inout RuleReport) {
        guard let early, let opened = early.opened, opened.connection == event.connection, early.state != nil else {
            return
        }
        guard state.isOfBoot else {
            // The last evaluation is still there: nothing was forgotten.
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

    /// Nothing has shown that the puck slept.
    private mutating func settle(_ report: inout RuleReport) {
        guard let early else { return }
        self.early = nil
        failLoss(early, &report)
        let connection = early.moment.connection
        if early.isAwake { return report.pass(.aq103, connection: connection) }
        report.inconclusive(
            .aq103, "whether the puck slept or was out of reach is not told", connection: connection)
    }

    /// AQ-311: of a puck that is not known to have slept. One that has breaks AQ-103.
    private func failLoss(_ early: EarlyLoss, _ report: inout RuleReport) {
        report.fail(
            .aq311, expected: "the client's end, or sleep 29 s after the last data activity",
            observed: "a loss after \(early.moment.seconds(since: early.activity).secondsText)",
            at: [early.activity, early.moment], bytes: [])
    }

    // MARK: - Life

    /// AQ-104: what answers long after the last data activity does not sleep, though nothing holds it awake.
    private mutating func judgeLife(
        _ link: PuckLink, _ event: PuckEvent, until time: Timestamp, _ report: inout RuleReport
    ) {
        guard let activity = link.lastActivity, !link.isInCalibrationMode, !link.isCalibrating,
            link.state?.content.flags.stable == true, !isOverdue.contains(event.connection)
        else { return }
        let rest = max(activity, handled[event.connection] ?? activity)
        let hasNew = (link.unsynced?.content ?? 0) > (first[event.connection] ?? 0)
        let limit = hasNew ? Self.extended : Self.normal.most
        let seconds = (time - rest.time).seconds
        guard seconds > limit, !event.isDataActivity || event.isRead else { return }
        isOverdue.insert(event.connection)
        report.fail(
            .aq104, expected: "sleep within \(limit.secondsText) of the last data activity",
            observed: "alive after \(seconds.secondsText)", at: [rest, event.moment])
    }
}
