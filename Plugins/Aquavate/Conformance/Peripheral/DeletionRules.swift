import Bytes
import PluginKit
import Profile

/// What DELETE does to the daily total: AQ-109 (section 7.3). The push that confirms it still has the old total, the
/// next evaluation has the new one.
struct DeletionRules: PuckRule {
    /// A deletion whose effect is waited for.
    private struct Deletion {
        var command: FrameReference
        /// The total before it, and what it falls by, in ml; the records that were unsynced then.
        var total: Int
        var amount: Int
        var unsynced: Int
    }

    /// Records of drinks that came in a transfer on each connection, by their IDs.
    private var records = PerConnection<SortedMap<Int, DrinkRecord>>()
    private var deletion = PerConnection<Deletion>()

    var rules: [RuleIndex] { [.aq109] }
    var interests: Set<RuleInterest> {
        values(of: .command, .currentState, .drinkData, .syncControl, .activityStats)
            .union([.subscriptions])
    }

    /// Seconds until the next evaluation of a bottle that stands: 5, and as long as the display is drawn.
    private static let evaluationTime = 7.0
    /// Records that are remembered: as many as a puck stores.
    private static let limit = 600

    mutating func see(_ event: PuckEvent, on link: PuckLink?, _ report: inout RuleReport) {
        let connection = event.connection
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
        guard let link else { return }
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
        // Evaluations stop while the bottle is measured.
        case .calMeasurePoint?, .startCalibration?: giveUp(connection, "a calibration came between", &report)
        default: break
        }
        if event.syncRequest?.isAcknowledgement == true, let transfer = link.phase.transfer, transfer.isLastDue {
            deletion.update(connection) { $0.unsynced = max(0, $0.unsynced - transfer.records) }
        }
        if event.isMalformedState { giveUp(connection, "a Current State that came has another length", &report) }
        if let state = event.state, event.meaning == .evaluation { judge(state, event, &report) }
    }

    mutating func finish(at time: Timestamp, _ report: inout RuleReport) {
        for (connection, _) in deletion.all {
            expire(connection, at: time, &report)
            giveUp(connection, "the capture ends before the next evaluation", &report)
        }
    }

    private mutating func delete(_ id: Int, _ event: PuckEvent, _ link: PuckLink, _ report: inout RuleReport) {
        let connection = event.connection
        giveUp(connection, "another record was deleted before the next evaluation", &report)
        guard let record = records[connection]?.removeValue(forKey: id), let state = link.notifiedState?.content,
            !state.isPush(of: CurrentState()), state.flags.stable, state.flags.calibrated,
            link.isSubscribed(.currentState, event.link) == true, !link.mayEvaluateFast(at: event.moment)
        else { return }
        guard record.timestamp / 86_400 == state.day, !link.total.mayBeOfAnotherDay(at: state), record.amount > 0 else {
            return report.inconclusive(.aq109, "the record may be of another day than the total")
        }
        deletion[connection] = Deletion(
            command: event.moment, total: state.dailyTotal, amount: record.amount, unsynced: state.unsynced)
    }

    /// An evaluation that may have been on its way when the command came says nothing.
    private mutating func judge(_ state: CurrentState, _ event: PuckEvent, _ report: inout RuleReport) {
        guard let deletion = deletion[event.connection] else { return }
        let wanted = deletion.total - deletion.amount
        let hasDrunk = state.unsynced > deletion.unsynced
        if state.dailyTotal == wanted || hasDrunk && state.dailyTotal >= wanted + 30 {
            self.deletion[event.connection] = nil
            return report.pass(.aq109)
        }
        guard event.moment.seconds(since: deletion.command) >= PuckLink.crossingTime else { return }
        self.deletion[event.connection] = nil
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
