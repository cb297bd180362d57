import PluginKit

/// How drinks are fetched in the dialect of the requirements (section 6.4).
struct RequiredSyncRules: PuckRules {
    var rules: [String] { ["AQ-075", "AQ-076", "AQ-077", "AQ-078", "AQ-238"] }
    var interests: Set<ConformanceInterest> { values(of: "sync_status", "drink_history") }

    /// Records by their IDs, and the IDs in the order in which they came.
    private var known: [Int: RequiredRecord] = [:]
    private var order: [Int] = []
    /// IDs that were read and not acknowledged.
    private var open: Set<Int> = []
    private var acknowledged = 0
    /// Records that wait, as read last without anything between.
    private var pending = PerConnection<Told<Int>>()
    /// The highest ID that each connection delivered.
    private var delivered = PerConnection<Int>()

    private static let limit = 1024
    /// Records that one read gives.
    private static let readLimit = 20

    mutating func see(_ sight: Sight, _ report: inout JudgeReport) {
        if sight.closing != nil || sight.isGap {
            pending[sight.connection] = nil
            if sight.closing != nil { delivered[sight.connection] = nil }
        }
        switch sight.value {
        case .pending(let count): pending[sight.connection] = Told(content: count, moment: sight.moment)
        case .acknowledgement(let id): acknowledge(id, sight, &report)
        case .history(let records):
            for record in records { judge(record, &report) }
            delivered[sight.connection] = max(delivered[sight.connection] ?? 0, records.map(\.recordId).max() ?? 0)
            if sight.isRead { read(records, sight, &report) } else { pending[sight.connection] = nil }
        default: return
        }
    }

    // MARK: - Records

    /// AQ-075, AQ-076
    private mutating func judge(_ record: RequiredRecord, _ report: inout JudgeReport) {
        let isFine =
            (1...4).contains(record.type) && (record.type == 4) == (record.amount < 0) && abs(record.amount) >= 30
            && record.synced <= 1 && record.reserved == 0
        if isFine {
            report.pass("AQ-075")
        } else {
            report.fail(
                "AQ-075", expected: "type 1 to 4, 4 for negative amounts only, 30 ml or more, reserved 0",
                observed: "record \(record.recordId): \(record.amount) ml, type \(record.type)")
        }
        guard let before = known[record.recordId] else {
            if order.count >= Self.limit { known[order.removeFirst()] = nil }
            order.append(record.recordId)
            known[record.recordId] = record
            return
        }
        if before.timestamp == record.timestamp, before.amount == record.amount { return report.pass("AQ-076") }
        report.fail(
            "AQ-076", expected: "ID \(record.recordId) for one record only", observed: "another record")
    }

    // MARK: - Reads

    /// AQ-077, AQ-078
    private mutating func read(_ records: [RequiredRecord], _ sight: Sight, _ report: inout JudgeReport) {
        let ids = Set(records.map(\.recordId))
        if let again = ids.filter({ $0 <= acknowledged }).min() {
            report.fail("AQ-077", expected: "no record that was acknowledged", observed: "record \(again)")
        } else if sight.link.isGapless, let missing = open.subtracting(ids).min(), records.count < Self.readLimit {
            report.fail(
                "AQ-077", expected: "record \(missing), which was not acknowledged", observed: "it is not there")
        } else {
            report.pass("AQ-077")
        }
        open = ids
        guard let told = pending[sight.connection] else { return }
        pending[sight.connection] = nil
        let wanted = min(told.content, Self.readLimit)
        if records.count == wanted { return report.pass("AQ-078") }
        report.fail(
            "AQ-078", expected: "\(wanted) records, as Sync Status says", observed: "\(records.count)",
            at: [told.moment, sight.moment])
    }

    /// AQ-238
    private mutating func acknowledge(_ id: Int, _ sight: Sight, _ report: inout JudgeReport) {
        pending[sight.connection] = nil
        let highest = delivered[sight.connection]
        if let highest, id <= highest {
            report.pass("AQ-238")
            acknowledged = max(acknowledged, id)
            open = open.filter { $0 > id }
        } else if sight.link.isComplete {
            report.fail("AQ-238", expected: "ID \(highest ?? 0) at most", observed: "\(id)")
        } else {
            report.inconclusive("AQ-238", "what was delivered before was not captured whole")
        }
    }
}
