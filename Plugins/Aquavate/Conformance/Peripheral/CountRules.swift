import Bytes
import PluginKit
import Profile

/// How many records are unsynced, before and after transfers (sections 6.1 and 10.6).
struct CountRules: PuckRule {
    var rules: [RuleIndex] { [.aq042, .aq056, .aq069, .aq073, .aq304, .aq309] }
    var interests: Set<RuleInterest> {
        values(of: .syncControl, .command, .currentState).union([.subscriptions])
    }

    private var due = Expectations()
    /// Unsynced records that the last acknowledgement leaves.
    private var outcome = PerConnection<Outcome>()
    /// Drinks that were told since the last START: another number each time.
    private var drinks = PerConnection<Int>()
    /// Records that clients have deleted since the last START: a puck may count them as unsynced, or not.
    private var deletions = PerConnection<Int>()
    /// A transfer that was begun and not completed.
    private var aborted: Aborted?
    /// A QUERY after which no status was read yet.
    private var query = PerConnection<FrameReference>()
    /// Connections in which a transfer has changed the number since Current State told it, and those in which the history
    /// was cleared, which nothing tells.
    private var uncertain = SortedSet<Int>()
    private var cleared = SortedSet<Int>()

    private struct Outcome {
        var completion: FrameReference
        /// Nil where the number before was not captured.
        var expected: Int?
        /// Sync Control was read since.
        var isRead = false
    }

    private struct Aborted {
        var former: Int
        var moment: FrameReference
        var connection: Int
        /// Acknowledgements that complete it, if it goes on in a later connection; nil where that is not known.
        var missing: Int?
    }

    /// Seconds within which Current State follows the last acknowledgement.
    private static let pushTime = 10.0
    /// Seconds after which another client may have fetched records unseen.
    private static let absence = 30.0
    /// Seconds within which Current State tells of a drink that a read has counted.
    private static let drinkTime = 2.0

    mutating func see(_ event: PuckEvent, on link: PuckLink?, _ report: inout RuleReport) {
        due.pass(to: event, &report)
        guard let link else { return }
        if event.closing != nil || event.isGap { leave(event, link) }
        if let request = event.syncRequest { take(request, event, link, &report) }
        if event.commandKind == .deleteDrink { deletions[event.connection, default: 0] += 1 }
        if event.commandKind == .clearHistory {
            aborted = nil
            outcome[event.connection] = nil
            cleared.insert(event.connection)
        }
        if let state = event.state, let meaning = event.meaning { take(state, meaning, event, link, &report) }
        if event.isMalformedState, due.drop(.aq042, on: event.connection) != nil {
            report.inconclusive(.aq042, "the Current State that came has another length")
        }
        if case .status(let status)? = event.value { take(status, event, link, &report) }
    }

    mutating func finish(at time: Timestamp, _ report: inout RuleReport) {
        due.finish(at: time, &report)
    }

    /// The connection ends, or something of it is missing.
    private mutating func leave(_ event: PuckEvent, _ link: PuckLink) {
        abort(link, event)
        outcome[event.connection] = nil
        query[event.connection] = nil
        guard event.closing != nil else {
            uncertain.insert(event.connection)
            return
        }
        uncertain.remove(event.connection)
        cleared.remove(event.connection)
        drinks[event.connection] = nil
        deletions[event.connection] = nil
    }

    private mutating func abort(_ link: PuckLink, _ event: PuckEvent) {
        guard let transfer = link.phase.transfer, let former = transfer.former, !event.isGap, !transfer.mayBeComplete
        else { return }
        aborted = Aborted(
            former: former, moment: event.moment, connection: event.connection,
            missing: transfer.total.map { $0 - transfer.acknowledgements })
    }

    // MARK: - Requests

