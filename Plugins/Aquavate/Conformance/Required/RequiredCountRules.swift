import Bytes
import PluginKit
import Profile

/// How many records are pending, and how a client fetches them.
struct RequiredCountRules: PuckRule {
    var rules: [RuleIndex] { [.aq307, .aq309, .aq510, .aq524] }
    var interests: Set<RuleInterest> { values(of: .syncStatus, .drinkHistory) }

    private var due = Expectations()
    /// Records that were delivered and not acknowledged, and the highest ID that was read.
    private var open: Set<Int> = []
    private var highestRead = 0
    private var attribute: Count?
    /// The end of the last connection.
    private var closed: FrameReference?

    /// Sync Status as it was read last, and what has changed it since then.
    private struct Count {
        var number: Int
        var moment: FrameReference
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

    mutating func see(_ event: PuckEvent, on link: PuckLink?, _ report: inout RuleReport) {
        due.pass(to: event, &report)
        if event.isGap { attribute = nil }
        if event.closing != nil {
            closed = event.moment
            attribute?.isWatched = false
        }
        if case .opened = event.content, let closed, event.moment.seconds(since: closed) > Self.absence {
            attribute = nil
        }
        switch event.value {
        case .pending(let count): take(count, event, link, &report)
        case .acknowledgement(let id): acknowledge(id, event, &report)
        case .history(let records): take(records, event, &report)
        default:
            // A history of another length (AQ-074) was asked for, and is nothing that can be acknowledged.
            guard event.isRead, event.attribute?.characteristic == .drinkHistory else { return }
            due.drop(.aq307, on: event.connection)
        }
    }

    mutating func finish(at time: Timestamp, _ report: inout RuleReport) {
        due.finish(at: time, &report)
    }

    // MARK: - The number

    /// AQ-309, AQ-510
    private mutating func take(
        _ count: Int, _ event: PuckEvent, _ link: PuckLink?, _ report: inout RuleReport
    ) {
        if let attribute { judge(count, attribute, event, &report) }
        let isWatched = link?.isSubscribed(.drinkHistory, event.link) == true && event.link.isGapless
        attribute = Count(number: count, moment: event.moment, isWatched: isWatched)
        if count == 0 {
            due.drop(.aq307, on: event.connection)
            open = []
        } else if due.isWaiting(.aq307, on: event.connection) == nil {
            due.expect(.aq307, "a read of Drink History", within: Self.readTime, from: event.moment)
        }
    }

    private mutating func judge(_ count: Int, _ attribute: Count, _ event: PuckEvent, _ report: inout RuleReport) {
        let rule: RuleIndex = attribute.acknowledged > 0 ? .aq309 : .aq510
        let least = max(0, attribute.number - attribute.acknowledged)
        let most = attribute.isWatched && attribute.acknowledged > 0 ? least + attribute.stored : Int.max
        if (least...most).contains(count) { return report.pass(rule) }
        if attribute.isWatched, attribute.acknowledged > 0, count == most + 1 {
            return due.expect(
                rule, "\(most) pending records, or a record that is notified", by: .drinkHistory,
                within: Self.drinkTime, from: event.moment)
        }
        let expected = attribute.acknowledged > 0 ? "\(least) pending records" : "\(least) pending records or more"
        report.fail(rule, expected: expected, observed: "\(count)", at: [attribute.moment, event.moment])
    }

    private mutating func acknowledge(_ id: Int, _ event: PuckEvent, _ report: inout RuleReport) {
        _ = due.meet(.aq524, on: event.connection, &report)
        let ids = open.filter { $0 <= id }
        open.subtract(ids)
        attribute?.acknowledged += ids.count
        // Records that were not read may be among those.
        if id > highestRead { attribute = nil }
    }

    // MARK: - Records

    /// AQ-307, AQ-524
    private mutating func take(_ records: [RequiredRecord], _ event: PuckEvent, _ report: inout RuleReport) {
        if open.count + records.count <= Self.limit { open.formUnion(records.map(\.recordId)) }
        guard event.isRead else {
            if due.meet(.aq309, on: event.connection, &report) == nil { attribute?.stored += records.count }
            return
        }
        _ = due.meet(.aq307, on: event.connection, &report)
        guard let last = records.map(\.recordId).max() else { return }
        highestRead = max(highestRead, last)
        if due.isWaiting(.aq524, on: event.connection) == nil {
            due.expect(.aq524, "an acknowledgement", within: Self.acknowledgementTime, from: event.moment)
        }
    }
}
