import PluginKit
import Profile

/// How many records are pending, and how a client fetches them.
struct RequiredCountRules: PuckRules {
    var rules: [RuleIndex] { [.aq307, .aq309, .aq510, .aq524] }
    var interests: Set<ConformanceInterest> { values(of: .syncStatus, .drinkHistory) }

    private var due = Expectations()
    /// Records that were delivered and not acknowledged, and the highest ID that was read.
    private var open: Set<Int> = []
    private var highestRead = 0
    private var told: Count?
    /// The end of the last connection.
    private var closed: Moment?

    /// Sync Status as it was read last, and what has changed it since then.
    private struct Count {
        var number: Int
        var moment: Moment
        var acknowledged = 0
        var stored = 0
        /// Every new record would have been notified.
        var isWatched: Bool
    }

    private static let limit = 1024
    /// Seconds within which pending records are asked for, and read ones acknowledged.
    private static let readTime = 10.0
    /// Seconds within which a record is notified that a read has counted.
    private static let drinkTime = 2.0
    private static let acknowledgementTime = 30.0
    /// Seconds after which another client may have fetched records unseen.
    private static let absence = 30.0

    mutating func see(_ sight: Sight, _ report: inout JudgeReport) {
        due.pass(to: sight, &report)
        if sight.isGap { told = nil }
        if sight.closing != nil {
            closed = sight.moment
            told?.isWatched = false
        }
        if case .opened = sight.event.content, let closed, sight.moment.seconds(since: closed) > Self.absence {
            told = nil
        }
        switch sight.value {
        case .pending(let count): take(count, sight, &report)
        case .acknowledgement(let id): acknowledge(id, sight, &report)
        case .history(let records): take(records, sight, &report)
        default: return
        }
    }

    mutating func finish(at time: Int64, _ report: inout JudgeReport) {
        due.finish(at: time, &report)
    }

    // MARK: - The number

    /// AQ-309, AQ-510
    private mutating func take(_ count: Int, _ sight: Sight, _ report: inout JudgeReport) {
        if let told { judge(count, told, sight, &report) }
        let isWatched = sight.puck?.isSubscribed(.drinkHistory, sight.link) == true && sight.link.isGapless
        told = Count(number: count, moment: sight.moment, isWatched: isWatched)
        if count == 0 {
            due.drop(.aq307, on: sight.connection)
            open = []
        } else if due.isWaiting(.aq307, on: sight.connection) == nil {
            due.expect(.aq307, "a read of Drink History", within: Self.readTime, from: sight.moment)
        }
    }

    private mutating func judge(_ count: Int, _ told: Count, _ sight: Sight, _ report: inout JudgeReport) {
        let rule: RuleIndex = told.acknowledged > 0 ? .aq309 : .aq510
        let least = max(0, told.number - told.acknowledged)
        let most = told.isWatched && told.acknowledged > 0 ? least + told.stored : Int.max
        if (least...most).contains(count) { return report.pass(rule) }
        if told.isWatched, told.acknowledged > 0, count == most + 1 {
            return due.expect(
                rule, "\(most) pending records, or a record that is notified", by: .drinkHistory,
                within: Self.drinkTime, from: sight.moment)
        }
        let expected = told.acknowledged > 0 ? "\(least) pending records" : "\(least) pending records or more"
        report.fail(rule, expected: expected, observed: "\(count)", at: [told.moment, sight.moment])
    }

    private mutating func acknowledge(_ id: Int, _ sight: Sight, _ report: inout JudgeReport) {
        _ = due.meet(.aq524, on: sight.connection, &report)
        let ids = open.filter { $0 <= id }
        open.subtract(ids)
        told?.acknowledged += ids.count
        // Records that were not read may be among those.
        if id > highestRead { told = nil }
    }

    // MARK: - Records

    /// AQ-307, AQ-524
    private mutating func take(_ records: [RequiredRecord], _ sight: Sight, _ report: inout JudgeReport) {
        if open.count + records.count <= Self.limit { open.formUnion(records.map(\.recordId)) }
        guard sight.isRead else {
            if due.meet(.aq309, on: sight.connection, &report) == nil { told?.stored += records.count }
            return
        }
        _ = due.meet(.aq307, on: sight.connection, &report)
        guard let last = records.map(\.recordId).max() else { return }
        highestRead = max(highestRead, last)
        if due.isWaiting(.aq524, on: sight.connection) == nil {
            due.expect(.aq524, "an acknowledgement", within: Self.acknowledgementTime, from: sight.moment)
        }
    }
}
