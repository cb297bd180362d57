import PluginKit
import Profile

/// How many records are unsynced, before and after transfers (sections 6.1 and 10.6).
struct CountRules: PuckRules {
    var rules: [RuleIndex] { [.aq042, .aq056, .aq069, .aq073, .aq304, .aq309] }
    var interests: Set<ConformanceInterest> {
        values(of: .syncControl, .command, .currentState).union([.subscriptions])
    }

    private var due = Expectations()
    /// Unsynced records that the last acknowledgement leaves.
    private var outcome = PerConnection<Outcome>()
    /// Drinks that were told since the last START: another number each time.
    private var drinks = PerConnection<Int>()
    /// A transfer that was begun and not completed.
    private var aborted: Aborted?
    /// A QUERY after which no status was read yet.
    private var query = PerConnection<Moment>()
    /// Connections in which a transfer has changed the number since Current State told it, and those in which the history
    /// was cleared, which nothing tells.
    private var uncertain: Set<Int> = []
    private var cleared: Set<Int> = []

    private struct Outcome {
        var completion: Moment
        /// Nil where the number before was not captured.
        var expected: Int?
        /// Sync Control was read since.
        var isRead = false
    }

    private struct Aborted {
        var former: Int
        var moment: Moment
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

    mutating func see(_ sight: Sight, _ report: inout JudgeReport) {
        due.pass(to: sight, &report)
        guard let link = sight.puck else { return }
        if sight.closing != nil || sight.isGap { leave(sight, link) }
        if let request = sight.syncRequest { take(request, sight, link, &report) }
        if sight.command?.kind == .clearHistory {
            aborted = nil
            outcome[sight.connection] = nil
            cleared.insert(sight.connection)
        }
        if let state = sight.state, let meaning = sight.meaning { take(state, meaning, sight, link, &report) }
        if case .status(let status)? = sight.value { take(status, sight, link, &report) }
    }

    mutating func withdraw(_ write: Moment) {
        due.withdraw(write)
        if outcome[write.connection]?.completion == write { outcome[write.connection] = nil }
        if query[write.connection] == write { query[write.connection] = nil }
        if aborted?.moment == write { aborted = nil }
    }

    mutating func finish(at time: Int64, _ report: inout JudgeReport) {
        due.finish(at: time, &report)
    }

    /// The connection ends, or something of it is missing.
    private mutating func leave(_ sight: Sight, _ link: PuckLink) {
        abort(link, sight)
        outcome[sight.connection] = nil
        query[sight.connection] = nil
        guard sight.closing != nil else {
            uncertain.insert(sight.connection)
            return
        }
        uncertain.remove(sight.connection)
        cleared.remove(sight.connection)
        drinks[sight.connection] = nil
    }

    private mutating func abort(_ link: PuckLink, _ sight: Sight) {
        guard let transfer = link.phase.transfer, let former = transfer.former, !sight.isGap else { return }
        aborted = Aborted(
            former: former, moment: sight.moment, connection: sight.connection,
            missing: transfer.total.map { $0 - transfer.acknowledgements })
    }

    // MARK: - Requests

