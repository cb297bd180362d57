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

    /// Drink records transferred on each connection, by ID.
    private var records = PerConnection<SortedMap<Int, DrinkRecord>>()
    private var deletion = PerConnection<Deletion>()

    var rules: [RuleIndex] { [.aq109] }
    var interests: Set<RuleInterest> {
        values(of: .command, .currentState, .drinkData, .syncControl, .activityStats)
            .union([.subscriptions])
    }

    /// Seconds until the next evaluation of an upright bottle: 5, plus the display update.
    private static let evaluationTime = 7.0
    /// Maximum number of stored records of a connection: the capacity of a puck.
    private static let limit = 600

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        let connection = event.connection.number
        expire(connection, at: event.heard, &report)
        if event.closing != nil || event.isGap {
            if deletion[connection] != nil {
                report.inconclusive(.aq109, "the connection ended, or was not captured, before the next evaluation")
            }
            deletion[connection] = nil
            records[connection] = nil
        }
        if event.unsubscribed == .currentState {
            giveUp(connection, "the client has unsubscribed before the next evaluation", &report)
        }
        guard let link = pucks[event] else { return }
        if let chunk = event.notifiedChunk, let list = chunk.records {
            for record in list where records[connection, default: SortedMap()].count < Self.limit {
                records[connection, default: SortedMap()][record.recordId] = record
            }
        }
        switch event.commandKind {
        case .deleteDrink?: delete(event.command?.recordId ?? 0, event, link, &report)
        case .resetDaily?, .clearHistory?:
            records[connection] = nil
            giveUp(connection, "the drinks of the day were deleted besides", &report)
        // No evaluations occur during a measurement.
        case .calMeasurePoint?, .startCalibration?: giveUp(connection, "a calibration came between", &report)
        default: break
        }
        if event.syncRequest?.isAcknowledgement == true, let transfer = link.phase.transfer, transfer.isLastDue {
            deletion.update(connection) { $0.unsynced = max(0, $0.unsynced - transfer.records) }
        }
        if event.isMalformedState { giveUp(connection, "a Current State that came has another length", &report) }
        if let state = event.state, link.meaning(of: event) == .evaluation { check(state, event, &report) }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        for (connection, _) in deletion.all {
            expire(connection, at: end.time, &report)
            giveUp(connection, "the capture ends before the next evaluation", &report)
        }
    }

    private mutating func delete(_ id: Int, _ event: Event, _ link: PuckLink, _ report: inout RuleReport) {
        let connection = event.connection.number
        giveUp(connection, "another record was deleted before the next evaluation", &report)
        guard let record = records[connection]?.removeValue(forKey: id), let state = link.notifiedState?.content,
            !state.isPush(of: CurrentState()), state.flags.stable, state.flags.calibrated,
            link.isSubscribed(.currentState, event.connection) == true, !link.mayEvaluateFast(at: event.moment)
        else { return }
        guard record.timestamp / 86_400 == state.day, !link.total.mayBeOfAnotherDay(at: state), record.amount > 0 else {
            return report.inconclusive(.aq109, "the record may be of another day than the total")
        }
        deletion[connection] = Deletion(
            command: event.moment, total: state.dailyTotal, amount: record.amount, unsynced: state.unsynced)
    }

    /// Checks an evaluation. A wrong total is ignored if the evaluation may have crossed the command.
    private mutating func check(_ state: CurrentState, _ event: Event, _ report: inout RuleReport) {
        guard let deletion = deletion[event.connection.number] else { return }
        let wanted = deletion.total - deletion.amount
        let hasDrunk = state.unsynced > deletion.unsynced
        if state.dailyTotal == wanted || hasDrunk && state.dailyTotal >= wanted + 30 {
            self.deletion[event.connection.number] = nil
            return report.pass(.aq109)
        }
        guard event.moment.seconds(since: deletion.command) >= DeviceProfile.Time.crossing else { return }
        self.deletion[event.connection.number] = nil
        report.fail(
            .aq109, expected: "a total of \(wanted) ml, \(deletion.amount) ml less",
            observed: "\(state.dailyTotal) ml", at: [deletion.command, event.moment])
    }

    private mutating func expire(_ connection: Int, at time: Timestamp, _ report: inout RuleReport) {
        guard let deletion = deletion[connection] else { return }
        guard (time - deletion.command.time).seconds > Self.evaluationTime else { return }
        self.deletion[connection] = nil
        report.fail(
            .aq109, expected: "an evaluation with a total of \(deletion.total - deletion.amount) ml within 7 s",
            observed: "none", at: [deletion.command], bytes: [])
    }

    private mutating func giveUp(_ connection: Int, _ reason: String, _ report: inout RuleReport) {
        guard deletion[connection] != nil else { return }
        deletion[connection] = nil
        report.inconclusive(.aq109, reason, connection: connection)
    }
}
