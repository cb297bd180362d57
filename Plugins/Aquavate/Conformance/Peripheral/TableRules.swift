import BluetoothTypes
import GATT
import PluginKit
import Profile

/// What discovery tells of the puck's attributes (section 3).
struct TableRules: PuckRule {
    private let dialect: Dialect
    /// What was judged of each connection, so that more discovery is not judged as the same again.
    private var judged = PerConnection<Set<RuleIndex>>()

    init(_ dialect: Dialect) {
        self.dialect = dialect
    }

    var rules: [RuleIndex] {
        [.aq016, .aq019] + (dialect == .shipped ? [.aq017, .aq018] : [.aq025])
    }
    var interests: Set<RuleInterest> { [.table] }

    mutating func see(_ event: PuckEvent, on link: PuckLink?, _ report: inout RuleReport) {
        if event.closing != nil { judged[event.connection] = nil }
        guard case .table(let table) = event.content else { return }
        let moments = [link?.discovered ?? event.moment]
        judgeConfigurations(table, event.connection, moments, &report)
        judgeServices(table, event.connection, moments, &report)
        guard let service = table.services.first(where: { $0.uuid == dialect.service }), service.hasAllCharacteristics
        else { return }
        judge(service, event.connection, moments, &report)
    }

    /// Whether nothing was said of a rule on a connection yet.
    private func isOpen(_ rule: RuleIndex, _ connection: Int) -> Bool { judged[connection]?.contains(rule) != true }

    /// Says once for each connection what came of a rule; nil for obeyed.
    private mutating func say(
        _ rule: RuleIndex, _ connection: Int, _ fault: (expected: String, observed: String)?,
        _ moments: [FrameReference],
        _ report: inout RuleReport
    ) {
        guard judged[connection, default: []].insert(rule).inserted else { return }
        guard let fault else { return report.pass(rule) }
        report.fail(rule, expected: fault.expected, observed: fault.observed, at: moments, bytes: [])
    }

    /// AQ-016
    private mutating func judgeServices(
        _ table: AttributeTable, _ connection: Int, _ moments: [FrameReference], _ report: inout RuleReport
    ) {
        guard table.hasAllServices, isOpen(.aq016, connection) else { return }
        let wanted: [UUID] = [0x180A, 0x180F, dialect.service]
        let wrong = wanted.map { uuid in (uuid, table.services.count { $0.uuid == uuid }) }.filter { $0.1 != 1 }
        say(
            .aq016, connection,
            wrong.first.map { ("service \($0.0) once", "\($0.1) of them") }, moments, &report)
    }

    /// AQ-017, AQ-018, AQ-025
    private mutating func judge(
        _ service: AttributeTable.Service, _ connection: Int, _ moments: [FrameReference], _ report: inout RuleReport
    ) {
        let rule: RuleIndex = dialect == .shipped ? .aq017 : .aq025
        guard isOpen(rule, connection) else { return }
        let wanted = dialect.characteristics.map { (dialect.characteristic($0.number), $0.properties) }
        let found = service.characteristics
        var fault: (expected: String, observed: String)?
        for (uuid, properties) in wanted {
            guard let entry = found.first(where: { $0.uuid == uuid }) else {
                fault = fault ?? ("characteristic \(uuid)", "it is not there")
                continue
            }
            if entry.properties != properties {
                fault =
                    fault
                    ?? (
                        "\(properties.names.joined(separator: ", ")) of \(uuid)",
                        entry.properties.names.joined(separator: ", ")
                    )
            }
        }
        if fault == nil, found.count != wanted.count {
            fault = ("\(wanted.count) characteristics", "\(found.count)")
        }
        say(rule, connection, fault, moments, &report)
        guard dialect == .shipped else { return }
        let order = wanted.map(\.0).filter { uuid in found.contains { $0.uuid == uuid } }
        let isInOrder = found.map(\.uuid).filter { order.contains($0) } == order
        say(
            .aq018, connection, isInOrder ? nil : ("the order 1, 2, 5, 3, 4, 6, 7, 8", "another one"), moments,
            &report)
    }

    /// AQ-019
    private mutating func judgeConfigurations(
        _ table: AttributeTable, _ connection: Int, _ moments: [FrameReference], _ report: inout RuleReport
    ) {
        guard isOpen(.aq019, connection) else { return }
        var fault: (expected: String, observed: String)?
        let all = table.characteristics
        let known = all.filter(\.hasAllDescriptors)
        for entry in known {
            let tells = !entry.properties.isDisjoint(with: [.notify, .indicate])
            let count = entry.descriptors.count { $0.uuid == .clientCharacteristicConfiguration }
            if count != (tells ? 1 : 0) {
                fault = fault ?? ("\(tells ? "one CCCD" : "no CCCD") of \(entry.uuid)", "\(count)")
            }
        }
        // While discovery goes on, what is known may still be all right.
        guard fault != nil || !known.isEmpty && known.count == all.count else { return }
        say(.aq019, connection, fault, moments, &report)
    }
}
