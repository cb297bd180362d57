import Bytes
import PluginKit
import Profile

/// What records of drinks say, each by itself and one after the other (sections 4.5 and 7.2).
struct RecordRules: PuckRule {
    var rules: [RuleIndex] {
        [.aq063, .aq064, .aq065, .aq066, .aq067, .aq068, .aq071, .aq072, .aq308, .aq310]
    }
    var interests: Set<RuleInterest> { values(of: .syncControl, .command, .currentState, .drinkData) }

    private struct Known {
        var record: DrinkRecord
        var moment: FrameReference
        /// Whether a transfer that brought it was completed.
        var isSynced = false
    }

    /// Records by their IDs, and the IDs in the order in which they came.
    private var known = SortedMap<Int, Known>()
    private var order: [Int] = []
    /// The last record of the transfer under way, and all IDs of it.
    private var last = PerConnection<DrinkRecord>()
    private var transferred = PerConnection<[Int]>()
    /// What the clock was first set to: records of later times may have been stored by a clock that was ahead.
    private var clockSet: Int?
    /// The last CLEAR_HISTORY. It is served in the puck's own time, and a START before that brings records of before.
    private var cleared: FrameReference?
    /// Connections with a transfer of which it is not known whether it is of before.
    private var isOfCleared = SortedSet<Int>()
    /// Whole hours that the puck's clock is ahead of UTC, as Current State tells.
    private var offset: Double?

    /// Records that are remembered: as many as a puck stores, and some more.
    private static let limit = 1024
    /// Seconds within which a chunk of a transfer that has ended may come, and a command is served.
    private static let crossingTime = 5.0
    private static let serviceTime = 8.0

    mutating func see(_ event: PuckEvent, on link: PuckLink?, _ report: inout RuleReport) {
        if event.closing != nil || !event.link.isGapless || event.syncRequest?.isStart == true {
            last[event.connection] = nil
            transferred[event.connection] = nil
        }
        note(event)
        if let state = event.state, state.flags.timeValid, event.meaning == .evaluation {
            offset = ((Double(state.timestamp) - event.moment.time.seconds) / 3600).rounded()
        }
        if event.syncRequest?.isAcknowledgement == true, let transfer = link?.phase.transfer,
            transfer.isLastDue
        {
            // Of one that is disturbed, which chunk was the last is not certain.
            let ids = transfer.isDisturbed ? [] : transferred[event.connection] ?? []
            for id in ids { known.update(id) { $0.isSynced = true } }
            transferred[event.connection] = nil
        }
        guard let chunk = event.notifiedChunk else { return }
        // A chunk of the transfer before may come amid those of this one.
        if let straggler = link?.straggler, event.moment.seconds(since: straggler) <= Self.crossingTime {
            last[event.connection] = nil
        }
        let isStraggler = link?.isStraggler(chunk, at: event.moment) ?? false
        for record in chunk.records ?? [] {
            judge(record, &report)
            judgeOrder(record, event.connection, &report)
            judgeTime(record, event, &report)
            judgeHistory(record, isStraggler: isStraggler, event, &report)
        }
    }

    /// Takes in what the client commands.
    private mutating func note(_ event: PuckEvent) {
        switch event.commandKind {
        case .clearHistory?:
            (known, order) = (SortedMap(), [])
            cleared = event.moment
            isOfCleared.insert(event.connection)
        case .setTime?: if clockSet == nil { clockSet = event.command?.time.map { Int($0) } }
        default: break
        }
        if event.closing != nil { isOfCleared.remove(event.connection) }
        guard event.syncRequest?.isStart == true else { return }
        if let cleared, event.moment.seconds(since: cleared) <= Self.serviceTime {
            isOfCleared.insert(event.connection)
        } else {
            isOfCleared.remove(event.connection)
        }
    }

    // MARK: - One record

    private func judge(_ record: DrinkRecord, _ report: inout RuleReport) {
        let isPour = record.amount >= 100
        verdict(
            .aq064, record.amount >= 30 && record.type == (isPour ? .pour : .gulp), record,
            "30 ml or more, type \(isPour ? "pour" : "gulp")", "\(record.amount) ml, type \(record.type.rawValue)",
            &report)
        verdict(.aq065, record.amount <= 1100, record, "1100 ml at most", "\(record.amount) ml", &report)
        verdict(
            .aq066, (-50...1000).contains(record.levelAfter), record, "a level of -50 to 1000 ml",
            "\(record.levelAfter) ml", &report)
        verdict(
            .aq067, !record.flags.synced && !record.flags.deleted, record, "neither synced nor deleted",
            record.flags.synced ? "synced" : "deleted", &report)
        if record.flags.dayBoundary {
            verdict(.aq068, false, record, "no other flags", "day_boundary", &report)
        }
    }

