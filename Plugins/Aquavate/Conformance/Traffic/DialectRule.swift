import PluginKit
import Profile

/// AQ-301: a puck has the attributes of one dialect. Which one it is, is not known of a puck that has both.
struct DialectRule: PuckRules {
    private var judged: Set<Int> = []

    var rules: [RuleIndex] { [.aq301] }
    var interests: Set<ConformanceInterest> { [.table] }

    mutating func see(_ sight: Sight, _ report: inout JudgeReport) {
        if sight.closing != nil { judged.remove(sight.connection) }
        guard case .table(let table) = sight.event.content, !judged.contains(sight.connection) else { return }
        let found = [Dialect.shipped, .prd].filter { dialect in
            table.services.contains { service in
                dialect.owns(service.uuid) || service.characteristics.contains { dialect.owns($0.uuid) }
            }
        }
        if found.count > 1 {
            judged.insert(sight.connection)
            report.fail(
                .aq301, expected: "attributes of one dialect", observed: "shipped and prd",
                at: [sight.puck?.discovered ?? sight.moment], bytes: [])
        } else if found.count == 1, table.hasAllServices, table.services.allSatisfy(\.hasAllCharacteristics) {
            judged.insert(sight.connection)
            report.pass(.aq301)
        }
    }
}
