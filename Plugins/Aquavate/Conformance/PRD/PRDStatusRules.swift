import PluginKit
import Profile

/// AQ-511: Device Status and Battery Level contain the same charge.
struct PRDStatusRules: Rule {
    var rules: [RuleIndex] { [.aq511] }
    var interests: Set<RuleInterest> { values(of: .deviceStatus, .batteryLevel) }

    /// The last charge in Device Status, in percent.
    private var status: Timestamped<Int>?
    /// The last Battery Level, in percent.
    private var level: Timestamped<Int>?

    /// Seconds within which the charge changes by at most one percent.
    private static let span = 10.0

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if event.isGap { (status, level) = (nil, nil) }
        switch event.puckValue {
        case .requiredStatus(let attribute):
            compare(attribute.battery, status, level, event, &report)
            status = Timestamped(content: attribute.battery, moment: event.moment)
        case .battery(let percent):
            compare(percent, level, status, event, &report)
            level = Timestamped(content: percent, moment: event.moment)
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
