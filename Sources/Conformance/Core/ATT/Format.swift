import Bluetooth
import Conversation
import PluginKit
import Profile

extension ATT.PDULength {
    fileprivate var text: String {
        if shortest == longest { return "\(shortest) bytes" }
        if step > 1 { return "\(shortest) bytes, and \(step) for each further entry" }
        return "\(shortest) bytes at least"
    }
}

struct ClientPDUIsWellFormed: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-13", "A PDU of the client is as long as its opcode wants it.", role: .client,
        source: "Vol 3, Part F, 3.4", hint: "Look at the format of the PDU: parameters are missing, or there are more.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { .attFromClient }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .att(let att) = event.content, let length = ATT.Opcode.table[att.opcode]?.length
        else { return }
        report.expect(
            length.contains(event.payload.count), expected: length.text, observed: "\(event.payload.count) bytes")
    }
}

struct ServerPDUIsWellFormed: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-14", "A PDU of the server is as long as its opcode wants it, and its list is whole entries.",
        role: .peripheral, source: "Vol 3, Part F, 3.4",
        hint: "Look at the format of the PDU; each entry of a list has the length that the list's head tells.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { .attFromServer }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .att(let att) = event.content, let row = ATT.Opcode.table[att.opcode] else { return }
        let count = event.payload.count
        if let length = row.length {
            return report.expect(length.contains(count), expected: length.text, observed: "\(count) bytes")
        }
        guard let entry = row.entries?.bytes(event.bytes.u8(1) ?? 0) else { return }
        report.expect(
            entry > 0 && count > 2 && (count - 2) % entry == 0, expected: "entries of \(entry) bytes",
            observed: "\(max(0, count - 2)) bytes of entries")
    }
}
