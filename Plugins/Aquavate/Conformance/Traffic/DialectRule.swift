import PluginKit
import Profile

/// AQ-301: a puck has the attributes of one dialect. The dialect of a puck with attributes of both is unknown.
struct DialectRule: Rule {
    private let pucks: PuckTracker

    init(_ pucks: PuckTracker) {
        self.pucks = pucks
    }

    private var isChecked = false

    var rules: [RuleIndex] { [.aq301] }
    var interests: Set<RuleInterest> { [.table] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .table(let table) = event.content, !isChecked else { return }
        let found = [Dialect.shipped, .prd].compactMap { Self.responses(of: $0, table) }
        if found.count > 1 {
            isChecked = true
            let moments = Set(found.compactMap(\.first)).sorted()
            report.fail(
                .aq301, expected: "attributes of one dialect", observed: "shipped and prd",
                at: moments.isEmpty ? [pucks[event]?.discovered ?? event.moment] : moments, bytes: [])
        } else if found.count == 1, table.hasAllServices, table.services.allSatisfy(\.hasAllCharacteristics) {
            isChecked = true
            report.pass(.aq301)
        }
    }

    /// The responses that contain attributes of a dialect, in the order of handles; nil if there are none.
    private static func responses(of dialect: Dialect, _ table: AttributeTable) -> [FrameReference]? {
        let attributes = table.services.flatMap { service in
            [(service.uuid, service.declared)] + service.characteristics.map { ($0.uuid, $0.declared) }
        }
        let own = attributes.filter { dialect.owns($0.0) }
        return own.isEmpty ? nil : own.compactMap(\.1)
    }
}
