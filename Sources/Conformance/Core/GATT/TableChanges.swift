import Bluetooth
import Captures
import Conversation
package import PluginKit
import Profile

/// The handle range of a Service Changed indication.
package struct ChangedRange: Sendable {
    package let start: UInt16
    package let end: UInt16

    static let interest = RuleInterest.att(.handleValueIndication)

    /// Nil for other PDUs, and for a value of another length.
    package init?(_ event: Event) {
        guard event.payload.count == 7, event.characteristic?.type == .serviceChanged,
            let start = event.attributeValue?.u16(0), let end = event.attributeValue?.u16(2)
        else { return nil }
        (self.start, self.end) = (start, end)
    }

    /// Whether an indication is Service Changed, or may be, because its attribute is unknown.
    static func mayBeReported(by event: Event) -> Bool {
        guard event.payload.count == 7, let start = event.attributeValue?.u16(0), let end = event.attributeValue?.u16(2)
        else {
            return false
        }
        return start > 0 && start <= end && (event.attribute == nil || event.characteristic?.type == .serviceChanged)
    }

    /// The range of handles; nil if it ends before it begins.
    var handles: ClosedRange<Handle>? { start <= end ? Handle(start)...Handle(end) : nil }

    package func contains(_ handle: UInt16) -> Bool { handle >= start && handle <= end }
    package func overlaps(_ range: RequestedRange) -> Bool { range.start <= end && range.end >= start }
    func overlaps(_ range: ClosedRange<UInt16>) -> Bool { range.lowerBound <= end && range.upperBound >= start }
}

struct TableChangeIsIndicated: SpecificationRule {
    static let info = RuleInfo(
        "CORE-GATT-17", "A server's table stays the same in a connection, unless it indicates Service Changed.",
        role: .peripheral, source: "Vol 3, Part G, 2.5.2 and 7.1",
        hint: "Indicate Service Changed with the range of handles before answering from the new table.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> {
        [
            .att(.readByGroupTypeResponse), ListedCharacteristics.interest, ChangedRange.interest,
        ]
    }

    /// A declaration as discovered.
    private struct Declaration: Equatable {
        var value: [UInt8]
        /// Last handle of a service; for a characteristic, the handle of the declaration.
        var end: UInt16
    }

    /// Declarations by direction of the server and by handle.
    private var discovered = PerDirection<[UInt16: Declaration]>([:])
    private static let limit = 1024

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if let change = ChangedRange(event) {
            // The last service may end at 0xffff until another one is added after it (Vol 3, Part G, 3.1).
            discovered[event.direction] = discovered[event.direction].filter { handle, declaration in
                !change.overlaps(handle...max(handle, declaration.end))
            }
        }
        guard case .att = event.content, let type = event.request?.type else { return }
        var entries: [(handle: Handle, declaration: Declaration)] = []
        if let list = event.att(ATT.ReadByGroupTypeResponse.self), type == .primaryService {
            entries = list.groups.map { group in
                (group.handle, Declaration(value: group.value, end: group.end.rawValue))
            }
        } else if let list = event.att(ATT.ReadByTypeResponse.self), type == .characteristic {
            entries = list.entries.map { ($0.handle, Declaration(value: $0.value, end: $0.handle.rawValue)) }
        }
        if entries.isEmpty { return }
        for (handle, declaration) in entries {
            if let before = discovered[event.direction][handle.rawValue], before != declaration {
                discovered[event.direction].removeAll()
                return report.fail(
                    expected: "Service Changed first",
                    observed: "another declaration at \(event.name(of: handle)) than before")
            }
            if discovered[event.direction].count < Self.limit {
                discovered[event.direction][handle.rawValue] = declaration
            }
        }
        report.pass()
    }
}

struct ChangeIsDiscovered: SpecificationRule {
    static let info = RuleInfo(
        "CORE-GATT-18", "After Service Changed a client uses no handle of the range before it has discovered it again.",
        role: .client, source: "Vol 3, Part G, 2.5.2 and 7.1",
        hint: "Throw the cached table away when the indication comes, then discover the range.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> {
        Set(RequestedRange.opcodes.map { .att($0) }).union([
            ChangedRange.interest, .att(.handleValueConfirmation), .att(.readRequest), .att(.readBlobRequest),
            .att(.writeRequest), .att(.writeCommand), .att(.prepareWriteRequest),
        ])
    }

    /// The last change, by direction of the client. It takes effect with the client's confirmation, which comes on the
    /// same bearer.
    private var changed = PerDirection<(range: ChangedRange, bearer: UInt8, isConfirmed: Bool)?>(nil)

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .att(let att) = event.content else { return }
        if let range = ChangedRange(event) {
            changed[event.direction.opposite] = (range, att.bearer, false)
            return
        }
        guard let (range, bearer, isConfirmed) = changed[event.direction] else { return }
        if att.opcode == .handleValueConfirmation {
            if att.bearer == bearer { changed[event.direction]?.isConfirmed = true }
        } else if let asked = RequestedRange(event) {
            guard range.overlaps(asked) else { return }
            changed[event.direction] = nil
            report.pass()
        } else if isConfirmed, range.contains(att.handle.rawValue) {
            changed[event.direction] = nil
            report.fail(
                expected: "discovery of \(hex(range.start)) to \(hex(range.end)) first",
                observed: "\(att.opcode.name ?? "use") of \(event.name(of: att.handle))")
        }
    }
}

struct ServiceChangedIsLegal: SpecificationRule {
    static let info = RuleInfo(
        "CORE-GATT-19", "Service Changed has four bytes: a first handle above 0, and a last one that is not before it.",
        role: .peripheral, source: "Vol 3, Part G, 7.1", hint: "0x0001 to 0xffff says that all may have changed.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> { [ChangedRange.interest] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard event.characteristic?.type == .serviceChanged, let value = event.attributeValue else { return }
        guard let range = ChangedRange(event) else {
            return report.fail(expected: "four bytes", observed: "\(value.count) bytes")
        }
        report.expect(
            range.start > 0 && range.start <= range.end, expected: "start <= end, start above 0",
            observed: "\(hex(range.start)) to \(hex(range.end))")
    }
}