    private mutating func take(
        _ request: SyncRequest, _ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport
    ) {
        uncertain.insert(sight.connection)
        if request.isStart || request.isQuery { abort(link, sight) }
        if request.isStart || request.isAcknowledgement {
            query[sight.connection] = nil
            outcome[sight.connection] = nil
        }
        if request.isStart { drinks[sight.connection] = 0 }
        if request.isQuery { query[sight.connection] = sight.moment }
        guard request.isAcknowledgement else { return }
        guard let transfer = link.phase.transfer else {
            if case .unknown = link.phase { goOn() }
            return
        }
        guard transfer.total.map({ transfer.acknowledgements + 1 >= $0 }) == true else { return }
        aborted = nil
        judgeSum(transfer, &report)
        outcome[sight.connection] = Outcome(completion: sight.moment, expected: transfer.remainder)
        switch link.isSubscribed(.currentState, sight.link) {
        case true?:
            due.expect(
                .aq042, "Current State", by: .currentState, within: Self.pushTime, from: sight.moment)
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
    private func judgeSum(_ transfer: Transfer, _ report: inout JudgeReport) {
        let total = transfer.total ?? 0
        if transfer.isDisturbed { return }
        if transfer.chunks < total {
            return report.inconclusive(.aq304, "not every chunk was captured")
        }
        if transfer.records <= transfer.request.count { return report.pass(.aq304) }
        report.fail(
            .aq304, expected: "\(transfer.request.count) records at most", observed: "\(transfer.records)",
            at: [transfer.start, transfer.last?.moment ?? report.moment], bytes: [])
    }

    // MARK: - Numbers that are told

    private mutating func take(
        _ state: CurrentState, _ meaning: StateMeaning, _ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport
    ) {
        if !state.isBoot, meaning != .overtaken { judgeAbort(state.unsynced, sight, link, &report) }
        guard sight.isNotified else { return }
        if meaning == .evaluation, let last = link.state?.content, !last.isPush(of: CurrentState()),
            state.dailyTotal > last.dailyTotal || state.unsynced > last.unsynced
        {
            drinks[sight.connection, default: 0] += 1
        }
        uncertain.remove(sight.connection)
        for rule: RuleIndex in [.aq056, .aq309] where due.isWaiting(rule, on: sight.connection) != nil {
            _ = due.meet(rule, on: sight.connection, &report)
        }
        judgeConfirmation(state.unsynced, meaning, sight, link, &report)
    }

    /// AQ-042: one right notification is enough, and an evaluation may have been on its way.
    private mutating func judgeConfirmation(
        _ count: Int, _ meaning: StateMeaning, _ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport
    ) {
        guard let outcome = outcome[sight.connection], let since = due.isWaiting(.aq042, on: sight.connection) else {
            return
        }
        guard let expected = outcome.expected else {
            due.drop(.aq042, on: sight.connection)
            return report.inconclusive(.aq042, "how many records were unsynced before was not captured")
        }
        if allowed(expected, sight).contains(count) {
            _ = due.meet(.aq042, on: sight.connection, &report)
        } else if meaning == .push, link.states.cause(at: sight.moment) == since {
            due.drop(.aq042, on: sight.connection)
            report.fail(
                .aq042, expected: "\(expected) unsynced records", observed: "\(count)", at: [since, sight.moment])
        } else {
            due.note(.aq042, "\(count) unsynced records, not \(expected)", at: sight.moment)
        }
    }

    /// So many records, or as many more as drinks have been told.
    private func allowed(_ expected: Int, _ sight: Sight) -> ClosedRange<Int> {
        expected...(expected + (drinks[sight.connection] ?? 0))
    }

    private mutating func take(
        _ status: SyncStatus, _ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport
    ) {
        judgeAbort(status.count, sight, link, &report)
        if let moment = query[sight.connection] {
            query[sight.connection] = nil
            if status.status == 0 {
                report.pass(.aq073)
            } else {
                report.fail(
                    .aq073, expected: "status idle after QUERY", observed: "status \(status.status)",
                    at: [moment, sight.moment])
            }
        }
        if let outcome = outcome[sight.connection], let expected = outcome.expected, !outcome.isRead {
            self.outcome[sight.connection]?.isRead = true
            compare(
                status.count, with: allowed(expected, sight), .aq309, "\(expected) unsynced records",
                since: outcome.completion, sight, link, &report)
        } else {
            judgeSame(status.count, sight, link, &report)
        }
    }

    /// AQ-056: a number that Current State has told holds until something changes it, which Current State tells too.
    private mutating func judgeSame(_ count: Int, _ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport) {
        guard let state = link.notifiedState, !state.content.isBoot, link.state?.moment == state.moment,
            link.isSubscribed(.currentState, sight.link) == true, !uncertain.contains(sight.connection),
            !cleared.contains(sight.connection)
        else { return }
        let told = state.content.unsynced
        compare(
            count, with: told...told, .aq056, "\(told), as Current State says", since: state.moment, sight, link,
            &report)
    }

    /// One more than is known may be a drink that Current State is about to tell.
    private mutating func compare(
        _ count: Int, with allowed: ClosedRange<Int>, _ rule: RuleIndex, _ expected: String, since: Moment,
        _ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport
    ) {
        if allowed.contains(count) { return report.pass(rule) }
        if count == allowed.upperBound + 1, link.isSubscribed(.currentState, sight.link) == true {
            return due.expect(
                rule, "\(expected), or a Current State that tells of one more", by: .currentState,
                within: Self.drinkTime, from: sight.moment)
        }
        report.fail(rule, expected: expected, observed: "\(count)", at: [since, sight.moment])
    }

    /// AQ-069: of a transfer that was given up, and of one whose chunks are not all acknowledged.
    private mutating func judgeAbort(
        _ count: Int, _ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport
    ) {
        if let transfer = link.phase.transfer, let former = transfer.former, count < former, aborted == nil {
            return report.fail(
                .aq069, expected: "\(former) unsynced records or more before the last acknowledgement",
                observed: "\(count)", at: [transfer.start, sight.moment])
        }
        guard let aborted else { return }
        self.aborted = nil
        if count >= aborted.former { return report.pass(.aq069) }
        let isElsewhere = aborted.connection != sight.connection
        if isElsewhere, sight.moment.seconds(since: aborted.moment) > Self.absence {
            return report.inconclusive(.aq069, "another client may have fetched records in the meantime")
        }
        report.fail(
            .aq069, expected: "\(aborted.former) unsynced records or more", observed: "\(count)",
            at: [aborted.moment, sight.moment])
    }
}
