import PluginKit
import Profile

/// Transfers of drink records in the dialect `prd` (section 6.4).
struct PRDSyncRules: Rule {
    var rules: [RuleIndex] { [.aq077, .aq078, .aq238] }
    var interests: Set<RuleInterest> { values(of: .syncStatus, .drinkHistory) }

    /// IDs that were read and not acknowledged.
    private var open: Set<Int> = []
    /// The highest acknowledged ID.
    private var acknowledged = 0
    /// The end of the last connection.
    private var closed: FrameReference?
    /// The last Sync Status read; nil after a later transfer of records or an acknowledgement.
    private var pending = PerConnection<Timestamped<Int>>()
    /// The highest ID delivered on each connection.
    private var delivered = PerConnection<Int>()

    /// Maximum number of records in one read.
    private static let readLimit = 20
    /// Minimum seconds between two drinks.
    private static let drinkTime = 5.0

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if case .opened = event.content, let closed, event.moment.seconds(since: closed) > DeviceProfile.Time.absence {
            open = []
        }
        if event.closing != nil { closed = event.moment }
        if event.closing != nil || event.isGap {
            pending[event.connection.number] = nil
            if event.closing != nil { delivered[event.connection.number] = nil }
        }
        switch event.puckValue {
        case .pending(let count): pending[event.connection.number] = Timestamped(content: count, moment: event.moment)
        case .acknowledgement(let id): acknowledge(id, event, &report)
        case .history(let records):
            delivered[event.connection.number] = max(
                delivered[event.connection.number] ?? 0, records.map(\.recordId).max() ?? 0)
            if event.isRead { read(records, event, &report) } else { pending[event.connection.number] = nil }
        default: return
        }
    }

    // MARK: - Reads

    /// AQ-077, AQ-078
    private mutating func read(_ records: [PRDRecord], _ event: Event, _ report: inout RuleReport) {
        let ids = Set(records.map(\.recordId))
        if let again = ids.filter({ $0 <= acknowledged }).min() {
            report.fail(.aq077, expected: "no record that was acknowledged", observed: "record \(again)")
        } else if event.connection.isGapless, let missing = open.subtracting(ids).min(), records.count < Self.readLimit
        {
            report.fail(
                .aq077, expected: "record \(missing), which was not acknowledged", observed: "it is not there")
        } else {
            report.pass(.aq077)
        }
        open = ids
        guard let attribute = pending[event.connection.number] else { return }
        pending[event.connection.number] = nil
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
    private mutating func acknowledge(_ id: Int, _ event: Event, _ report: inout RuleReport) {
        pending[event.connection.number] = nil
        let highest = delivered[event.connection.number]
        if let highest, id <= highest {
            report.pass(.aq238)
            if event.isRefused { return }
            acknowledged = max(acknowledged, id)
            open = open.filter { $0 > id }
        } else if event.connection.isComplete {
            report.fail(.aq238, expected: "ID \(highest ?? 0) at most", observed: "\(id)")
        } else {
            report.inconclusive(.aq238, "what was delivered before was not captured whole")
        }
    }
}
