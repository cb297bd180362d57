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
        let found = [Dialect.shipped, .prd].compactMap { Self.responses(of: $0, table) }
        if found.count > 1 {
            judged.insert(event.connection)
            let moments = Set(found.compactMap(\.first)).sorted()
            report.fail(
                .aq301, expected: "attributes of one dialect", observed: "shipped and prd",
                at: moments.isEmpty ? [link?.discovered ?? event.moment] : moments, bytes: [])
        } else if found.count == 1, table.hasAllServices, table.services.allSatisfy(\.hasAllCharacteristics) {
            judged.insert(event.connection)
            report.pass(.aq301)
        }
    }

    /// The responses that have attributes of a dialect, in the order of handles; nil for no such attribute.
    private static func responses(of dialect: Dialect, _ table: AttributeTable) -> [FrameReference]? {
        let attributes = table.services.flatMap { service in
            [(service.uuid, service.declared)] + service.characteristics.map { ($0.uuid, $0.declared) }
        }
        let own = attributes.filter { dialect.owns($0.0) }
        return own.isEmpty ? nil : own.compactMap(\.1)
    }
}
