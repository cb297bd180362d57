import Bluetooth
import Conversation
import PluginKit
import Profile

extension Event {
    /// The advertisement with its complete data; nil for other events.
    var advertisement: Advertisement? {
        guard case .advertised(let advertisement) = content else { return nil }
        return advertisement
    }

    /// The AD structures of these types.
    func structures(_ types: GAP.DataType...) -> [Advertisement.Structure] {
        advertisement.map { structures(of: $0).all.filter { types.contains(GAP.DataType(rawValue: $0.type)) } } ?? []
    }
}

struct StructuresTile: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ADV-01", "AD structures fill the advertising data: each is as long as its length says.",
        role: .peripheral, source: "Vol 3, Part C, 11", hint: "The length counts the type and the data, not itself.")
    static let basis = RuleBasis.pdu
    var scope: RuleScope { .advertiser }
    var interests: Set<RuleInterest> { [.advertising] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let advertisement = event.advertisement, !advertisement.data.isEmpty else { return }
        let rest = advertisement.data.suffix(event.structures(of: advertisement).rest)
        // A length of 0 ends the data early, which `NothingAfterEnd` checks.
        report.expect(
            rest.first ?? 0 == 0, expected: "a structure of \(rest.first ?? 0) bytes",
            observed: "\(max(0, rest.count - 1)) bytes")
    }
}

struct NothingAfterEnd: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ADV-02", "After a length of 0, which ends advertising data early, all bytes are 0.", role: .peripheral,
        source: "Vol 3, Part C, 11", hint: "Fill up with zeros, or shorten the data.")
    static let basis = RuleBasis.pdu
    var scope: RuleScope { .advertiser }
    var interests: Set<RuleInterest> { [.advertising] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let advertisement = event.advertisement else { return }
        let rest = advertisement.data.suffix(event.structures(of: advertisement).rest)
        guard rest.first == 0 else { return }
        let stray = rest.first { $0 != 0 }
        report.expect(stray == nil, expected: "zeros", observed: hex(stray ?? 0))
    }
}

struct TypesComeOnce: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ADV-03", "Advertising data has each of flags, name, appearance and LE role once at most.",
        role: .peripheral, source: "CSS, Part A, 1.2, 1.3, 1.12 and 1.17", hint: "Leave the second one out.")
    static let basis = RuleBasis.pdu
    var scope: RuleScope { .advertiser }
    var interests: Set<RuleInterest> { [.advertising] }

    private static let groups: [[GAP.DataType]] = [
        [.flags], [.shortenedLocalName, .completeLocalName], [.appearance], [.leRole],
    ]

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        report.expectOnce(Self.groups, event)
    }
}

struct ServiceListsComeOnce: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ADV-04", "Advertising data has one list of service UUIDs of each size at most.", role: .peripheral,
        source: "CSS, Part A, 1.1", hint: "Put all UUIDs of a size into one list, complete or incomplete.")
    static let basis = RuleBasis.pdu
    var scope: RuleScope { .advertiser }
    var interests: Set<RuleInterest> { [.advertising] }

    private static let groups: [[GAP.DataType]] = [
        [.incompleteUUIDs16, .completeUUIDs16], [.incompleteUUIDs32, .completeUUIDs32],
        [.incompleteUUIDs128, .completeUUIDs128],
    ]

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        report.expectOnce(Self.groups, event)
    }
}

extension RuleReport {
    /// Expects at most one structure of each group of types; reports nothing if there is none of any group.
    fileprivate mutating func expectOnce(_ groups: [[GAP.DataType]], _ event: Event) {
        guard let advertisement = event.advertisement else { return }
        let types = event.structures(of: advertisement).all.map { GAP.DataType(rawValue: $0.type) }
        var isThere = false
        for group in groups {
            let count = types.count { group.contains($0) }
            isThere = isThere || count > 0
            if count > 1 {
                return fail(expected: "\(group.first?.name ?? "a type") once", observed: "\(count) of them")
            }
        }
        if isThere { pass() }
    }
}

struct StructuresHaveTheirLength: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ADV-05", "An AD structure is as long as its type wants it.", role: .peripheral, source: "CSS, Part A, 1",
        hint: "Lists hold whole UUIDs; service data and manufacturer data begin with what they belong to.")
    static let basis = RuleBasis.pdu
    var scope: RuleScope { .advertiser }
    var interests: Set<RuleInterest> { [.advertising] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let advertisement = event.advertisement else { return }
        for structure in event.structures(of: advertisement).all {
            let type = GAP.DataType(rawValue: structure.type)
            guard let isFine = Self.isFine(structure.value.count, type) else { continue }
            report.expect(
                isFine, expected: "the length of \(type.name ?? hex(structure.type))",
                observed: "\(structure.value.count) bytes")
        }
    }

    /// Whether the length is valid; nil for a type of any length (CSS, Part A, 1).
    private static func isFine(_ count: Int, _ type: GAP.DataType) -> Bool? {
        switch type {
        case .incompleteUUIDs16, .completeUUIDs16, .solicitedUUIDs16: count % 2 == 0
        case .incompleteUUIDs32, .completeUUIDs32, .solicitedUUIDs32: count % 4 == 0
        case .incompleteUUIDs128, .completeUUIDs128, .solicitedUUIDs128: count % 16 == 0
        case .txPowerLevel, .leRole: count == 1
        case .appearance, .advertisingInterval: count == 2
        case .connectionIntervalRange: count == 4
        case .leDeviceAddress: count == 7
        case .serviceData16: count >= 2
        case .serviceData32: count >= 4
        case .serviceData128: count >= 16
        case .manufacturerData: count >= 2
        default: nil
        }
    }
}
