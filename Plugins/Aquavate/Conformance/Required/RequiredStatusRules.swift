import PluginKit
import Profile

/// AQ-511: Device Status and Battery Level tell the same charge.
struct RequiredStatusRules: PuckRule {
    var rules: [RuleIndex] { [.aq511] }
    var interests: Set<RuleInterest> { values(of: .deviceStatus, .batteryLevel) }

    /// What each of the two told last on a connection.
    private var status = PerConnection<Timestamped<Int>>()
    private var level = PerConnection<Timestamped<Int>>()

    /// Seconds in which the charge stays the same but for one percent.
    private static let span = 10.0

    mutating func see(_ event: PuckEvent, on link: PuckLink?, _ report: inout RuleReport) {
        if event.closing != nil || event.isGap { (status[event.connection], level[event.connection]) = (nil, nil) }
        switch event.value {
        case .requiredStatus(let attribute):
            let own = status[event.connection]
            status[event.connection] = Timestamped(content: attribute.battery, moment: event.moment)
            compare(attribute.battery, own, level[event.connection], event, &report)
        case .battery(let percent):
            let own = level[event.connection]
            level[event.connection] = Timestamped(content: percent, moment: event.moment)
            compare(percent, own, status[event.connection], event, &report)
        default: return
        }
    }

    /// One of the two may have been measured long before, or be about to be notified: they differ where one tells the same
    /// before and after the other.
    private func compare(
        _ percent: Int, _ own: Timestamped<Int>?, _ other: Timestamped<Int>?, _ event: PuckEvent,
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
