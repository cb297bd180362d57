import Bytes
import PluginKit
import Profile

/// Pending expectations of rules on one connection, with their deadlines. An expectation that is not met in time fails
/// its rule at the frame that created it. If a gap or the end of the connection or capture comes first, it is
/// inconclusive.
struct Expectations: Sendable {
    private struct One: Sendable {
        var rule: RuleIndex
        var since: FrameReference
        var deadline: Timestamp
        var expected: String
        var seconds: Double
        var quirk: String?
        /// The characteristic whose notification is expected; nil if no notification is expected.
        var characteristic: CharacteristicIndex?
        /// A mismatch observed so far; the expected event may still follow.
        var instead: Timestamped<String>?
    }

    private var open: [One] = []

    /// Maximum number of pending expectations; further ones are ignored.
    private static let limit = 64

    /// Adds an expectation that must be met within some seconds of a frame; `by` names the characteristic whose
    /// notification meets it.
    mutating func expect(
        _ rule: RuleIndex, _ expected: String, by characteristic: CharacteristicIndex? = nil, within seconds: Double,
        from moment: FrameReference, quirk: String? = nil
    ) {
        guard open.count < Self.limit else { return }
        open.append(
            One(
                rule: rule, since: moment, deadline: moment.time + TimeSpan(clamping: seconds),
                expected: expected, seconds: seconds, quirk: quirk, characteristic: characteristic))
    }

    /// Meets the oldest expectation of a rule, which passes. Returns the frame that created it; nil if none is pending.
    mutating func meet(_ rule: RuleIndex, _ report: inout RuleReport) -> FrameReference? {
        guard let since = drop(rule) else { return nil }
        report.pass(rule)
        return since
    }

    /// Removes the oldest expectation of a rule without a verdict.
    @discardableResult
    mutating func drop(_ rule: RuleIndex) -> FrameReference? {
        guard let index = open.firstIndex(where: { $0.rule == rule }) else { return nil }
        return open.remove(at: index).since
    }

    /// Records a mismatch for the oldest expectation of a rule, which stays pending.
    mutating func note(_ rule: RuleIndex, _ observed: String, at moment: FrameReference) {
        guard let index = open.firstIndex(where: { $0.rule == rule }) else { return }
        open[index].instead = Timestamped(content: observed, moment: moment)
    }

    /// Number of pending expectations of a rule.
    func count(_ rule: RuleIndex) -> Int { open.count { $0.rule == rule } }

    /// The frame that created the oldest pending expectation of a rule; nil if none is pending.
    func isWaiting(_ rule: RuleIndex) -> FrameReference? { open.first { $0.rule == rule }?.since }

    /// Advances to the time of an event and drops the expectations that it ends. Call this before handling the event.
    mutating func pass(to event: Event, _ report: inout RuleReport) {
        guard !open.isEmpty else { return }
        expire(at: event.heard, &report)
        if let characteristic = event.unsubscribed { release(characteristic, &report) }
        if event.isGap { giveUp("something was not captured before it was due", &report) }
        if event.closing != nil { giveUp("the connection ended first", &report) }
    }

    mutating func finish(at time: Timestamp, _ report: inout RuleReport) {
        expire(at: time, &report)
        giveUp("the capture ends first", &report)
    }

    private mutating func expire(at time: Timestamp, _ report: inout RuleReport) {
        guard open.indices.contains(where: { open[$0].deadline < time }) else { return }
        for one in open where one.deadline < time {
            report.fail(
                one.rule, expected: "\(one.expected) within \(one.seconds.secondsText)",
                observed: one.instead?.content ?? "none came in time",
                at: [one.since, one.instead?.moment].compactMap(\.self), bytes: [], quirk: one.quirk)
        }
        open.removeAll { $0.deadline < time }
    }

    /// Drops the expected notifications of a characteristic that the client unsubscribes from.
    private mutating func release(_ characteristic: CharacteristicIndex, _ report: inout RuleReport) {
        for one in open where one.characteristic == characteristic {
            report.inconclusive(one.rule, "the client has unsubscribed before it was due")
        }
        open.removeAll { $0.characteristic == characteristic }
    }

    private mutating func giveUp(_ reason: String, _ report: inout RuleReport) {
        for one in open { report.inconclusive(one.rule, reason) }
        open.removeAll()
    }
}
