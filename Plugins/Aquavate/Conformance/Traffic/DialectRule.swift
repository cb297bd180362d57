import PluginKit
import Profile

/// AQ-301: a puck has the attributes of one dialect. Which one it is, is not known of a puck that has both.
struct DialectRule: PuckRule {
    private var judged = SortedSet<Int>()

    var rules: [RuleIndex] { [.aq301] }
    var interests: Set<RuleInterest> { [.table] }

    mutating func see(_ event: PuckEvent, on link: PuckLink?, _ report: inout RuleReport) {
        if event.closing != nil { judged.remove(event.connection) }
        guard case .table(let table) = event.content, !judged.contains(event.connection) else { return }
        let found = [Dialect.shipped, .prd].filter { dialect in
            table.services.contains { service in
                dialect.owns(service.uuid) || service.characteristics.contains { dialect.owns($0.uuid) }
            }
        }
        if found.count > 1 {
            judged.insert(event.connection)
            report.fail(
                .aq301, expected: "attributes of one dialect", observed: "shipped and prd",
                at: [link?.discovered ?? event.moment], bytes: [])
        } else if found.count == 1, table.hasAllServices, table.services.allSatisfy(\.hasAllCharacteristics) {
            judged.insert(event.connection)
            report.pass(.aq301)
        }
    }
}
