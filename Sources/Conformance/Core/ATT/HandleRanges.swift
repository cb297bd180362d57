import Bluetooth
import Captures
package import Conversation
package import PluginKit
import Profile

/// The handle range of a discovery request.
package struct RequestedRange {
    package var start: UInt16
    package var end: UInt16

    /// Nil for other PDUs, and for truncated ones.
    package init?(_ event: Event) {
        guard case .att(let att) = event.content, att.opcode.hasHandleRange,
            let start = event.bytes.u16(1), let end = event.bytes.u16(3)
        else { return nil }
        (self.start, self.end) = (start, end)
    }

    /// The range of an answered request; nil for requests without one.
    package init?(_ request: RequestFacts?) {
        guard let range = request?.range else { return nil }
        (start, end) = range
    }

    static let opcodes = ATT.Opcode.table.rows.map(\.opcode).filter(\.hasHandleRange)

    /// Whether the range is valid (Vol 3, Part F, 3.4.3.1).
    package var isLegal: Bool { start > 0 && start <= end }

    var text: String { "\(hex(start)) to \(hex(end))" }
}

struct RangeIsOrdered: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-15", "A range of handles begins at 0x0001 or later, and does not end before it begins.",
        role: .client, severity: .warning, source: "Vol 3, Part F, 3.4.3.1, 3.4.3.3, 3.4.4.1, 3.4.4.9",
        hint: "End the search after 0xffff; a range that wraps around is refused with Invalid Handle.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { Set(RequestedRange.opcodes.map { .att($0) }) }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let range = RequestedRange(event) else { return }
        report.expect(range.isLegal, expected: "start <= end, start above 0", observed: range.text)
    }
}

struct BadRangeIsRefused: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-16", "A server refuses a range of handles that begins at 0 or after its end with Invalid Handle.",
        role: .peripheral, source: "Vol 3, Part F, 3.4.3.1, 3.4.3.3, 3.4.4.1, 3.4.4.9",
        hint: "Check the range before looking for attributes.")
    static let basis = RuleBasis.response
    var interests: Set<RuleInterest> { .att(.response) }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .att(let att) = event.content, let range = RequestedRange(event.request), !range.isLegal
        else { return }
        let code = event.att(ATT.ErrorResponse.self)?.errorCode
        report.expect(
            code.map { Self.refuses(event.request, by: $0) } == true, expected: "Invalid Handle for \(range.text)",
            observed: code.map { $0.name ?? hex($0.rawValue) } ?? att.opcode.name ?? "another response")
    }

    /// Whether an error is correct for the range, or for another reason to refuse the request: its opcode, its group
    /// type, or a client that is unaware of a change of the table (Vol 3, Part F, 3.4.4.9; Vol 3, Part G, 2.5.2.1).
    private static func refuses(_ request: RequestFacts?, by code: ATT.ErrorCode) -> Bool {
        switch code {
        case .invalidHandle, .requestNotSupported: true
        case .unsupportedGroupType: request?.type != .primaryService && request?.type != .secondaryService
        case .databaseOutOfSync: request?.opcode == .readByTypeRequest
        default: false
        }
    }
}

struct ListIsInRange: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-17", "A response of discovery lists only handles of the range that was asked for.",
        role: .peripheral, source: "Vol 3, Part F, 3.4.3.2, 3.4.3.4, 3.4.4.2, 3.4.4.10",
        hint: "Begin at the request's starting handle and stop at its ending handle.")
    static let basis = RuleBasis.response
    var interests: Set<RuleInterest> { ListedHandles.interests }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .att = event.content, let range = RequestedRange(event.request),
            let handles = ListedHandles(event)?.handles
        else { return }
        let stray = handles.first { $0 < range.start || $0 > range.end }
        report.expect(
            stray == nil, expected: "handles from \(range.text)", observed: event.name(of: Handle(stray ?? 0)))
    }
}

struct ListIsAscending: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-18", "A response of discovery lists handles in ascending order, and groups that do not overlap.",
        role: .peripheral, source: "Vol 3, Part F, 3.4.3.2, 3.4.3.4, 3.4.4.2, 3.4.4.10",
        hint: "Sort the table by handle; a client goes on behind the last entry and would miss what comes before.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { ListedHandles.interests }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let list = ListedHandles(event) else { return }
        var last = 0
        for (handle, end) in zip(list.handles, list.ends) {
            if Int(handle) <= last || end < handle {
                return report.fail(
                    expected: last == 0 ? "an end at \(hex(handle)) or later" : "a handle above \(hex(UInt16(last)))",
                    observed: event.name(of: Handle(handle)) + (end < handle ? " to \(hex(end))" : ""))
            }
            last = Int(end)
        }
        report.pass()
    }
}

/// The handles listed by a discovery response, with the ends of their groups.
private struct ListedHandles {
    private(set) var handles: [UInt16] = []
    /// Equal to the handle for entries that are not groups.
    private(set) var ends: [UInt16] = []

    static let interests: Set<RuleInterest> = [
        .att(.findInformationResponse), .att(.findByTypeValueResponse), .att(.readByTypeResponse),
        .att(.readByGroupTypeResponse),
    ]

    init?(_ event: Event) {
        switch event.pdu {
        case let list as ATT.FindInformationResponse:
            handles = list.entries.map(\.handle.rawValue)
            ends = handles
        case let list as ATT.ReadByTypeResponse:
            handles = list.entries.map(\.handle.rawValue)
            ends = handles
        case let list as ATT.FindByTypeValueResponse:
            handles = list.groups.map(\.handle.rawValue)
            ends = list.groups.map(\.end.rawValue)
        case let list as ATT.ReadByGroupTypeResponse:
            handles = list.groups.map(\.handle.rawValue)
            ends = list.groups.map(\.end.rawValue)
        default: return nil
        }
    }
}
