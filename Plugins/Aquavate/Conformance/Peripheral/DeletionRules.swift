import Bytes
import PluginKit
import Profile

/// Effect of DELETE on the daily total: AQ-109 (section 7.3). The push that confirms the deletion still has the old
/// total; the next evaluation has the new one.
struct DeletionRules: Rule {
    private let pucks: PuckTracker

    init(_ pucks: PuckTracker) {
        self.pucks = pucks
    }

    /// A deletion whose effect is pending.
    private struct Deletion {
        var command: FrameReference
        /// Daily total before it, in ml.
        var total: Int
        /// Amount of the deleted record, in ml.
        var amount: Int
        /// Unsynced records before it.
        var unsynced: Int
    }

    /// Drink records transferred, by ID.
    private var records = SortedMap<Int, DrinkRecord>()
    private var deletion: Deletion?

    var rules: [RuleIndex] { [.aq109] }
    var interests: Set<RuleInterest> {
        values(of: .command, .currentState, .drinkData, .syncControl, .activityStats)
            .union([.subscriptions])
    }

    /// Seconds until the next evaluation of an upright bottle: 5, plus the display update.
    private static let evaluationTime = 7.0
    /// Maximum number of stored records: the capacity of a puck.
    private static let limit = 600

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        expire(at: event.heard, &report)
        if event.closing != nil || event.isGap {
            giveUp("the connection ended, or was not captured, before the next evaluation", &report)
            records = SortedMap()
        }
        if event.unsubscribed == .currentState {
            giveUp("the client has unsubscribed before the next evaluation", &report)
        }
        guard let puck = pucks[event] else { return }
        if let chunk = event.notifiedChunk, let list = chunk.records {
            for record in list where records.count < Self.limit { records[record.recordId] = record }
        }
        switch event.commandKind {
        case .deleteDrink?: delete(event.command?.recordId ?? 0, event, puck, &report)
        case .resetDaily?, .clearHistory?:
            records = SortedMap()
            giveUp("the drinks of the day were deleted besides", &report)
        // No evaluations occur during a measurement.
        case .calMeasurePoint?, .startCalibration?: giveUp("a calibration came between", &report)
        default: break
        }
        if let unsynced = deletion?.unsynced, event.syncRequest?.isAcknowledgement == true,
            let transfer = puck.phase.transfer, transfer.isLastDue
        {
            deletion?.unsynced = max(0, unsynced - transfer.records)
        }
        if event.isMalformedState { giveUp("a Current State that came has another length", &report) }
        if let state = event.state, puck.meaning(of: event) == .evaluation { check(state, event, &report) }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        expire(at: end.time, &report)
        giveUp("the capture ends before the next evaluation", &report)
    }

    private mutating func delete(_ id: Int, _ event: Event, _ puck: PuckState, _ report: inout RuleReport) {
        giveUp("another record was deleted before the next evaluation", &report)
        guard let record = records.removeValue(forKey: id), let state = puck.notifiedState?.content,
            !state.isPush(of: CurrentState()), state.flags.stable, state.flags.calibrated,
            event.isSubscribed(to: .currentState) == true, !puck.mayEvaluateFast(at: event.moment)
        else { return }
        guard record.timestamp / 86_400 == state.day, !puck.total.mayBeOfAnotherDay(at: state), record.amount > 0 else {
            return report.inconclusive(.aq109, "the record may be of another day than the total")
        }
        deletion = Deletion(
            command: event.moment, total: state.dailyTotal, amount: record.amount, unsynced: state.unsynced)
    }

    /// Checks an evaluation. A wrong total is ignored if the evaluation may have crossed the command.
    private mutating func check(_ state: CurrentState, _ event: Event, _ report: inout RuleReport) {
        guard let deletion else { return }
        let wanted = deletion.total - deletion.amount
        let hasDrunk = state.unsynced > deletion.unsynced
        if state.dailyTotal == wanted || hasDrunk && state.dailyTotal >= wanted + 30 {
            self.deletion = nil
            return report.pass(.aq109)
        }
        guard event.moment.seconds(since: deletion.command) >= DeviceProfile.Time.crossing else { return }
        self.deletion = nil
        report.fail(
            .aq109, expected: "a total of \(wanted) ml, \(deletion.amount) ml less",
            observed: "\(state.dailyTotal) ml", at: [deletion.command, event.moment])
    }

    private mutating func expire(at time: Timestamp, _ report: inout RuleReport) {
        guard let deletion, (time - deletion.command.time).seconds > Self.evaluationTime else { return }
        self.deletion = nil
        report.fail(
            .aq109, expected: "an evaluation with a total of \(deletion.total - deletion.amount) ml within 7 s",
            observed: "none", at: [deletion.command], bytes: [])
    }

    private mutating func giveUp(_ reason: String, _ report: inout RuleReport) {
        guard deletion != nil else { return }
        deletion = nil
        report.inconclusive(.aq109, reason)
    }
}
