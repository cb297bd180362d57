import Bytes
import PluginKit
import Profile

/// Number of pending records, and their transfer to a client.
struct PRDCountRules: Rule {
    private let pucks: PuckTracker

    init(_ pucks: PuckTracker) {
        self.pucks = pucks
    }

    var rules: [RuleIndex] { [.aq307, .aq309, .aq510, .aq524] }
    var interests: Set<RuleInterest> { values(of: .syncStatus, .drinkHistory) }

    private let pending = PendingRecords()
    private var due = Expectations()

    /// Pending records of a puck. All instances of the rule for the puck share them.
    private final class PendingRecords {
        /// IDs of records that were delivered and not acknowledged.
        var open: Set<Int> = []
        /// The highest ID that was read.
        var highestRead = 0
        var count: Count?
        /// The end of the last connection.
        var closed: FrameReference?
    }

    /// The last Sync Status read, and the changes since then.
    private struct Count {
        var number: Int
        var moment: FrameReference
        /// Records acknowledged since.
        var acknowledged = 0
        /// Records notified since.
        var stored = 0
        /// Whether the capture contains a notification of every new record.
        var isWatched: Bool
    }

    private static let limit = 1024
    /// Seconds within which the client reads pending records.
    private static let readTime = 10.0

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        let puck = pucks[event]
        due.pass(to: event, &report)
        if event.isGap { pending.count = nil }
        if event.closing != nil {
            pending.closed = event.moment
            pending.count?.isWatched = false
        }
        if event.isOpening, let closed = pending.closed,
            event.moment.seconds(since: closed) > DeviceProfile.Time.absence
        {
            pending.count = nil
        }
        switch event.puckValue {
        case .pending(let count): handle(count, event, puck, &report)
        case .acknowledgement(let id): acknowledge(id, &report)
        case .history(let records): handle(records, event, &report)
        default:
            // A Drink History of the wrong length (AQ-074) was read, but has no records to acknowledge.
            guard event.isRead, event.value?.characteristic == .drinkHistory else { return }
            due.drop(.aq307)
        }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        due.finish(at: end.time, &report)
    }

    // MARK: - The number

    /// AQ-309, AQ-510
    private mutating func handle(
        _ count: Int, _ event: Event, _ puck: PuckState?, _ report: inout RuleReport
    ) {
        if let former = pending.count { check(count, former, event, &report) }
        let isWatched = event.isSubscribed(to: .drinkHistory) == true && event.connection.isGapless
        pending.count = Count(number: count, moment: event.moment, isWatched: isWatched)
        if count == 0 {
            due.drop(.aq307)
            pending.open = []
        } else if due.isWaiting(.aq307) == nil {
            due.expect(.aq307, "a read of Drink History", within: Self.readTime, from: event.moment)
        }
    }

    private mutating func check(_ count: Int, _ former: Count, _ event: Event, _ report: inout RuleReport) {
        let rule: RuleIndex = former.acknowledged > 0 ? .aq309 : .aq510
        let least = max(0, former.number - former.acknowledged)
        let most = former.isWatched && former.acknowledged > 0 ? least + former.stored : Int.max
        if (least...most).contains(count) { return report.pass(rule) }
        if former.isWatched, former.acknowledged > 0, count == most + 1 {
            return due.expect(
                rule, "\(most) pending records, or a record that is notified", by: .drinkHistory,
                within: DeviceProfile.Time.drink, from: event.moment)
        }
        let expected = former.acknowledged > 0 ? "\(least) pending records" : "\(least) pending records or more"
        report.fail(rule, expected: expected, observed: "\(count)", at: [former.moment, event.moment])
    }

    private mutating func acknowledge(_ id: Int, _ report: inout RuleReport) {
        _ = due.meet(.aq524, &report)
        let ids = pending.open.filter { $0 <= id }
        pending.open.subtract(ids)
        pending.count?.acknowledged += ids.count
        // The acknowledgement may cover records that were not read.
        if id > pending.highestRead { pending.count = nil }
    }

    // MARK: - Records

    /// AQ-307, AQ-524
    private mutating func handle(_ records: [PRDRecord], _ event: Event, _ report: inout RuleReport) {
        if pending.open.count + records.count <= Self.limit { pending.open.formUnion(records.map(\.recordId)) }
        guard event.isRead else {
            if due.meet(.aq309, &report) == nil { pending.count?.stored += records.count }
            return
        }
        _ = due.meet(.aq307, &report)
        guard let last = records.map(\.recordId).max() else { return }
        pending.highestRead = max(pending.highestRead, last)
        if due.isWaiting(.aq524) == nil {
            due.expect(.aq524, "an acknowledgement", within: DeviceProfile.Time.acknowledgement, from: event.moment)
        }
    }
}
