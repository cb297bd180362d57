import PluginKit

/// How many records are unsynced, before and after transfers (sections 6.1 and 10.6).
struct CountRules: PuckRules {
    var rules: [String] { ["AQ-042", "AQ-056", "AQ-069", "AQ-073", "AQ-304", "AQ-309"] }
    var interests: Set<ConformanceInterest> { values(of: "sync_control", "command", "current_state") }

    private var due = Expectations()
    /// Unsynced records that the last acknowledgement leaves, and drinks that came in the meantime.
    private var outcome = PerConnection<Outcome>()
    /// A transfer that was begun and not completed.
    private var aborted: Aborted?
    /// A QUERY after which no status was read yet.
    private var query = PerConnection<Moment>()
    /// Connections in which something that changes the number was asked for, since Current State told it.
    private var uncertain: Set<Int> = []

    private struct Outcome {
        var completion: Moment
        /// Nil where the number before was not captured.
        var expected: Int?
        /// Grown daily total: a new drink each time.
        var drinks = 0
        var isTold = false
    }

    private struct Aborted {
        var former: Int
        var moment: Moment
        var connection: Int
    }

    /// Seconds within which Current State follows the last acknowledgement.
    private static let pushTime = 10.0
    /// Seconds after which another client may have fetched records unseen.
    private static let absence = 30.0

    mutating func see(_ sight: Sight, _ report: inout JudgeReport) {
        due.pass(to: sight, &report)
        guard let link = sight.puck else { return }
        if sight.closing != nil || sight.isGap { leave(sight, link) }
        if let request = sight.syncRequest { take(request, sight, link, &report) }
        switch sight.command?.kind {
        case .clearHistory?:
            aborted = nil
            outcome[sight.connection] = nil
            uncertain.insert(sight.connection)
        default: break
        }
        if let state = sight.state { take(state, sight, link, &report) }
        if case .status(let status)? = sight.value { take(status, sight, link, &report) }
    }

    mutating func finish(at time: Int64, _ report: inout JudgeReport) {
        due.finish(at: time, &report)
    }

    /// The connection ends, or something of it is missing.
    private mutating func leave(_ sight: Sight, _ link: PuckLink) {
        abort(link, sight)
        outcome[sight.connection] = nil
        query[sight.connection] = nil
        if sight.closing != nil { uncertain.remove(sight.connection) } else { uncertain.insert(sight.connection) }
    }

    private mutating func abort(_ link: PuckLink, _ sight: Sight) {
        guard let transfer = link.phase.transfer, let former = transfer.former, !sight.isGap else { return }
        aborted = Aborted(former: former, moment: sight.moment, connection: sight.connection)
    }

    // MARK: - Requests

    private mutating func take(
        _ request: SyncRequest, _ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport
    ) {
        uncertain.insert(sight.connection)
        if request.isStart { abort(link, sight) }
        if request.isStart || request.isAcknowledgement {
            query[sight.connection] = nil
            outcome[sight.connection] = nil
        }
        if request.isQuery {
            abort(link, sight)
            query[sight.connection] = sight.moment
        }
        guard request.isAcknowledgement, let transfer = link.phase.transfer,
            transfer.total.map({ transfer.acknowledgements + 1 >= $0 }) == true
        else { return }
        aborted = nil
        judgeSum(transfer, &report)
        outcome[sight.connection] = Outcome(
            completion: sight.moment, expected: transfer.former.map { max(0, $0 - transfer.records) })
        switch link.isSubscribed("current_state", sight.link) {
        case true?: due.expect("AQ-042", "Current State", within: Self.pushTime, from: sight.moment)
        case nil: report.inconclusive("AQ-042", "whether the client has subscribed was not captured")
        case false?: break
        }
    }

    /// AQ-304
    private func judgeSum(_ transfer: Transfer, _ report: inout JudgeReport) {
        let total = transfer.total ?? 0
        if transfer.chunks < total {
            return report.inconclusive("AQ-304", "not every chunk was captured")
        }
        if transfer.records <= transfer.request.count { return report.pass("AQ-304") }
        report.fail(
            "AQ-304", expected: "\(transfer.request.count) records at most", observed: "\(transfer.records)",
            at: [transfer.start, transfer.last?.moment ?? report.moment], bytes: [])
    }

    // MARK: - Numbers that are told

    private mutating func take(
        _ state: CurrentState, _ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport
    ) {
        if state.isBoot { return }
        judgeAbort(state.unsynced, sight, &report)
        guard sight.isNotified else { return }
        uncertain.remove(sight.connection)
        guard var outcome = outcome[sight.connection] else { return }
        if let last = link.state?.content, state.dailyTotal > last.dailyTotal { outcome.drinks += 1 }
        defer { self.outcome[sight.connection] = outcome }
        guard let since = due.drop("AQ-042", on: sight.connection) else { return }
        outcome.isTold = true
        guard let expected = outcome.expected else {
            return report.inconclusive("AQ-042", "how many records were unsynced before was not captured")
        }
        if (expected...(expected + outcome.drinks)).contains(state.unsynced) { return report.pass("AQ-042") }
        report.fail(
            "AQ-042", expected: "\(expected) unsynced records", observed: "\(state.unsynced)",
            at: [since, sight.moment])
    }

    private mutating func take(
        _ status: SyncStatus, _ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport
    ) {
        judgeAbort(status.count, sight, &report)
        if let moment = query[sight.connection] {
            query[sight.connection] = nil
            if status.status == 0 {
                report.pass("AQ-073")
            } else {
                report.fail(
                    "AQ-073", expected: "status idle after QUERY", observed: "status \(status.status)",
                    at: [moment, sight.moment])
            }
        }
        if let outcome = outcome[sight.connection], let expected = outcome.expected {
            self.outcome[sight.connection] = nil
            if (expected...(expected + outcome.drinks)).contains(status.count) {
                report.pass("AQ-309")
            } else {
                report.fail(
                    "AQ-309", expected: "\(expected) unsynced records", observed: "\(status.count)",
                    at: [outcome.completion, sight.moment])
            }
        } else {
            judgeSame(status.count, sight, link, &report)
        }
    }

    /// AQ-056: a number that Current State has told holds until something changes it, which Current State tells too.
    private func judgeSame(_ count: Int, _ sight: Sight, _ link: PuckLink, _ report: inout JudgeReport) {
        guard let state = link.notifiedState, !state.content.isBoot, link.state?.moment == state.moment,
            link.isSubscribed("current_state", sight.link) == true, !uncertain.contains(sight.connection)
        else { return }
        if count == state.content.unsynced { return report.pass("AQ-056") }
        report.fail(
            "AQ-056", expected: "\(state.content.unsynced), as Current State says", observed: "\(count)",
            at: [state.moment, sight.moment])
    }

    /// AQ-069
    private mutating func judgeAbort(_ count: Int, _ sight: Sight, _ report: inout JudgeReport) {
        guard let aborted else { return }
        self.aborted = nil
        if count >= aborted.former { return report.pass("AQ-069") }
        let isElsewhere = aborted.connection != sight.connection
        if isElsewhere, sight.moment.seconds(since: aborted.moment) > Self.absence {
            return report.inconclusive("AQ-069", "another client may have fetched records in the meantime")
        }
        report.fail(
            "AQ-069", expected: "\(aborted.former) unsynced records or more", observed: "\(count)",
            at: [aborted.moment, sight.moment])
    }
}
