import Bluetooth
import Captures
import Conversation
import PluginKit
import Profile

struct PreparedWriteIsEchoed: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-23", "Prepare Write Response has the handle, offset and value of its request.", role: .peripheral,
        source: "Vol 3, Part F, 3.4.6.2", hint: "Send the request's parameters back: reliable writes compare them.")
    static let basis = RuleBasis.response
    var interests: Set<RuleInterest> { [.att(.prepareWriteRequest), .att(.prepareWriteResponse), .bearers] }

    private var sent = PerBearer<ArraySlice<UInt8>?>(nil)

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if case .bearerClosed(let bearer) = event.content { sent.close(bearer) }
        guard case .att(let att) = event.content else { return }
        if att.kind == .request {
            sent[att.bearer, event.direction] = Array(event.payload.dropFirst())[...]
            return
        }
        guard let request = sent[att.bearer, event.direction.opposite], event.request != nil else { return }
        sent[att.bearer, event.direction.opposite] = nil
        report.expect(
            event.payload.dropFirst().elementsEqual(request), expected: "the parameters of the request",
            observed: "others")
    }
}

struct ExecuteFlagsAreLegal: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-24", "The flags of Execute Write Request are 0x00 or 0x01.", role: .client,
        source: "Vol 3, Part F, 3.4.6.3", hint: "0x00 cancels all prepared writes, 0x01 writes them.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { [.att(.executeWriteRequest)] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let flags = event.att(ATT.ExecuteWriteRequest.self)?.flags else { return }
        report.expect(flags <= 1, expected: "0x00 or 0x01", observed: hex(flags))
    }
}

struct ValueIsNotTooLong: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-25", "The value of an attribute has 512 bytes at most.", role: .traffic,
        source: "Vol 3, Part F, 3.2.9", hint: "Spread what is longer over several values.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> {
        .att(.notification, .indication).union([
            .att(.readResponse), .att(.readBlobResponse), .att(.writeRequest), .att(.writeCommand),
            .att(.prepareWriteRequest),
        ])
    }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .att(let att) = event.content,
            let start = ATT.Opcode.table.shape(of: att.opcode)?.valueOffset
        else { return }
        let part = event.payload.count - start
        let offset =
            switch att.opcode {
            case .readBlobResponse: Int(event.request?.offset ?? 0)
            case .prepareWriteRequest: Int(event.att(ATT.PrepareWriteRequest.self)?.offset ?? 0)
            default: 0
            }
        let length = offset + part
        if length <= ATT.maximumValueLength { return report.pass() }
        // The offset is that of the request, which may be another one if PDUs are missing.
        report.fail(
            unless: att.opcode == .readBlobResponse ? event.connection.loss : nil, expected: "512 bytes at most",
            observed: offset == 0
                ? "\(length) bytes" : "\(part == 0 ? "an empty part" : "\(part) bytes") at offset \(offset)")
    }
}