    private mutating func take(
        _ request: SyncRequest, _ event: PuckEvent, _ link: PuckLink, _ report: inout RuleReport
    ) {
        uncertain.insert(event.connection)
        if request.isStart || request.isQuery { abort(link, event) }
        if request.isStart || request.isAcknowledgement {
            query[event.connection] = nil
            outcome[event.connection] = nil
        }
        if request.isStart {
            drinks[event.connection] = 0
            deletions[event.connection] = nil
        }
        if request.isQuery { query[event.connection] = event.moment }
        guard request.isAcknowledgement else { return }
        guard let transfer = link.phase.transfer else {
            if case .unknown = link.phase { goOn() }
            return
        }
        guard transfer.total.map({ transfer.acknowledgements + 1 >= $0 }) == true else { return }
        aborted = nil
        judgeSum(transfer, &report)
        outcome[event.connection] = Outcome(completion: event.moment, expected: transfer.remainder)
        switch link.isSubscribed(.currentState, event.link) {
        case true?:
            due.expect(
                .aq042, "Current State", by: .currentState, within: Self.pushTime, from: event.moment)
        case nil: report.inconclusive(.aq042, "whether the client has subscribed was not captured")
        case false?: break
        }
    }

    /// A disconnection does not end a transfer: an acknowledgement may complete that of the connection before.
    private mutating func goOn() {
        guard let missing = aborted?.missing, missing > 1 else {
            aborted = nil
            return
        }
        aborted?.missing = missing - 1
    }

    /// AQ-304
    private func judgeSum(_ transfer: Transfer, _ report: inout RuleReport) {
        let total = transfer.total ?? 0
        if transfer.isDisturbed { return }
        if transfer.chunks < total {
            return report.inconclusive(.aq304, "not every chunk was captured")
        }
        if transfer.records <= transfer.request.count { return report.pass(.aq304) }
        report.fail(
            .aq304, expected: "\(transfer.request.count) records at most", observed: "\(transfer.records)",
            at: [transfer.start, transfer.last ?? report.moment], bytes: [])
    }

    // MARK: - Numbers that are told

    private mutating func take(
        _ state: CurrentState, _ meaning: StateMeaning, _ event: PuckEvent, _ link: PuckLink, _ report: inout RuleReport
    ) {
        if !state.isBoot, meaning != .overtaken { judgeAbort(state.unsynced, event, link, &report) }
        guard event.isNotified else { return }
        if meaning == .evaluation, showsDrink(state, link) { drinks[event.connection, default: 0] += 1 }
        uncertain.remove(event.connection)
        for rule: RuleIndex in [.aq056, .aq309] where due.isWaiting(rule, on: event.connection) != nil {
            _ = due.meet(rule, on: event.connection, &report)
        }
        judgeConfirmation(state.unsynced, meaning, event, link, &report)
    }

    /// Whether a record was stored since the state before, or, for the first state, since the transfer began.
    private func showsDrink(_ state: CurrentState, _ link: PuckLink) -> Bool {
        guard let last = link.state?.content else {
            return link.phase.transfer?.former.map { state.unsynced > $0 } ?? false
        }
        if last.isPush(of: CurrentState()) { return false }
        return state.dailyTotal > last.dailyTotal || state.unsynced > last.unsynced
    }

    /// AQ-042: one right notification is enough, and an evaluation may have been on its way.
    private mutating func judgeConfirmation(
        _ count: Int, _ meaning: StateMeaning, _ event: PuckEvent, _ link: PuckLink, _ report: inout RuleReport
    ) {
        guard let outcome = outcome[event.connection], let since = due.isWaiting(.aq042, on: event.connection) else {
            return
        }
        guard let expected = outcome.expected else {
            due.drop(.aq042, on: event.connection)
            return report.inconclusive(.aq042, "how many records were unsynced before was not captured")
        }
        if allowed(expected, event).contains(count) {
            _ = due.meet(.aq042, on: event.connection, &report)
        } else if meaning == .push, link.states.cause(at: event.moment) == since {
            due.drop(.aq042, on: event.connection)
            report.fail(
                .aq042, expected: "\(expected) unsynced records", observed: "\(count)", at: [since, event.moment])
        } else {
            due.note(.aq042, "\(count) unsynced records, not \(expected)", at: event.moment)
        }
    }

