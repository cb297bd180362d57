import PluginKit
import Profile

/// Compares the values of a device with those of its twin: the profile's `oracle` rules.
///
/// Each connection has its own twin, because another client may have connected in between. A twin needs all traffic of
/// the connection: if its beginning or another part was not captured, the rules are inconclusive.
struct OracleRule: Rule {
    private let guide: OracleGuide
    private let makeOracle: () -> (any DeviceOracle)?
    private var links = PerConnection<FollowedLink>()
    let rules: [RuleIndex]

    /// Maximum number of connections followed at the same time; further ones are not followed.
    private static let linkLimit = 64
    private var followed = 0

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
        let connection = event.moment.connection
        switch event.content {
        case .opened(let opening):
            guard opening.isBeginningCaptured, event.connection.isGapless else {
                return pass("the start of the connection was not captured", connection, &report)
            }
            guard followed < Self.linkLimit, let oracle = makeOracle() else { return }
            followed += 1
            links[connection] = FollowedLink(oracle, guide, opened: event.moment)
        case .gap:
            guard links[connection] != nil else { return }
            close(connection)
            pass("something was not captured, and later differences may follow from it", connection, &report)
        case .closed:
            links[connection]?.end("the connection ended first", at: event.heard, &report)
            close(connection)
        default:
            guard links[connection]?.handle(event, &report) == false else { return }
            close(connection)
            pass("gap in the capture", connection, &report)
        }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        for (connection, _) in links.all {
            links[connection]?.end("the capture ends first", at: end.time, &report)
        }
    }

    private mutating func close(_ connection: Int) {
        if links[connection] != nil { followed -= 1 }
        links[connection] = nil
    }

    /// Makes all rules inconclusive for a connection.
    private func pass(_ reason: String, _ connection: Int, _ report: inout RuleReport) {
        for rule in rules { report.inconclusive(rule, reason, connection: connection) }
    }
}
