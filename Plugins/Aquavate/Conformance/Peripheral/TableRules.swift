import Bluetooth
import PluginKit
import Profile

/// The puck's attributes as discovered (section 3).
struct TableRules: Rule {
    private let pucks: PuckTracker
    private let dialect: Dialect
    /// Rules that have a verdict: later discovery does not check them again.
    private var checked: Set<RuleIndex> = []

    init(_ dialect: Dialect, _ pucks: PuckTracker) {
        self.pucks = pucks
        self.dialect = dialect
    }

    var rules: [RuleIndex] {
        [.aq016, .aq019] + (dialect == .shipped ? [.aq017, .aq018] : [.aq025])
    }
    var interests: Set<RuleInterest> { [.table] }

    /// A violation, and the responses that contain its bytes; none for a missing attribute.
    private struct Fault {
        var expected: String
        var observed: String
        var moments: [FrameReference?] = []
    }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .table(let table) = event.content else { return }
        let end = pucks[event]?.discovered ?? event.moment
        checkConfigurations(table, end, &report)
        checkServices(table, end, &report)
        guard let service = table.services.first(where: { $0.uuid == dialect.service }), service.hasAllCharacteristics
        else { return }
        check(service, end, &report)
    }

    /// Reports the verdict of a rule once: a fault, or nil for a pass. A missing attribute is reported at the end of
    /// discovery.
    private mutating func say(_ rule: RuleIndex, _ fault: Fault?, _ end: FrameReference, _ report: inout RuleReport) {
        guard checked.insert(rule).inserted else { return }
        guard let fault else { return report.pass(rule) }
        let moments = Set(fault.moments.compactMap(\.self)).sorted()
        report.fail(
            rule, expected: fault.expected, observed: fault.observed, at: moments.isEmpty ? [end] : moments, bytes: [])
    }

    /// AQ-016
    private mutating func checkServices(_ table: AttributeTable, _ end: FrameReference, _ report: inout RuleReport) {
        guard table.hasAllServices, !checked.contains(.aq016) else { return }
        let wanted: [UUID] = [0x180A, 0x180F, dialect.service]
        let wrong = wanted.map { uuid in (uuid, table.services.filter { $0.uuid == uuid }) }.first { $0.1.count != 1 }
        let fault = wrong.map { uuid, services in
            Fault(
                expected: "service \(uuid) once", observed: "\(services.count) of them",
                moments: services.prefix(2).map(\.declared))
        }
        say(.aq016, fault, end, &report)
    }

    /// AQ-017, AQ-018, AQ-025
    private mutating func check(_ service: AttributeTable.Service, _ end: FrameReference, _ report: inout RuleReport) {
        let rule: RuleIndex = dialect == .shipped ? .aq017 : .aq025
        guard !checked.contains(rule) else { return }
        let wanted = dialect.characteristics.map { (uuid: dialect.characteristic($0.number), $0.properties) }
        let found = service.characteristics
        say(rule, fault(of: found, wanted), end, &report)
        guard dialect == .shipped else { return }
        let known = found.filter { entry in wanted.contains { $0.uuid == entry.uuid } }
        let order = wanted.map(\.uuid).filter { uuid in known.contains { $0.uuid == uuid } }
        let misplaced = known.indices.first { !order.indices.contains($0) || known[$0].uuid != order[$0] }
        let fault = misplaced.map {
            Fault(
                expected: "the order 1, 2, 5, 3, 4, 6, 7, 8", observed: "another one", moments: [known[$0].declared])
        }
        say(.aq018, fault, end, &report)
    }

    /// The first fault of a service's characteristics.
    private func fault(
        of found: [AttributeTable.Characteristic], _ wanted: [(uuid: UUID, properties: GATT.Properties)]
    ) -> Fault? {
        for (uuid, properties) in wanted {
            guard let entry = found.first(where: { $0.uuid == uuid }) else {
                return Fault(expected: "characteristic \(uuid)", observed: "it is not there")
            }
            if entry.properties != properties {
                return Fault(
                    expected: "\(properties.names.joined(separator: ", ")) of \(uuid)",
                    observed: entry.properties.names.joined(separator: ", "), moments: [entry.declared])
            }
        }
        guard found.count != wanted.count else { return nil }
        var open = wanted.map(\.uuid)
        let extra = found.first { entry in
            guard let place = open.firstIndex(of: entry.uuid) else { return true }
            open.remove(at: place)
            return false
        }
        return Fault(
            expected: "\(wanted.count) characteristics", observed: "\(found.count)", moments: [extra?.declared])
    }

    /// AQ-019
    private mutating func checkConfigurations(
        _ table: AttributeTable, _ end: FrameReference, _ report: inout RuleReport
    ) {
        guard !checked.contains(.aq019) else { return }
        let all = table.characteristics
        let known = all.filter(\.hasAllDescriptors)
        let fault = known.lazy.compactMap { Self.faultOfConfiguration($0, end) }.first
        // The rule passes only when all descriptors have been discovered.
        guard fault != nil || !known.isEmpty && known.count == all.count else { return }
        say(.aq019, fault, end, &report)
    }

    /// A missing CCCD, with the declaration that requires it, or an unexpected one.
    private static func faultOfConfiguration(
        _ entry: AttributeTable.Characteristic, _ end: FrameReference
    ) -> Fault? {
        let needsOne = !entry.properties.isDisjoint(with: [.notify, .indicate])
        let found = entry.descriptors.filter { $0.uuid == .clientCharacteristicConfiguration }
        guard found.count != (needsOne ? 1 : 0) else { return nil }
        return Fault(
            expected: "\(needsOne ? "one CCCD" : "no CCCD") of \(entry.uuid)", observed: "\(found.count)",
            moments: [entry.declared, found.isEmpty ? end : found.last?.listed])
    }
}