    /// So many records, or as many more as drinks have been told.
    private func allowed(_ expected: Int, _ event: PuckEvent) -> ClosedRange<Int> {
        expected...(expected + (drinks[event.connection] ?? 0))
    }

    private mutating func take(
        _ status: SyncStatus, _ event: PuckEvent, _ link: PuckLink, _ report: inout RuleReport
    ) {
        judgeAbort(status.count, event, link, &report)
        if let moment = query[event.connection] {
            query[event.connection] = nil
            if status.status == .idle {
                report.pass(.aq073)
            } else {
                report.fail(
                    .aq073, expected: "status idle after QUERY", observed: "status \(status.status)",
                    at: [moment, event.moment])
            }
        }
        if let outcome = outcome[event.connection], let expected = outcome.expected, !outcome.isRead {
            self.outcome[event.connection]?.isRead = true
            compare(
                status.count, with: allowed(expected, event), .aq309, "\(expected) unsynced records",
                since: outcome.completion, event, link, &report)
        } else {
            judgeSame(status.count, event, link, &report)
        }
    }

    /// AQ-056: a number that Current State has told holds until something changes it, which Current State tells too.
    private mutating func judgeSame(_ count: Int, _ event: PuckEvent, _ link: PuckLink, _ report: inout RuleReport) {
        guard let state = link.notifiedState, !state.content.isBoot, link.state?.moment == state.moment,
            link.isSubscribed(.currentState, event.link) == true, !uncertain.contains(event.connection),
            !cleared.contains(event.connection)
        else { return }
        let attribute = state.content.unsynced
        compare(
            count, with: attribute...attribute, .aq056, "\(attribute), as Current State says", since: state.moment,
            event, link,
            &report)
    }

    /// One more than is known may be a drink that Current State is about to tell.
    private mutating func compare(
        _ count: Int, with allowed: ClosedRange<Int>, _ rule: RuleIndex, _ expected: @autoclosure () -> String,
        since: FrameReference,
        _ event: PuckEvent, _ link: PuckLink, _ report: inout RuleReport
    ) {
        if allowed.contains(count) { return report.pass(rule) }
        if count == allowed.upperBound + 1, link.isSubscribed(.currentState, event.link) == true {
            return due.expect(
                rule, "\(expected()), or a Current State with one more unsynced record", by: .currentState,
                within: Self.drinkTime, from: event.moment)
        }
        report.fail(rule, expected: expected(), observed: "\(count)", at: [since, event.moment])
    }

    /// AQ-069: of a transfer that was given up, and of one whose chunks are not all acknowledged.
    private mutating func judgeAbort(
        _ count: Int, _ event: PuckEvent, _ link: PuckLink, _ report: inout RuleReport
    ) {
        if let transfer = link.phase.transfer, let former = transfer.former, count < former, aborted == nil {
            if count + (deletions[event.connection] ?? 0) >= former {
                return report.inconclusive(.aq069, "records were deleted meanwhile")
            }
            if transfer.mayBeComplete {
                return report.inconclusive(.aq069, "which acknowledgement was the last one is not certain")
            }
            return report.fail(
                .aq069, expected: "\(former) unsynced records or more before the last acknowledgement",
                observed: "\(count)", at: [transfer.start, event.moment])
        }
        guard let aborted else { return }
        self.aborted = nil
        if count >= aborted.former { return report.pass(.aq069) }
        let isElsewhere = aborted.connection != event.connection
        if isElsewhere, event.moment.seconds(since: aborted.moment) > Self.absence {
            return report.inconclusive(.aq069, "another client may have fetched records in the meantime")
        }
        report.fail(
            .aq069, expected: "\(aborted.former) unsynced records or more", observed: "\(count)",
            at: [aborted.moment, event.moment])
    }
}
