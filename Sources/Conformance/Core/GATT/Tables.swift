import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit
import Profile

/// The characteristic declarations listed by a Read By Type Response.
struct ListedCharacteristics {
    let all: [(handle: Handle, declaration: GATT.CharacteristicDeclaration)]

    static let interest = RuleInterest.att(.readByTypeResponse)

    /// Nil for other PDUs.
    init?(_ event: Event) {
        guard case .att = event.content, event.request?.type == .characteristic,
            let list = event.att(ATT.ReadByTypeResponse.self)
        else { return nil }
        all = list.entries.compactMap { entry in
            (try? GATT.CharacteristicDeclaration(decoding: entry.value)).map { (entry.handle, $0) }
        }
    }
}

struct ValueFollowsDeclaration: SpecificationRule {
    static let info = RuleInfo(
        "CORE-GATT-13", "The value of a characteristic has the handle after its declaration.", role: .peripheral,
        source: "Vol 3, Part G, 3.3.2", hint: "Leave no handle out between a declaration and its value.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> { [ListedCharacteristics.interest] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let list = ListedCharacteristics(event) else { return }
        let wrong = list.all.first { Int($0.declaration.valueHandle.rawValue) != Int($0.handle.rawValue) + 1 }
        report.expect(
            wrong == nil, expected: "the value right after its declaration",
            observed: wrong.map { "the value of \($0.handle) at \(event.name(of: $0.declaration.valueHandle))" } ?? "")
    }
}

struct NotifierIsConfigurable: SpecificationRule {
    static let info = RuleInfo(
        "CORE-GATT-14", "A characteristic that says Notify or Indicate has a configuration descriptor.",
        role: .peripheral, source: "Vol 3, Part G, 3.3.1.1 and 3.3.3.3",
        hint: "Add descriptor 0x2902; without it no client can turn the notifications on.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> {
        [
            ListedCharacteristics.interest, .att(.findInformationResponse), .att(.errorResponse), ChangedRange.interest,
        ]
    }

    /// Handles of values that can be notified or indicated, by direction of the server.
    private var notifiers = PerDirection<Set<UInt16>>([])
    private static let limit = 512

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if let list = ListedCharacteristics(event) { return handle(list, event, &report) }
        if let change = ChangedRange(event) {
            notifiers[event.direction] = notifiers[event.direction].filter { !change.contains($0) }
        }
        guard case .att = event.content else { return }
        if let list = event.att(ATT.FindInformationResponse.self) {
            for entry in list.entries where entry.type == .clientCharacteristicConfiguration {
                // The descriptor belongs to the last value before it.
                let before = notifiers[event.direction].filter { $0 < entry.handle.rawValue }
                guard let value = before.max() else { continue }
                notifiers[event.direction].remove(value)
                report.pass()
            }
        } else if event.request?.opcode == .findInformationRequest,
            event.att(ATT.ErrorResponse.self)?.errorCode == .attributeNotFound,
            let range = RequestedRange(event.request), range.start > 1,
            let table = event.frame.server?.table,
            range.hasRest(behind: range.start - 1, in: table),
            notifiers[event.direction].remove(range.start - 1) != nil
        {
            report.fail(
                expected: "a configuration descriptor behind \(event.name(of: Handle(range.start - 1)))",
                observed: "no descriptor")
        }
    }

    private mutating func handle(
        _ list: ListedCharacteristics, _ event: Event, _ report: inout RuleReport
    ) {
        for (handle, declaration) in list.all {
            if handle.rawValue > 1, notifiers[event.direction].remove(handle.rawValue - 1) != nil {
                report.fail(
                    expected: "a configuration descriptor behind \(event.name(of: Handle(handle.rawValue - 1)))",
                    observed: "the next characteristic")
            }
            let canUpdate = declaration.properties.contains(.notify) || declaration.properties.contains(.indicate)
            if canUpdate, notifiers[event.direction].count < Self.limit {
                notifiers[event.direction].insert(declaration.valueHandle.rawValue)
            }
        }
    }
}

extension RequestedRange {
    /// Whether the range covers all handles that descriptors of the characteristic with this value can have: a table
    /// may skip handles (Vol 3, Part F, 3.2.2).
    fileprivate func hasRest(behind value: UInt16, in table: GATT.Table) -> Bool {
        end == .max
            || table.services.contains {
                $0.start.rawValue <= value && value <= $0.end.rawValue && $0.end.rawValue <= end
            }
            || table.characteristics.contains { $0.declaration.rawValue > value && $0.declaration.rawValue - 1 <= end }
    }
}

