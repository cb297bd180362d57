import PluginKit
import Profile

/// How the puck's sleep ends connections (sections 10.1 and 10.3).
struct SleepRules: PuckRules {
    var rules: [RuleIndex] { [.aq103, .aq104, .aq311] }
    var interests: Set<ConformanceInterest> { [.link, .advertising, .requests, .allValues] }

    /// A link that was lost sooner than sleep may take it: what the next connection shows tells whether the puck slept.
    private struct EarlyLoss {
        var moment: Moment
        var activity: Moment
        /// The Current State told last; nil where it was that of the boot.
        var state: CurrentState?
        /// Whether the puck was heard too soon after the loss to have slept.
        var isAwake = false
        /// When the next connection began.
        var opened: Moment?
    }

    private var early: EarlyLoss?
    private var supervision = PerConnection<Double>()
    /// Unsynced records that each connection began with.
    private var first = PerConnection<Int>()
    /// When Current State was notified last: the bottle was handled.
    private var handled = PerConnection<Moment>()
    private var isOverdue: Set<Int> = []

    /// Seconds from the last data activity to sleep, with room at both ends; more with new unsynced records.
    private static let normal = (least: 29.0, most: 40.0)
    private static let extended = 255.0
    /// A puck that is heard so soon after a lost link has not slept, as far as is known.
    private static let awake = 5.0
    /// Percent; below, the puck may have locked itself.
    private static let lockout = 25

    mutating func see(_ sight: Sight, _ report: inout JudgeReport) {
        switch sight.event.content {
        case .opened(let opening):
            if let parameters = opening.parameters { note(parameters, sight) }
            noteHeard(sight.moment)
            if early?.opened != nil { settle(&report) }
            early?.opened = sight.moment
        case .parameters(let parameters): note(parameters, sight)
        case .advertised(let advertisement):
            if advertisement.kind == .connectable { noteHeard(sight.moment) }
        case .closed(let closing):
            settle(&report)
            if let link = sight.puck { end(closing, link, sight, &report) }
            supervision[sight.connection] = nil
            first[sight.connection] = nil
            handled[sight.connection] = nil
            isOverdue.remove(sight.connection)
        case .response, .value:
            if let state = sight.state { judgeBoot(state, sight, &report) }
            guard let link = sight.puck else { return }
            if first[sight.connection] == nil { first[sight.connection] = link.unsynced?.content }
            judgeLife(link, sight, until: sight.moment.time, &report)
            if sight.isNotified { handled[sight.connection] = sight.moment }
        default: return
        }
    }

    mutating func finish(at time: Int64, _ report: inout JudgeReport) { settle(&report) }

    private mutating func note(_ parameters: ConnectionParameters, _ sight: Sight) {
        supervision[sight.connection] = Double(parameters.timeout) / 100
    }

    // MARK: - The end

    private mutating func end(
        _ closing: ConnectionClosing, _ link: PuckLink, _ sight: Sight, _ report: inout JudgeReport
    ) {
        guard closing.isLoss else {
            if closing.isByLocalHost { report.pass(.aq311) }
            // Whoever ends a link has heard of the other side within the supervision timeout.
            if let timeout = supervision[sight.connection], closing.isByLocalHost || closing.isByRemote {
                judgeLife(link, sight, until: sight.moment.time &- Int64(timeout * 1e9), &report)
            }
            return
        }
        // The puck was gone a supervision timeout before the other side noticed.
        let silence = supervision[sight.connection] ?? 0
        guard let activity = link.certainActivity else {
            return report.inconclusive(.aq103, "the last data activity was not captured")
        }
        let seconds = sight.moment.seconds(since: activity)
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
            moment: sight.moment, activity: activity, state: state?.isOfBoot == false ? state : nil)
    }

    private mutating func noteHeard(_ moment: Moment) {
        guard let early, moment.seconds(since: early.moment) <= Self.awake else { return }
        self.early?.isAwake = true
    }

    /// AQ-103: sleep ends with a boot, which forgets what was evaluated. A silence alone may be one of the radio.
    private mutating func judgeBoot(_ state: CurrentState, _ sight: Sight, _ report: inout JudgeReport) {
        guard let early, let opened = early.opened, opened.connection == sight.connection, early.state != nil else {
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
            observed: "begun anew within \(seconds.secondsText)", at: [early.activity, early.moment, sight.moment])
    }

    /// Nothing has shown that the puck slept.
    private mutating func settle(_ report: inout JudgeReport) {
        guard let early else { return }
        self.early = nil
        failLoss(early, &report)
        let connection = early.moment.connection
        if early.isAwake { return report.pass(.aq103, connection: connection) }
        report.inconclusive(
            .aq103, "whether the puck slept or was out of reach is not told", connection: connection)
    }

    /// AQ-311: of a puck that is not known to have slept. One that has breaks AQ-103.
    private func failLoss(_ early: EarlyLoss, _ report: inout JudgeReport) {
        report.fail(
            .aq311, expected: "the client's end, or sleep 29 s after the last data activity",
            observed: "a loss after \(early.moment.seconds(since: early.activity).secondsText)",
            at: [early.activity, early.moment], bytes: [])
    }

    // MARK: - Life

    /// AQ-104: what answers long after the last data activity does not sleep, though nothing holds it awake.
    private mutating func judgeLife(
        _ link: PuckLink, _ sight: Sight, until time: Int64, _ report: inout JudgeReport
    ) {
        guard let activity = link.lastActivity, !link.isInCalibrationMode, !link.isCalibrating,
            link.state?.content.flags.stable == true, !isOverdue.contains(sight.connection)
        else { return }
        let rest = max(activity, handled[sight.connection] ?? activity)
        let hasNew = (link.unsynced?.content ?? 0) > (first[sight.connection] ?? 0)
        let limit = hasNew ? Self.extended : Self.normal.most
        let seconds = Double(time &- rest.time) / 1e9
        guard seconds > limit, !sight.isDataActivity || sight.isRead else { return }
        isOverdue.insert(sight.connection)
        report.fail(
            .aq104, expected: "sleep within \(limit.secondsText) of the last data activity",
            observed: "alive after \(seconds.secondsText)", at: [rest, sight.moment])
    }
}
