import PluginKit
import Profile

/// Compares the values of a device with those of its twin: the profile's `oracle` rules.
///
/// Each connection has its own twin, because another client may have connected in between. A twin needs all traffic of
/// the connection: if its beginning or another part was not captured, the rules are inconclusive.
struct OracleRule: Rule {
    private let guide: OracleGuide
    private let makeOracle: () -> (any DeviceOracle)?
    /// Nil if the connection is not followed, or no longer.
    private var twin: FollowingTwin?
    let rules: [RuleIndex]

    /// Nil if the plugin has no oracle for the dialect, or the profile no `oracle` rules for it.
    init?(_ plugin: DevicePlugin, dialect: String?) {
        guard plugin.makeOracle(dialect: dialect) != nil else { return nil }
        let profile = plugin.profile.profile
        var rules: [String: RuleIndex] = [:]
        for (index, rule) in profile.rules.enumerated() where rule.dialect == nil || rule.dialect == dialect {
            if case .oracle(let characteristic) = rule.kind { rules[characteristic] = RuleIndex(index) }
        }
        guard !rules.isEmpty else { return nil }
        self.rules = rules.values.sorted()
        guide = OracleGuide(plugin.profile, rules: rules)
        makeOracle = { plugin.makeOracle(dialect: dialect) }
    }

    var interests: Set<RuleInterest> { [.requests, .subscriptions, .allValues] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        switch event.content {
        case .opened:
            guard event.connection.isComplete else {
                return giveUp("the start of the connection was not captured", &report)
            }
            guard let oracle = makeOracle() else { return }
            twin = FollowingTwin(oracle, guide, opened: event.moment)
        case .gap:
            guard twin != nil else { return }
            giveUp("something was not captured, and later differences may follow from it", &report)
        case .closed:
            twin?.end("the connection ended first", at: event.heard, &report)
            twin = nil
        default:
            guard twin?.handle(event, &report) == false else { return }
            giveUp("gap in the capture", &report)
        }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        twin?.end("the capture ends first", at: end.time, &report)
    }

    /// Stops following the connection: all rules are inconclusive.
    private mutating func giveUp(_ reason: String, _ report: inout RuleReport) {
        twin = nil
        for rule in rules { report.inconclusive(rule, reason) }
    }
}
