import Bytes
import PluginKit
import Profile

/// Number of unsynced records before and after transfers (sections 6.1 and 10.6).
struct CountRules: Rule {
    private let pucks: PuckTracker

    init(_ pucks: PuckTracker) {
        self.pucks = pucks
    }

    var rules: [RuleIndex] { [.aq042, .aq056, .aq069, .aq073, .aq304, .aq309] }
    var interests: Set<RuleInterest> {
        values(of: .syncControl, .command, .currentState).union([.subscriptions])
    }

    private var due = Expectations()
    /// Unsynced records expected after the last acknowledgement of a transfer.
    private var outcome: Outcome?
    /// Evaluations since the last START that show a new drink.
    private var drinks = 0
    /// DELETE commands since the last START: a puck may or may not count the deleted records as unsynced.
    private var deletions = 0
    private let transfers = PuckTransfers()
    /// A QUERY after which no status has been read yet.
    private var query: FrameReference?
    /// Whether a transfer or a gap may have changed the number since the last Current State.
    private var isUncertain = false
    /// Whether the history was cleared, which no notification reports.
    private var isCleared = false

    private struct Outcome {
        var completion: FrameReference
        /// Nil if the former number was not captured.
        var expected: Int?
        /// Whether Sync Control was read since.
        var isRead = false
    }

    private struct Aborted {
        var former: Int
        var moment: FrameReference
        /// Acknowledgements that complete it if it continues on a later connection; nil if unknown.
        var missing: Int?
    }

