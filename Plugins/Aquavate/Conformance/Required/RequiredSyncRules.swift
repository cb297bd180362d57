import PluginKit
import Profile

/// How drinks are fetched in the dialect of the requirements (section 6.4).
struct RequiredSyncRules: PuckRules {
    var rules: [RuleIndex] { [.aq077, .aq078, .aq238] }
    var interests: Set<ConformanceInterest> { values(of: .syncStatus, .drinkHistory) }

    /// IDs that were read and not acknowledged.
    private var open: Set<Int> = []
    private var acknowledged = 0
    /// The same before the last acknowledgement, while the puck may refuse that.
    private var former: (write: Moment, open: Set<Int>, acknowledged: Int)?
    /// The end of the last connection.
    private var closed: Moment?
    /// Records that wait, as read last without anything between.
    private var pending = PerConnection<Told<Int>>()
    /// The highest ID that each connection delivered.
    private var delivered = PerConnection<Int>()

    /// Records that one read gives.
    private static let readLimit = 20
    /// Seconds after which another client may have fetched records unseen.
    private static let absence = 30.0
    /// Seconds from one drink to the next at least.
    private static let drinkTime = 5.0

    mutating func withdraw(_ write: Moment) {
        guard let former, former.write == write else { return }
        (open, acknowledged) = (former.open, former.acknowledged)
    }

    mutating func see(_ sight: Sight, _ report: inout JudgeReport) {
        if case .opened = sight.event.content, let closed, sight.moment.seconds(since: closed) > Self.absence {
            open = []
        }
        if sight.closing != nil { closed = sight.moment }
        if sight.closing != nil || sight.isGap {
            pending[sight.connection] = nil
            if sight.closing != nil { delivered[sight.connection] = nil }
        }
        switch sight.value {
        case .pending(let count): pending[sight.connection] = Told(content: count, moment: sight.moment)
        case .acknowledgement(let id): acknowledge(id, sight, &report)
        case .history(let records):
            delivered[sight.connection] = max(delivered[sight.connection] ?? 0, records.map(\.recordId).max() ?? 0)
            if sight.isRead { read(records, sight, &report) } else { pending[sight.connection] = nil }
        default: return
        }
    }

    // MARK: - Reads

    /// AQ-077, AQ-078
    private mutating func read(_ records: [RequiredRecord], _ sight: Sight, _ report: inout JudgeReport) {
        let ids = Set(records.map(\.recordId))
        if let again = ids.filter({ $0 <= acknowledged }).min() {
            report.fail(.aq077, expected: "no record that was acknowledged", observed: "record \(again)")
        } else if sight.link.isGapless, let missing = open.subtracting(ids).min(), records.count < Self.readLimit {
            report.fail(
                .aq077, expected: "record \(missing), which was not acknowledged", observed: "it is not there")
        } else {
            report.pass(.aq077)
        }
        open = ids
        guard let told = pending[sight.connection] else { return }
        pending[sight.connection] = nil
        let wanted = min(told.content, Self.readLimit)
        if records.count == wanted { return report.pass(.aq078) }
        let drinks = 1 + Int(sight.moment.seconds(since: told.moment) / Self.drinkTime)
        if records.count > wanted, records.count <= wanted + drinks {
            return report.inconclusive(.aq078, "a drink may have been recorded since Sync Status was read")
        }
        report.fail(
            .aq078, expected: "\(wanted) records, as Sync Status says", observed: "\(records.count)",
            at: [told.moment, sight.moment])
    }

    /// AQ-238
    private mutating func acknowledge(_ id: Int, _ sight: Sight, _ report: inout JudgeReport) {
        pending[sight.connection] = nil
        former = (sight.moment, open, acknowledged)
        let highest = delivered[sight.connection]
        if let highest, id <= highest {
            report.pass(.aq238)
            acknowledged = max(acknowledged, id)
            open = open.filter { $0 > id }
        } else if sight.link.isComplete {
            report.fail(.aq238, expected: "ID \(highest ?? 0) at most", observed: "\(id)")
        } else {
            report.inconclusive(.aq238, "what was delivered before was not captured whole")
        }
    }
}