struct GenericAccessIsComplete: SpecificationRule {
    static let info = RuleInfo(
        "CORE-GATT-15", "The Generic Access service has Device Name and Appearance.", role: .peripheral,
        source: "Vol 3, Part C, 12", hint: "Both characteristics are mandatory.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> {
        [
            .att(.readByGroupTypeResponse), ListedCharacteristics.interest, .att(.errorResponse), ChangedRange.interest,
        ]
    }

    /// The discovery of a server's Generic Access service.
    private struct Discovery {
        var service: ClosedRange<UInt16>?
        var found: Set<UUID> = []
        /// Handles searched for characteristics.
        var searched = HandleSet()
        var isDone = false
    }

    /// By direction of the server.
    private var discoveries = PerDirection(Discovery())

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        handle(event, &discoveries[event.direction], &report)
    }

    private func handle(_ event: Event, _ discovery: inout Discovery, _ report: inout RuleReport) {
        if discovery.isDone { return }
        if let change = ChangedRange(event), let service = discovery.service, change.overlaps(service) {
            discovery = Discovery()
        }
        if let list = event.att(ATT.ReadByGroupTypeResponse.self) {
            guard let group = list.groups.first(where: { $0.service == Self.genericAccess }), group.handle <= group.end
            else { return }
            discovery.service = group.handle.rawValue...group.end.rawValue
            return
        }
        guard let service = discovery.service, case .att = event.content, event.request?.type == .characteristic,
            let range = RequestedRange(event.request), range.isLegal
        else { return }
        if let list = ListedCharacteristics(event), let last = list.all.last {
            for (handle, declaration) in list.all where service.contains(handle.rawValue) {
                discovery.found.insert(declaration.type)
            }
            // The value of the last characteristic follows its declaration, so no other declaration is at its handle.
            discovery.searched.insert(
                Handle(range.start), through: max(last.handle, last.declaration.valueHandle))
        } else if event.att(ATT.ErrorResponse.self)?.errorCode == .attributeNotFound {
            discovery.searched.insert(Handle(range.start), through: Handle(range.end))
        }
        // The service's first handle is its own declaration.
        if discovery.searched.coversRest(of: Handle(service.lowerBound), through: Handle(service.upperBound)) {
            discovery.isDone = true
            check(discovery.found, &report)
        }
    }

    private static let genericAccess = UUID(0x1800)
    private static let appearance = UUID(0x2A01)

    private func check(_ found: Set<UUID>, _ report: inout RuleReport) {
        if found.isSuperset(of: [.deviceName, Self.appearance]) { return report.pass() }
        report.fail(
            expected: "Device Name (0x2a00) and Appearance (0x2a01)",
            observed: found.isEmpty ? "none" : found.map(\.description).sorted().joined(separator: ", "))
    }
}

struct GenericAccessIsUnique: SpecificationRule {
    static let info = RuleInfo(
        "CORE-GATT-16", "A server has one Generic Access service.", role: .peripheral, source: "Vol 3, Part C, 12",
        hint: "Register the service once.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> {
        [
            .att(.readByGroupTypeResponse), .att(.errorResponse), ChangedRange.interest,
        ]
    }

    /// First handles of the services, by direction of the server.
    private var starts = PerDirection<Set<UInt16>>([])

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if let change = ChangedRange(event) {
            starts[event.direction] = starts[event.direction].filter { !change.contains($0) }
        } else if let list = event.att(ATT.ReadByGroupTypeResponse.self) {
            let before = starts[event.direction].count
            for group in list.groups where group.service == UUID(0x1800) && starts[event.direction].count < 2 {
                starts[event.direction].insert(group.handle.rawValue)
            }
            if starts[event.direction].count > 1, before < 2 {
                report.fail(expected: "one service 0x1800", observed: "another one")
            }
        } else if case .att = event.content, event.request?.type == .primaryService,
            starts[event.direction].count == 1, event.att(ATT.ErrorResponse.self)?.errorCode == .attributeNotFound
        {
            report.pass()
        }
    }
}
