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

    private var due = Expectations()
    /// IDs of records that were delivered and not acknowledged.
    private var open: Set<Int> = []
    /// The highest ID that was read.
    private var highestRead = 0
    private var attribute: Count?
    /// The end of the last connection.
    private var closed: FrameReference?

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
        let link = pucks[event]
        due.pass(to: event, &report)
        if event.isGap { attribute = nil }
        if event.closing != nil {
            closed = event.moment
            attribute?.isWatched = false
        }
        if case .opened = event.content, let closed, event.moment.seconds(since: closed) > DeviceProfile.Time.absence {
            attribute = nil
        }
        switch event.puckValue {
        case .pending(let count): handle(count, event, link, &report)
        case .acknowledgement(let id): acknowledge(id, event, &report)
        case .history(let records): handle(records, event, &report)
        default:
            // A Drink History of the wrong length (AQ-074) was read, but has no records to acknowledge.
            guard event.isRead, event.value?.characteristic == .drinkHistory else { return }
            due.drop(.aq307, on: event.connection.number)
        }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        due.finish(at: end.time, &report)
    }

    // MARK: - The number

    /// AQ-309, AQ-510
    private mutating func handle(
        _ count: Int, _ event: Event, _ link: PuckLink?, _ report: inout RuleReport
    ) {
        if let attribute { check(count, attribute, event, &report) }
        let isWatched = link?.isSubscribed(.drinkHistory, event.connection) == true && event.connection.isGapless
        attribute = Count(number: count, moment: event.moment, isWatched: isWatched)
        if count == 0 {
            due.drop(.aq307, on: event.connection.number)
            open = []
        } else if due.isWaiting(.aq307, on: event.connection.number) == nil {
            due.expect(.aq307, "a read of Drink History", within: Self.readTime, from: event.moment)
        }
    }

    private mutating func check(_ count: Int, _ attribute: Count, _ event: Event, _ report: inout RuleReport) {
        let rule: RuleIndex = attribute.acknowledged > 0 ? .aq309 : .aq510
        let least = max(0, attribute.number - attribute.acknowledged)
        let most = attribute.isWatched && attribute.acknowledged > 0 ? least + attribute.stored : Int.max
        if (least...most).contains(count) { return report.pass(rule) }
        if attribute.isWatched, attribute.acknowledged > 0, count == most + 1 {
            return due.expect(
                rule, "\(most) pending records, or a record that is notified", by: .drinkHistory,
                within: DeviceProfile.Time.drink, from: event.moment)
        }
        let expected = attribute.acknowledged > 0 ? "\(least) pending records" : "\(least) pending records or more"
        report.fail(rule, expected: expected, observed: "\(count)", at: [attribute.moment, event.moment])
    }

    private mutating func acknowledge(_ id: Int, _ event: Event, _ report: inout RuleReport) {
        _ = due.meet(.aq524, on: event.connection.number, &report)
        let ids = open.filter { $0 <= id }
        open.subtract(ids)
        attribute?.acknowledged += ids.count
        // The acknowledgement may cover records that were not read.
        if id > highestRead { attribute = nil }
    }

    // MARK: - Records

    /// AQ-307, AQ-524
    private mutating func handle(_ records: [PRDRecord], _ event: Event, _ report: inout RuleReport) {
        if open.count + records.count <= Self.limit { open.formUnion(records.map(\.recordId)) }
        guard event.isRead else {
            if due.meet(.aq309, on: event.connection.number, &report) == nil { attribute?.stored += records.count }
            return
        }
        _ = due.meet(.aq307, on: event.connection.number, &report)
        guard let last = records.map(\.recordId).max() else { return }
        highestRead = max(highestRead, last)
        if due.isWaiting(.aq524, on: event.connection.number) == nil {
            due.expect(.aq524, "an acknowledgement", within: DeviceProfile.Time.acknowledgement, from: event.moment)
        }
    }
}
