import PluginKit
import Profile

/// Transfers of drink records in the dialect `prd` (section 6.4).
struct PRDSyncRules: Rule {
    var rules: [RuleIndex] { [.aq077, .aq078, .aq238] }
    var interests: Set<RuleInterest> { values(of: .syncStatus, .drinkHistory) }

    /// Acknowledgements of records. All instances of the rule for the puck share them.
    private final class Acknowledgements {
        /// IDs that were read and not acknowledged.
        var open: Set<Int> = []
        /// The highest acknowledged ID.
        var highest = 0
        /// The end of the last connection.
        var closed: FrameReference?
    }

    private let acknowledgements = Acknowledgements()
    /// The last Sync Status read; nil after a later transfer of records or an acknowledgement.
    private var pending: Timestamped<Int>?
    /// The highest delivered ID.
    private var delivered: Int?

    /// Maximum number of records in one read.
    private static let readLimit = 20
    /// Minimum seconds between two drinks.
    private static let drinkTime = 5.0

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if event.isOpening, let closed = acknowledgements.closed,
            event.moment.seconds(since: closed) > DeviceProfile.Time.absence
        {
            acknowledgements.open = []
        }
        if event.closing != nil { acknowledgements.closed = event.moment }
        if event.isGap { pending = nil }
        switch event.puckValue {
        case .pending(let count): pending = Timestamped(content: count, moment: event.moment)
        case .acknowledgement(let id): acknowledge(id, event, &report)
        case .history(let records):
            delivered = max(delivered ?? 0, records.map(\.recordId).max() ?? 0)
            if event.isRead { read(records, event, &report) } else { pending = nil }
        default: return
        }
    }

    // MARK: - Reads

    /// AQ-077, AQ-078
    private mutating func read(_ records: [PRDRecord], _ event: Event, _ report: inout RuleReport) {
        let ids = Set(records.map(\.recordId))
        if let again = ids.filter({ $0 <= acknowledgements.highest }).min() {
            report.fail(.aq077, expected: "no record that was acknowledged", observed: "record \(again)")
        } else if event.connection.isGapless, let missing = acknowledgements.open.subtracting(ids).min(),
            records.count < Self.readLimit
        {
            report.fail(
                .aq077, expected: "record \(missing), which was not acknowledged", observed: "it is not there")
        } else {
            report.pass(.aq077)
        }
        acknowledgements.open = ids
        guard let attribute = pending else { return }
        pending = nil
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
        pending = nil
        if let delivered, id <= delivered {
            report.pass(.aq238)
            if event.isRefused { return }
            acknowledgements.highest = max(acknowledgements.highest, id)
            acknowledgements.open = acknowledgements.open.filter { $0 > id }
        } else if event.connection.isComplete {
            report.fail(.aq238, expected: "ID \(delivered ?? 0) at most", observed: "\(id)")
        } else {
            report.inconclusive(.aq238, "what was delivered before was not captured whole")
        }
    }
}
