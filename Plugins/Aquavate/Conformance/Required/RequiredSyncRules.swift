import PluginKit
import Profile

/// How drinks are fetched in the dialect of the requirements (section 6.4).
struct RequiredSyncRules: PuckRule {
    var rules: [RuleIndex] { [.aq077, .aq078, .aq238] }
    var interests: Set<RuleInterest> { values(of: .syncStatus, .drinkHistory) }

    /// IDs that were read and not acknowledged.
    private var open: Set<Int> = []
    private var acknowledged = 0
    /// The end of the last connection.
    private var closed: FrameReference?
    /// Records that wait, as read last without anything between.
    private var pending = PerConnection<Timestamped<Int>>()
    /// The highest ID that each connection delivered.
    private var delivered = PerConnection<Int>()

    /// Records that one read gives.
    private static let readLimit = 20
    /// Seconds after which another client may have fetched records unseen.
    private static let absence = 30.0
    /// Seconds from one drink to the next at least.
    private static let drinkTime = 5.0

    mutating func see(_ event: PuckEvent, on link: PuckLink?, _ report: inout RuleReport) {
        if case .opened = event.content, let closed, event.moment.seconds(since: closed) > Self.absence {
            open = []
        }
        if event.closing != nil { closed = event.moment }
        if event.closing != nil || event.isGap {
            pending[event.connection] = nil
            if event.closing != nil { delivered[event.connection] = nil }
        }
        switch event.value {
        case .pending(let count): pending[event.connection] = Timestamped(content: count, moment: event.moment)
        case .acknowledgement(let id): acknowledge(id, event, &report)
        case .history(let records):
            delivered[event.connection] = max(delivered[event.connection] ?? 0, records.map(\.recordId).max() ?? 0)
            if event.isRead { read(records, event, &report) } else { pending[event.connection] = nil }
        default: return
        }
    }

    // MARK: - Reads

    /// AQ-077, AQ-078
    private mutating func read(_ records: [RequiredRecord], _ event: PuckEvent, _ report: inout RuleReport) {
        let ids = Set(records.map(\.recordId))
        if let again = ids.filter({ $0 <= acknowledged }).min() {
            report.fail(.aq077, expected: "no record that was acknowledged", observed: "record \(again)")
        } else if event.link.isGapless, let missing = open.subtracting(ids).min(), records.count < Self.readLimit {
            report.fail(
                .aq077, expected: "record \(missing), which was not acknowledged", observed: "it is not there")
        } else {
            report.pass(.aq077)
        }
        open = ids
        guard let attribute = pending[event.connection] else { return }
        pending[event.connection] = nil
        let wanted = min(attribute.content, Self.readLimit)
        if records.count == wanted { return report.pass(.aq078) }
        let drinks = 1 + Int(event.moment.seconds(since: attribute.moment) / Self.drinkTime)
        if records.count > wanted, records.count <= wanted + drinks {
            return report.inconclusive(.aq078, "a drink may have been recorded since Sync Status was read")
        }
        report.fail(
            .aq078, expected: "\(wanted) records, as Sync Status says", observed: "\(records.count)",
            at: [attribute.moment, event.moment])
    }

    /// AQ-238
    private mutating func acknowledge(_ id: Int, _ event: PuckEvent, _ report: inout RuleReport) {
        pending[event.connection] = nil
        let highest = delivered[event.connection]
        if let highest, id <= highest {
            report.pass(.aq238)
            if event.isRefused { return }
            acknowledged = max(acknowledged, id)
            open = open.filter { $0 > id }
        } else if event.link.isComplete {
            report.fail(.aq238, expected: "ID \(highest ?? 0) at most", observed: "\(id)")
        } else {
            report.inconclusive(.aq238, "what was delivered before was not captured whole")
        }
    }
}
