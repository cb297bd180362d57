import PluginKit
import Profile

/// AQ-511: Device Status and Battery Level tell the same charge.
struct RequiredStatusRules: PuckRules {
    var rules: [RuleIndex] { [.aq511] }
    var interests: Set<ConformanceInterest> { values(of: .deviceStatus, .batteryLevel) }

    /// What each of the two told last on a connection.
    private var status = PerConnection<Told<Int>>()
    private var level = PerConnection<Told<Int>>()

    /// Seconds in which the charge stays the same but for one percent.
    private static let span = 10.0

    mutating func see(_ sight: Sight, _ report: inout JudgeReport) {
        if sight.closing != nil || sight.isGap { (status[sight.connection], level[sight.connection]) = (nil, nil) }
        switch sight.value {
        case .requiredStatus(let told):
            let own = status[sight.connection]
            status[sight.connection] = Told(content: told.battery, moment: sight.moment)
            compare(told.battery, own, level[sight.connection], sight, &report)
        case .battery(let percent):
            let own = level[sight.connection]
            level[sight.connection] = Told(content: percent, moment: sight.moment)
            compare(percent, own, status[sight.connection], sight, &report)
        default: return
        }
    }

    /// One of the two may have been measured long before, or be about to be notified: they differ where one tells the same
    /// before and after the other.
    private func compare(
        _ percent: Int, _ own: Told<Int>?, _ other: Told<Int>?, _ sight: Sight, _ report: inout JudgeReport
    ) {
        guard let other, sight.moment.seconds(since: other.moment) <= Self.span else { return }
        if abs(percent - other.content) <= 1 { return report.pass(.aq511) }
        guard let own, own.moment < other.moment, sight.moment.seconds(since: own.moment) <= Self.span,
            abs(percent - own.content) <= 1
        else { return report.inconclusive(.aq511, "one of the two may have been measured before the other") }
        report.fail(
            .aq511, expected: "\(other.content) %", observed: "\(percent) %", at: [other.moment, sight.moment])
    }
}
