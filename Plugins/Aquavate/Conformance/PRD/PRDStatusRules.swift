import PluginKit
import Profile

/// AQ-511: Device Status and Battery Level contain the same charge.
struct PRDStatusRules: Rule {
    var rules: [RuleIndex] { [.aq511] }
    var interests: Set<RuleInterest> { values(of: .deviceStatus, .batteryLevel) }

    /// The last charge in Device Status, in percent.
    private var status = PerConnection<Timestamped<Int>>()
    /// The last Battery Level, in percent.
    private var level = PerConnection<Timestamped<Int>>()

    /// Seconds within which the charge changes by at most one percent.
    private static let span = 10.0

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if event.closing != nil || event.isGap {
            (status[event.connection.number], level[event.connection.number]) = (nil, nil)
        }
        switch event.puckValue {
        case .requiredStatus(let attribute):
            let own = status[event.connection.number]
            status[event.connection.number] = Timestamped(content: attribute.battery, moment: event.moment)
            compare(attribute.battery, own, level[event.connection.number], event, &report)
        case .battery(let percent):
            let own = level[event.connection.number]
            level[event.connection.number] = Timestamped(content: percent, moment: event.moment)
            compare(percent, own, status[event.connection.number], event, &report)
        default: return
        }
    }

    /// Compares the two. A single difference proves nothing: one may have been measured long before, or be about to be
    /// notified. They differ if one has the same charge before and after the other.
    private func compare(
        _ percent: Int, _ own: Timestamped<Int>?, _ other: Timestamped<Int>?, _ event: Event,
        _ report: inout RuleReport
    ) {
        guard let other, event.moment.seconds(since: other.moment) <= Self.span else { return }
        if abs(percent - other.content) <= 1 { return report.pass(.aq511) }
        guard let own, own.moment < other.moment, event.moment.seconds(since: own.moment) <= Self.span,
            abs(percent - own.content) <= 1
        else { return report.inconclusive(.aq511, "one of the two may have been measured before the other") }
        report.fail(
            .aq511, expected: "\(other.content) %", observed: "\(percent) %", at: [other.moment, event.moment])
    }
}
