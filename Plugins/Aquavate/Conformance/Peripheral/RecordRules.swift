import Bytes
import PluginKit
import Profile

/// Contents of drink records, each on its own and in their order (sections 4.5 and 7.2).
struct RecordRules: Rule {
    private let pucks: PuckTracker
    private let history = RecordHistory()

    init(_ pucks: PuckTracker) {
        self.pucks = pucks
    }

    var rules: [RuleIndex] {
        [.aq063, .aq064, .aq065, .aq066, .aq067, .aq068, .aq071, .aq072, .aq308, .aq310]
    }
    var interests: Set<RuleInterest> { values(of: .syncControl, .command, .currentState, .drinkData) }

    /// The last record of the transfer in progress.
    private var last: DrinkRecord?
    /// IDs of all records of the transfer in progress.
    private var transferred: [Int] = []
    /// Whether the transfer may contain records from before the last CLEAR_HISTORY.
    private var isOfCleared = false

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        let puck = pucks[event]
        if !event.connection.isGapless || event.syncRequest?.isStart == true { (last, transferred) = (nil, []) }
        note(event)
        if let state = event.state, state.flags.timeValid, puck?.meaning(of: event) == .evaluation {
            history.offset = ((Double(state.timestamp) - event.moment.time.seconds) / 3600).rounded()
        }
        if event.syncRequest?.isAcknowledgement == true, let transfer = puck?.phase.transfer, transfer.isLastDue {
            // In a disturbed transfer, it is uncertain which chunk was the last one.
            if !transfer.isDisturbed { history.markSynced(transferred) }
            transferred = []
        }
        guard let chunk = event.notifiedChunk else { return }
        // A chunk of the previous transfer may arrive among those of this one.
        if let straggler = puck?.straggler, event.moment.seconds(since: straggler) <= DeviceProfile.Time.chunk {
            last = nil
        }
        let isStraggler = puck?.isStraggler(chunk, at: event.moment) ?? false
        for record in chunk.records ?? [] {
            check(record, &report)
            checkOrder(record, &report)
            checkTime(record, event, &report)
            checkHistory(record, isStraggler: isStraggler, event, &report)
        }
    }

    /// Records the client's CLEAR_HISTORY and START.
    private mutating func note(_ event: Event) {
        if event.commandKind == .clearHistory {
            history.removeRecords()
            history.cleared = event.moment
            isOfCleared = true
        }
        guard event.syncRequest?.isStart == true else { return }
        isOfCleared = history.cleared.map { event.moment.seconds(since: $0) <= DeviceProfile.Time.service } ?? false
    }

    // MARK: - One record

    private func check(_ record: DrinkRecord, _ report: inout RuleReport) {
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
    private func checkTime(_ record: DrinkRecord, _ event: Event, _ report: inout RuleReport) {
        let now = event.moment.time.seconds
        let ahead = Double(record.timestamp) - now - (history.offset ?? 0) * 3600
        if ahead <= 120 { return report.pass(.aq308) }
        guard event.moment.isTimeOfDay else {
            return report.inconclusive(.aq308, "the time of day is unknown")
        }
        guard history.offset != nil || ahead > 14 * 3600 + 120 else {
            return report.inconclusive(.aq308, "how far the puck's clock is from UTC was not told")
        }
        report.fail(
            .aq308, expected: "a time that is not in the future",
            observed: "record \(record.recordId): \(ahead.secondsText) ahead")
    }

    // MARK: - Records of a transfer

    /// AQ-063, AQ-068
    private mutating func checkOrder(_ record: DrinkRecord, _ report: inout RuleReport) {
        defer { last = record }
        let before = last
        let least = (before?.recordId ?? 0) + 1
        verdict(.aq063, record.recordId >= least, record, "ID \(least) or more", "\(record.recordId)", &report)
        guard let before else { return }
        if record.timestamp < before.timestamp, let clockSet = pucks.clockSet, record.timestamp >= clockSet {
            return report.inconclusive(.aq068, "the clock may have been set back between the two records")
        }
        verdict(
            .aq068, record.timestamp >= before.timestamp, record, "time \(before.timestamp) or later",
            "\(record.timestamp)", &report)
    }

    // MARK: - Earlier records

    /// AQ-071, AQ-072, AQ-310
    private mutating func checkHistory(
        _ record: DrinkRecord, isStraggler: Bool, _ event: Event, _ report: inout RuleReport
    ) {
        if !isStraggler, transferred.count < RecordHistory.limit { transferred.append(record.recordId) }
        if isOfCleared { return }
        guard let before = history.known[record.recordId] else { return history.add(record, at: event.moment) }
        let moments = [before.moment, event.moment]
        guard before.record.timestamp == record.timestamp else {
            guard before.moment.connection == event.connection.number else {
                // IDs restart for all records.
                history.removeRecords()
                history.add(record, at: event.moment)
                return report.inconclusive(.aq072, "another client may have cleared the history since")
            }
            report.fail(
                .aq072, expected: "record \(record.recordId) of \(before.record.timestamp)",
                observed: "another one of \(record.timestamp)", at: moments)
            history.replace(record, at: event.moment)
            return
        }
        history.known[record.recordId]?.moment = event.moment
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
}

/// Records and clock of a puck. All instances of `RecordRules` for the puck share them.
private final class RecordHistory {
    struct Known {
        var record: DrinkRecord
        var moment: FrameReference
        /// Whether a transfer that contained it was completed.
        var isSynced = false
    }

    /// Records by ID.
    var known = SortedMap<Int, Known>()
    /// IDs in the order of their arrival.
    private var order: [Int] = []
    /// The last CLEAR_HISTORY. The puck executes it with a delay, and a START before that transfers old records.
    var cleared: FrameReference?
    /// Whole hours by which the puck's clock is ahead of UTC, as evaluations show.
    var offset: Double?

    /// Maximum number of stored records: more than the capacity of a puck (600).
    static let limit = 1024

    /// Adds a record with a new ID.
    func add(_ record: DrinkRecord, at moment: FrameReference) {
        if order.count >= Self.limit { known.removeValue(forKey: order.removeFirst()) }
        order.append(record.recordId)
        replace(record, at: moment)
    }

    /// Replaces the record of the same ID.
    func replace(_ record: DrinkRecord, at moment: FrameReference) {
        known[record.recordId] = Known(record: record, moment: moment)
    }

    func markSynced(_ ids: [Int]) {
        for id in ids { known.update(id) { $0.isSynced = true } }
    }

    func removeRecords() { (known, order) = (SortedMap(), []) }
}

extension DrinkRecord {
    fileprivate func isSame(as other: DrinkRecord) -> Bool {
        amount == other.amount && levelAfter == other.levelAfter && type == other.type
    }

    /// One line of text, for diagnostics.
    fileprivate var text: String { "record \(recordId): \(amount) ml, level \(levelAfter), type \(type)" }
}
