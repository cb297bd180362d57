import Bluetooth
import PluginKit
import Profile

/// Sequence numbers of a counter: LC-005 to LC-008 ("Integrity").
///
/// The numbers of two connections are compared only if Counter Info shows that the counter has not restarted between
/// them: the first event since a boot may have gone to another gateway, or may equal that of the previous boot.
struct SequenceRules: Rule {
    private var tracker = SequenceRuleTracker()
    private var boots = BootCount()
    private var last: FrameReference?
    /// Whether Counter Info has a new boot count, before the first notified event of that boot.
    private var hasBegunAnew = false
    /// Whether events may be missing from the capture since the last one, so that a gap in the numbers proves nothing.
    private var isInterrupted = true

    var rules: [RuleIndex] { [.lc005, .lc006, .lc007, .lc008] }
    var scope: RuleScope { .device }
    var interests: Set<RuleInterest> {
        [.values(of: .countEvent), .values(of: .counterInfo), .subscriptions]
    }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if boots.handle(event) { hasBegunAnew = true }
        switch event.content {
        case .opened, .gap: isInterrupted = true
        case .subscription(let subscription) where subscription.characteristic == .countEvent:
            // The counter does not send events without a subscription.
            if !subscription.notifies { isInterrupted = true }
        case .value(let value):
            guard value.operation == .notify, let count = value.reading.flatMap(CountEvent.init) else { return }
            let isOfAnother = last.map { $0.connection != event.moment.connection } ?? false
            if hasBegunAnew || isOfAnother && !boots.isSame {
                if count.header.firstSinceBoot, let former = tracker.lastNumber, count.number < former {
                    report.pass(.lc006)
                }
                tracker = SequenceRuleTracker()
            }
            hasBegunAnew = false
            handle(count, at: event.moment, &report)
        default: return
        }
    }

    private mutating func handle(_ event: CountEvent, at moment: FrameReference, _ report: inout RuleReport) {
        let moments = [last, moment].compactMap { $0 }
        defer {
            last = moment
            isInterrupted = false
        }
        switch tracker.classify(event) {
        case .first: return
        case .inOrder, .recovered: report.pass(.lc005)
        case .missing(let count, let number):
            if isInterrupted {
                return report.inconclusive(.lc005, "events may have come while nothing was captured")
            }
            report.fail(
                .lc005, expected: "number \(number)", observed: "\(event.number): \(count) missing",
                at: moments)
        case .reset(let former, let isConfirmed):
            if isConfirmed { return report.pass(.lc006) }
            report.fail(
                .lc006, expected: "a number above \(former), or first_since_boot",
                observed: "\(event.number)", at: moments)
        case .duplicate(isReplayed: true):
            report.pass(.lc007)
            report.pass(.lc008)
        case .duplicate(isReplayed: false):
            report.fail(
                .lc007, expected: "each number once, or replayed", observed: "\(event.number) again",
                at: moments)
        case .contradiction(let before):
            report.fail(
                .lc008, expected: "number \(before.number) with the content of before",
                observed: "another content", at: moments)
        }
    }
}

/// Whether Counter Info shows that a counter has not restarted since the previous connection.
struct BootCount: Sendable {
    private var count: Int?
    /// Whether Counter Info was read on this connection, with an earlier read to compare; true before any connection.
    private(set) var isSame = true

    /// Handles an event. Returns whether the counter has restarted.
    mutating func handle(_ event: Event) -> Bool {
        switch event.content {
        case .opened: isSame = false
        case .value(let value) where value.characteristic == .counterInfo:
            guard let info = value.reading.flatMap(CounterInfo.init) else { return false }
            defer { count = info.bootCount }
            isSame = count != nil
            return count.map { $0 != info.bootCount } ?? false
        default: break
        }
        return false
    }
}
