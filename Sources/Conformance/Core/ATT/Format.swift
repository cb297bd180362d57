import ATT
import PluginKit

/// How long a PDU may be, from its opcode on.
struct ATTLength {
    let shortest: Int
    var longest = Int.max
    /// What is beyond the shortest comes in pieces of this many bytes.
    var step = 1

    func holds(_ count: Int) -> Bool {
        count >= shortest && count <= longest && (count - shortest) % step == 0
    }

    /// The PDU of an opcode (Vol 3, Part F, 3.4); nil where its own bytes tell, or for an unknown opcode.
    init?(of opcode: ATT.Opcode) {
        switch opcode {
        case .errorResponse, .findInformationRequest, .readBlobRequest: self.init(exactly: 5)
        case .exchangeMTURequest, .exchangeMTUResponse, .readRequest: self.init(exactly: 3)
        case .writeResponse, .executeWriteResponse, .handleValueConfirmation: self.init(exactly: 1)
        case .executeWriteRequest: self.init(exactly: 2)
        case .readByTypeRequest, .readByGroupTypeRequest: self.init(shortest: 7, longest: 21, step: 14)
        case .findByTypeValueRequest: self.init(shortest: 7)
        case .findByTypeValueResponse: self.init(shortest: 5, step: 4)
        case .readResponse, .readBlobResponse, .readMultipleResponse: self.init(shortest: 1)
        case .readMultipleRequest, .readMultipleVariableRequest: self.init(shortest: 5, step: 2)
        case .writeRequest, .writeCommand, .handleValueNotification, .handleValueIndication: self.init(shortest: 3)
        case .prepareWriteRequest, .prepareWriteResponse: self.init(shortest: 5)
        case .signedWriteCommand: self.init(shortest: 15)
        case .multipleHandleValueNotification: self.init(shortest: 9)
        default: return nil
        }
    }

    private init(exactly count: Int) { self.init(shortest: count, longest: count) }

    private init(shortest: Int, longest: Int = .max, step: Int = 1) {
        (self.shortest, self.longest, self.step) = (shortest, longest, step)
    }

    var text: String {
        if shortest == longest { return "\(shortest) bytes" }
        if step > 1 { return "\(shortest) bytes, and \(step) for each further entry" }
        return "\(shortest) bytes at least"
    }
}

/// What a client sends has the form of its opcode.
struct ClientPDUIsWellFormed: CoreRule {
    static let info = RuleInfo(
        "CORE-ATT-13", "A PDU of the client is as long as its opcode wants it.", role: .client,
        source: "Vol 3, Part F, 3.4", hint: "Look at the format of the PDU: parameters are missing, or there are more.")
    static let basis = RuleBasis.pdu
    static let interests: [TrafficInterest] = .attFromClient

    mutating func see(_ event: borrowing TrafficEvent, _ report: inout CoreReport) {
        guard case .att(let att) = event.content, let length = ATTLength(of: att.opcode) else { return }
        report.judge(
            length.holds(event.payload.count), expected: length.text, observed: "\(event.payload.count) bytes")
    }
}

/// What a server sends has the form of its opcode.
struct ServerPDUIsWellFormed: CoreRule {
    static let info = RuleInfo(
        "CORE-ATT-14", "A PDU of the server is as long as its opcode wants it, and its list is whole entries.",
        role: .peripheral, source: "Vol 3, Part F, 3.4",
        hint: "Look at the format of the PDU; each entry of a list has the length that the list's head tells.")
    static let basis = RuleBasis.pdu
    static let interests: [TrafficInterest] = .attFromServer

    mutating func see(_ event: borrowing TrafficEvent, _ report: inout CoreReport) {
        guard case .att(let att) = event.content else { return }
        let count = event.payload.count
        if let length = ATTLength(of: att.opcode) {
            return report.judge(length.holds(count), expected: length.text, observed: "\(count) bytes")
        }
        guard let entry = entryLength(att.opcode, event) else { return }
        report.judge(
            entry > 0 && count > 2 && (count - 2) % entry == 0, expected: "entries of \(entry) bytes",
            observed: "\(max(0, count - 2)) bytes of entries")
    }

    /// Bytes of an entry of a list that tells it; 0 for one that cannot be.
    private func entryLength(_ opcode: ATT.Opcode, _ event: borrowing TrafficEvent) -> Int? {
        let told = Int(event.bytes.u8(1) ?? 0)
        switch opcode {
        case .readByTypeResponse: return told >= 2 ? told : 0
        case .readByGroupTypeResponse: return told >= 4 ? told : 0
        case .findInformationResponse: return told == 1 ? 4 : told == 2 ? 18 : 0
        default: return nil
        }
    }
}