    /// Transfers of a puck. All instances of the rule for the puck share them, because a disconnection does not end a
    /// transfer.
    private final class PuckTransfers {
        /// A transfer that was started and not completed.
        var aborted: Aborted?
    }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        due.pass(to: event, &report)
        guard let puck = pucks[event] else { return }
        if event.closing != nil { abort(puck, event) }
        if event.isGap { recordGap() }
        if let request = event.syncRequest { handle(request, event, puck, &report) }
        if event.commandKind == .deleteDrink { deletions += 1 }
        if event.commandKind == .clearHistory {
            transfers.aborted = nil
            outcome = nil
            isCleared = true
        }
        if let state = event.state, let meaning = puck.meaning(of: event) {
            handle(state, meaning, event, puck, &report)
        }
        if event.isMalformedState, due.drop(.aq042) != nil {
            report.inconclusive(.aq042, "the Current State that came has another length")
        }
        if case .status(let status)? = event.puckValue { handle(status, event, puck, &report) }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        due.finish(at: end.time, &report)
    }

    /// Resets the state that the missing part may have changed.
    private mutating func recordGap() {
        outcome = nil
        query = nil
        isUncertain = true
    }

    private func abort(_ puck: PuckState, _ event: Event) {
        guard let transfer = puck.phase.transfer, let former = transfer.former, !transfer.mayBeComplete else { return }
        transfers.aborted = Aborted(
            former: former, moment: event.moment, missing: transfer.total.map { $0 - transfer.acknowledgements })
    }

    // MARK: - Requests

    private mutating func handle(
        _ request: SyncRequest, _ event: Event, _ puck: PuckState, _ report: inout RuleReport
    ) {
        isUncertain = true
        if request.isStart || request.isQuery { abort(puck, event) }
        if request.isStart || request.isAcknowledgement {
            query = nil
            outcome = nil
        }
        if request.isStart {
            drinks = 0
            deletions = 0
        }
        if request.isQuery { query = event.moment }
        guard request.isAcknowledgement else { return }
        guard let transfer = puck.phase.transfer else {
            if case .unknown = puck.phase { goOn() }
            return
        }
        guard transfer.total.map({ transfer.acknowledgements + 1 >= $0 }) == true else { return }
        transfers.aborted = nil
        checkSum(transfer, &report)
        outcome = Outcome(completion: event.moment, expected: transfer.remainder)
        switch event.isSubscribed(to: .currentState) {
        case true?:
            due.expect(
                .aq042, "Current State", by: .currentState, within: DeviceProfile.Time.push, from: event.moment)
        case nil: report.inconclusive(.aq042, "whether the client has subscribed was not captured")
        case false?: break
        }
    }

    /// Counts an acknowledgement for a transfer of an earlier connection: a disconnection does not end a transfer.
    private func goOn() {
        guard let missing = transfers.aborted?.missing, missing > 1 else {
            transfers.aborted = nil
            return
        }
        transfers.aborted?.missing = missing - 1
    }

    /// AQ-304
    private func checkSum(_ transfer: Transfer, _ report: inout RuleReport) {
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

    // MARK: - Reported numbers

    private mutating func handle(
        _ state: CurrentState, _ meaning: StateMeaning, _ event: Event, _ puck: PuckState, _ report: inout RuleReport
    ) {
        if !state.isBoot, meaning != .overtaken { checkAbort(state.unsynced, event, puck, &report) }
        guard event.isNotified else { return }
        if meaning == .evaluation, showsDrink(state, puck) { drinks += 1 }
        isUncertain = false
        for rule: RuleIndex in [.aq056, .aq309] where due.isWaiting(rule) != nil {
            _ = due.meet(rule, &report)
        }
        checkConfirmation(state.unsynced, meaning, event, puck, &report)
    }

    /// Whether a record was stored since the previous state or, for the first state, since the transfer began.
    private func showsDrink(_ state: CurrentState, _ puck: PuckState) -> Bool {
        guard let last = puck.state?.content else {
            return puck.phase.transfer?.former.map { state.unsynced > $0 } ?? false
        }
        if last.isPush(of: CurrentState()) { return false }
        return state.dailyTotal > last.dailyTotal || state.unsynced > last.unsynced
    }

    /// AQ-042: one correct notification is enough; an evaluation with another number may have been in flight.
    private mutating func checkConfirmation(
        _ count: Int, _ meaning: StateMeaning, _ event: Event, _ puck: PuckState, _ report: inout RuleReport
    ) {
        guard let outcome, let since = due.isWaiting(.aq042) else { return }
        guard let expected = outcome.expected else {
            due.drop(.aq042)
            return report.inconclusive(.aq042, "how many records were unsynced before was not captured")
        }
        if allowed(expected).contains(count) {
            _ = due.meet(.aq042, &report)
        } else if meaning == .push, puck.states.cause(at: event.moment) == since {
            due.drop(.aq042)
            report.fail(
                .aq042, expected: "\(expected) unsynced records", observed: "\(count)", at: [since, event.moment])
        } else {
            due.note(.aq042, "\(count) unsynced records, not \(expected)", at: event.moment)
        }
    }

    /// The expected number, plus up to the number of drinks reported since START.
    private func allowed(_ expected: Int) -> ClosedRange<Int> { expected...(expected + drinks) }

    private mutating func handle(
        _ status: SyncStatus, _ event: Event, _ puck: PuckState, _ report: inout RuleReport
    ) {
        checkAbort(status.count, event, puck, &report)
        if let moment = query {
            query = nil
            if status.status == .idle {
                report.pass(.aq073)
            } else {
                report.fail(
                    .aq073, expected: "status idle after QUERY", observed: "status \(status.status)",
                    at: [moment, event.moment])
            }
        }
        if let outcome, let expected = outcome.expected, !outcome.isRead {
            self.outcome?.isRead = true
            compare(
                status.count, with: allowed(expected), .aq309, "\(expected) unsynced records",
                since: outcome.completion, event, puck, &report)
        } else {
            checkSame(status.count, event, puck, &report)
        }
    }

    /// AQ-056: a number that Current State reported is valid until the next change, which Current State reports too.
    private mutating func checkSame(_ count: Int, _ event: Event, _ puck: PuckState, _ report: inout RuleReport) {
        guard let state = puck.notifiedState, !state.content.isBoot, puck.state?.moment == state.moment,
            event.isSubscribed(to: .currentState) == true, !isUncertain, !isCleared
        else { return }
        let attribute = state.content.unsynced
        compare(
            count, with: attribute...attribute, .aq056, "\(attribute), as Current State says", since: state.moment,
            event, puck,
            &report)
    }

    /// Compares a number with the allowed ones. One more record may be a drink that Current State is about to report.
    private mutating func compare(
        _ count: Int, with allowed: ClosedRange<Int>, _ rule: RuleIndex, _ expected: @autoclosure () -> String,
        since: FrameReference,
        _ event: Event, _ puck: PuckState, _ report: inout RuleReport
    ) {
        if allowed.contains(count) { return report.pass(rule) }
        if count == allowed.upperBound + 1, event.isSubscribed(to: .currentState) == true {
            return due.expect(
                rule, "\(expected()), or a Current State with one more unsynced record", by: .currentState,
                within: DeviceProfile.Time.drink, from: event.moment)
        }
        report.fail(rule, expected: expected(), observed: "\(count)", at: [since, event.moment])
    }

    /// AQ-069: for an aborted transfer, and for one whose chunks are not all acknowledged.
    private func checkAbort(_ count: Int, _ event: Event, _ puck: PuckState, _ report: inout RuleReport) {
        if let transfer = puck.phase.transfer, let former = transfer.former, count < former, transfers.aborted == nil {
            if count + deletions >= former {
                return report.inconclusive(.aq069, "records were deleted meanwhile")
            }
            if transfer.mayBeComplete {
                return report.inconclusive(.aq069, "which acknowledgement was the last one is not certain")
            }
            return report.fail(
                .aq069, expected: "\(former) unsynced records or more before the last acknowledgement",
                observed: "\(count)", at: [transfer.start, event.moment])
        }
        guard let aborted = transfers.aborted else { return }
        transfers.aborted = nil
        if count >= aborted.former { return report.pass(.aq069) }
        let isElsewhere = aborted.moment.connection != event.connection.number
        if isElsewhere, event.moment.seconds(since: aborted.moment) > DeviceProfile.Time.absence {
            return report.inconclusive(.aq069, "another client may have fetched records in the meantime")
        }
        report.fail(
            .aq069, expected: "\(aborted.former) unsynced records or more", observed: "\(count)",
            at: [aborted.moment, event.moment])
    }
}
