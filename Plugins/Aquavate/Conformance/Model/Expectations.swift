import Bytes
import PluginKit
import Profile

/// What is due, by when: what does not come in time breaks its rule at the frame that made it due. What a gap, the end
/// of the connection or that of the capture comes before cannot be judged.
struct Expectations: Sendable {
    private struct One: Sendable {
        var rule: RuleIndex
        var since: FrameReference
        var deadline: Timestamp
        var expected: String
        var seconds: Double
        var quirk: String?
        /// The characteristic that tells it; nil for what is no notification.
        var characteristic: CharacteristicIndex?
        /// What came in its place, as nothing that it may still come after.
        var instead: Timestamped<String>?
    }

    private var open = PerConnection<[One]>()

    /// What is waited for on one connection; more is not followed.
    private static let limit = 64

    /// From a moment on, something is due within seconds; `by` names the characteristic that tells it.
    mutating func expect(
        _ rule: RuleIndex, _ expected: String, by characteristic: CharacteristicIndex? = nil, within seconds: Double,
        from moment: FrameReference, quirk: String? = nil
    ) {
        guard open[moment.connection, default: []].count < Self.limit else { return }
        open[moment.connection, default: []].append(
            One(
                rule: rule, since: moment, deadline: moment.time + TimeSpan(clamping: seconds),
                expected: expected, seconds: seconds, quirk: quirk, characteristic: characteristic))
    }

    /// It came: the oldest of a rule is met. Since when it was due; nil if nothing was.
    mutating func meet(_ rule: RuleIndex, on connection: Int, _ report: inout RuleReport) -> FrameReference? {
        guard let since = drop(rule, on: connection) else { return nil }
        report.pass(rule)
        return since
    }

    /// The oldest of a rule is not waited for any longer.
    @discardableResult
    mutating func drop(_ rule: RuleIndex, on connection: Int) -> FrameReference? {
        guard let index = open[connection]?.firstIndex(where: { $0.rule == rule }) else { return nil }
        return open[connection]?.remove(at: index).since
    }

    /// Something came that is not what is due, which may still come.
    mutating func note(_ rule: RuleIndex, _ observed: String, at moment: FrameReference) {
        guard let index = open[moment.connection]?.firstIndex(where: { $0.rule == rule }) else { return }
        open[moment.connection]?[index].instead = Timestamped(content: observed, moment: moment)
    }

    /// How often something of a rule is due.
    func count(_ rule: RuleIndex, on connection: Int) -> Int { open[connection]?.count { $0.rule == rule } ?? 0 }

    /// Since when something of a rule is due.
    func isWaiting(_ rule: RuleIndex, on connection: Int) -> FrameReference? {
        open[connection]?.first { $0.rule == rule }?.since
    }

    /// Time has passed: call this before looking at the event itself.
    mutating func pass(to event: PuckEvent, _ report: inout RuleReport) {
        guard open[event.connection]?.isEmpty == false else { return }
        expire(event.connection, at: event.heard, &report)
        if let characteristic = event.unsubscribed { release(characteristic, event.connection, &report) }
        if event.isGap { giveUp(event.connection, "something was not captured before it was due", &report) }
        if event.closing != nil { giveUp(event.connection, "the connection ended first", &report) }
    }

    mutating func finish(at time: Timestamp, _ report: inout RuleReport) {
        for (connection, _) in open.all {
            expire(connection, at: time, &report)
            giveUp(connection, "the capture ends first", &report)
        }
    }

    private mutating func expire(_ connection: Int, at time: Timestamp, _ report: inout RuleReport) {
        guard let waiting = open[connection], waiting.indices.contains(where: { waiting[$0].deadline < time }) else {
            return
        }
        for one in waiting where one.deadline < time {
            report.fail(
                one.rule, expected: "\(one.expected) within \(one.seconds.secondsText)",
                observed: one.instead?.content ?? "none came in time",
                at: [one.since, one.instead?.moment].compactMap(\.self), bytes: [], quirk: one.quirk)
        }
        open[connection] = waiting.filter { $0.deadline >= time }
    }

    /// The client does not want to be told any longer.
    private mutating func release(_ characteristic: CharacteristicIndex, _ connection: Int, _ report: inout RuleReport)
    {
        for one in open[connection] ?? [] where one.characteristic == characteristic {
            report.inconclusive(one.rule, "the client has unsubscribed before it was due", connection: connection)
        }
        open[connection]?.removeAll { $0.characteristic == characteristic }
    }

    private mutating func giveUp(_ connection: Int, _ reason: String, _ report: inout RuleReport) {
        for one in open[connection] ?? [] { report.inconclusive(one.rule, reason, connection: connection) }
        open[connection] = nil
    }
}
