import Bytes
import PluginKit
import Profile

/// Contents of drink records of the dialect `prd`, each on its own and in their order.
struct PRDRecordRules: Rule {
    var rules: [RuleIndex] {
        [
            .aq075, .aq076, .aq310, .aq503, .aq504, .aq505, .aq506, .aq507, .aq508, .aq509,
            .aq515,
        ]
    }
    var scope: RuleScope { .device }
    var interests: Set<RuleInterest> { values(of: .drinkHistory, .prdBottleConfig, .syncStatus) }

    private struct Known {
        var record: PRDRecord
        var moment: FrameReference
    }

    /// Records by ID.
    private var known: [Int: Known] = [:]
    /// IDs in the order of their arrival.
    private var order: [Int] = []
    /// The highest ID so far.
    private var highest = 0
    /// The frame with the highest ID, and the highest ID before it, which applies to reads requested earlier.
    private var risen: (moment: FrameReference, former: Int)?
    private var config: PRDConfig?
    /// Whether the tare or the scale factor was changed, which shifts all levels.
    private var isLevelMoved = false

    /// Maximum number of stored records: more than the capacity of a puck.
    private static let limit = 1024
    /// Factor by which levels may be too high with the default scale factor.
    private static let accuracy = 1.2
    /// Lowest allowed level in ml.
    private static let lowestLevel = -50
    /// Rounding error in ml of two truncated levels and a truncated amount.
    private static let rounding = 5

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        switch event.puckValue {
        case .requiredConfig(let config):
            if let before = self.config, before.tare != config.tare { isLevelMoved = true }
            self.config = config
        case .requiredControl(let control):
            if control.opcode == .startCalibration { isLevelMoved = true }
        case .history(let records):
            if event.isRead { checkOrder(records, &report) }
            for record in records {
                check(record, event, &report)
                checkHistory(record, event, &report)
            }
        default: return
        }
    }

    // MARK: - One record

    /// AQ-075, AQ-503, AQ-504, AQ-505, AQ-507, AQ-515
    private func check(_ record: PRDRecord, _ event: Event, _ report: inout RuleReport) {
        let isFine =
            record.type.isNamed && (record.type == .refill) == (record.amount < 0) && abs(record.amount) >= 30
            && record.synced.rawValue <= 1 && record.reserved == 0
        verdict(
            .aq075, isFine, record, "type 1 to 4, 4 for negative amounts only, 30 ml or more, reserved 0",
            "\(record.amount) ml, type \(record.type.rawValue)", &report)
        let ahead = Double(record.timestamp) - event.moment.time.seconds
        if ahead > 120, !event.moment.isTimeOfDay {
            report.inconclusive(.aq515, "the time of day is unknown")
        } else {
            verdict(
                .aq515, ahead <= 120, record, "a time that is not in the future", "\(ahead.secondsText) ahead",
                &report)
        }
        if event.isRead {
            verdict(.aq503, record.synced == .pending, record, "a pending record", "a synced one", &report)
        }
        let most = config.map { Int(Double($0.capacity) * Self.accuracy) }
        verdict(
            .aq504, record.bottleLevel >= Self.lowestLevel && record.bottleLevel <= most ?? .max, record,
            "a level of \(Self.lowestLevel)\(most.map { " to \($0)" } ?? "") ml" + (most == nil ? " or more" : ""),
            "\(record.bottleLevel) ml", &report)
        if let most {
            verdict(
                .aq505, abs(record.amount) <= most, record, "\(most) ml at most", "\(record.amount) ml", &report)
        }
        if let type = record.typeOfAmount, record.type.isNamed, record.type != .refill {
            verdict(
                .aq507, record.type == type, record, "type \(type.rawValue) for \(record.amount) ml",
                "\(record.type.rawValue)", &report)
        }
    }

    private func verdict(
        _ rule: RuleIndex, _ isObeyed: Bool, _ record: PRDRecord, _ expected: @autoclosure () -> String,
        _ observed: @autoclosure () -> String, _ report: inout RuleReport
    ) {
        if isObeyed { return report.pass(rule) }
        report.fail(rule, expected: expected(), observed: "record \(record.recordId): \(observed())")
    }

    // MARK: - Records of a read

    /// AQ-508
    private func checkOrder(_ records: [PRDRecord], _ report: inout RuleReport) {
        let pairs = zip(records, records.dropFirst())
        guard let wrong = pairs.first(where: { $0.recordId >= $1.recordId }) else { return report.pass(.aq508) }
        report.fail(
            .aq508, expected: "an ID above \(wrong.0.recordId)", observed: "record \(wrong.1.recordId) after it")
    }

    // MARK: - Earlier records

    /// AQ-076, AQ-310, AQ-506, AQ-509
    private mutating func checkHistory(_ record: PRDRecord, _ event: Event, _ report: inout RuleReport) {
        var newest = highest
        if let risen, let requested = event.value?.requested, requested < risen.moment { newest = risen.former }
        let age = newest - record.recordId
        verdict(
            .aq509, age < DrinkStore.capacity, record, "an ID above \(newest - DrinkStore.capacity)",
            "overwritten by \(age) newer ones", &report)
        if record.recordId > highest {
            risen = (event.moment, risen?.moment == event.moment ? risen?.former ?? highest : highest)
            highest = record.recordId
        }
        if let before = known[record.recordId] { return compare(record, with: before, event, &report) }
        if let before = known[record.recordId - 1] { checkLevel(record, after: before, event, &report) }
        if order.count >= Self.limit { known[order.removeFirst()] = nil }
        order.append(record.recordId)
        known[record.recordId] = Known(record: record, moment: event.moment)
    }

    private mutating func compare(
        _ record: PRDRecord, with before: Known, _ event: Event, _ report: inout RuleReport
    ) {
        // A record gets its time when the puck learns the time (HB-12).
        let isDated = before.record.timestamp == 0 && record.timestamp != 0
        if isDated { known[record.recordId]?.record.timestamp = record.timestamp }
        guard before.record.timestamp == record.timestamp || isDated, before.record.amount == record.amount else {
            return report.fail(
                .aq076, expected: "ID \(record.recordId) for one record only", observed: "another record")
        }
        report.pass(.aq076)
        if before.record.bottleLevel == record.bottleLevel, before.record.type == record.type {
            return report.pass(.aq310)
        }
        report.fail(
            .aq310, expected: before.record.text, observed: record.text, at: [before.moment, event.moment])
    }

    /// AQ-506: a level cannot rise without a record, but may fall without one when water is shaken out.
    private func checkLevel(
        _ record: PRDRecord, after before: Known, _ event: Event, _ report: inout RuleReport
    ) {
        let expected = before.record.bottleLevel - record.amount
        let difference = record.bottleLevel - expected
        if abs(difference) <= Self.rounding { return report.pass(.aq506) }
        if isLevelMoved {
            return report.inconclusive(.aq506, "the tare was changed or the puck calibrated, which moves all levels")
        }
        if difference < 0 {
            return report.inconclusive(.aq506, "water that is shaken out lowers the level without a record")
        }
        report.fail(
            .aq506, expected: "a level of \(expected) ml", observed: record.text, at: [before.moment, event.moment])
    }
}

extension PRDRecord {
    /// One line of text, for diagnostics.
    fileprivate var text: String { "record \(recordId): \(amount) ml, level \(bottleLevel), type \(type)" }
}