    private func verdict(
        _ rule: RuleIndex, _ isObeyed: Bool, _ record: DrinkRecord, _ expected: @autoclosure () -> String,
        _ observed: @autoclosure () -> String, _ report: inout RuleReport
    ) {
        if isObeyed { return report.pass(rule) }
        report.fail(rule, expected: expected(), observed: "record \(record.recordId): \(observed())")
    }

    /// AQ-308
    private func judgeTime(_ record: DrinkRecord, _ event: PuckEvent, _ report: inout RuleReport) {
        let now = event.moment.time.seconds
        let ahead = Double(record.timestamp) - now - (offset ?? 0) * 3600
        if ahead <= 120 { return report.pass(.aq308) }
        guard event.moment.isTimeOfDay else {
            return report.inconclusive(.aq308, "the time of day is unknown")
        }
        guard offset != nil || ahead > 14 * 3600 + 120 else {
            return report.inconclusive(.aq308, "how far the puck's clock is from UTC was not told")
        }
        report.fail(
            .aq308, expected: "a time that is not in the future",
            observed: "record \(record.recordId): \(ahead.secondsText) ahead")
    }

    // MARK: - Records of a transfer

    /// AQ-063, AQ-068
    private mutating func judgeOrder(_ record: DrinkRecord, _ connection: Int, _ report: inout RuleReport) {
        defer { last[connection] = record }
        let before = last[connection]
        let least = (before?.recordId ?? 0) + 1
        verdict(.aq063, record.recordId >= least, record, "ID \(least) or more", "\(record.recordId)", &report)
        guard let before else { return }
        if record.timestamp < before.timestamp, let clockSet, record.timestamp >= clockSet {
            return report.inconclusive(.aq068, "the clock may have been set back between the two records")
        }
        verdict(
            .aq068, record.timestamp >= before.timestamp, record, "time \(before.timestamp) or later",
            "\(record.timestamp)", &report)
    }

    // MARK: - Records that came before

    /// AQ-071, AQ-072, AQ-310
    private mutating func judgeHistory(
        _ record: DrinkRecord, isStraggler: Bool, _ event: PuckEvent, _ report: inout RuleReport
    ) {
        if !isStraggler, transferred[event.connection, default: []].count < Self.limit {
            transferred[event.connection, default: []].append(record.recordId)
        }
        if isOfCleared.contains(event.connection) { return }
        guard let before = known[record.recordId] else { return remember(record, event.moment) }
        let moments = [before.moment, event.moment]
        guard before.record.timestamp == record.timestamp else {
            guard before.moment.connection == event.connection else {
                // IDs begin anew for all records.
                (known, order) = (SortedMap(), [])
                remember(record, event.moment)
                return report.inconclusive(.aq072, "another client may have cleared the history since")
            }
            report.fail(
                .aq072, expected: "record \(record.recordId) of \(before.record.timestamp)",
                observed: "another one of \(record.timestamp)", at: moments)
            known[record.recordId] = Known(record: record, moment: event.moment)
            return
        }
        known[record.recordId]?.moment = event.moment
        report.pass(.aq072)
        if before.isSynced {
            report.fail(
                .aq071, expected: "no record that was acknowledged", observed: "record \(record.recordId) again",
                at: moments)
        } else {
            report.pass(.aq071)
        }
        if before.record.isSame(as: record) { return report.pass(.aq310) }
        report.fail(
            .aq310, expected: before.record.text, observed: record.text, at: moments)
    }

    private mutating func remember(_ record: DrinkRecord, _ moment: FrameReference) {
        if order.count >= Self.limit { known.removeValue(forKey: order.removeFirst()) }
        order.append(record.recordId)
        known[record.recordId] = Known(record: record, moment: moment)
    }
}

extension DrinkRecord {
    fileprivate func isSame(as other: DrinkRecord) -> Bool {
        amount == other.amount && levelAfter == other.levelAfter && type == other.type
    }

    /// In a line, for findings.
    fileprivate var text: String { "record \(recordId): \(amount) ml, level \(levelAfter), type \(type)" }
}
