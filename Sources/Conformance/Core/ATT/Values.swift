import ATT
import Captures
import Conversation
import PluginKit
import Profile

/// Parts of a queued write come back as they were sent.
struct PreparedWriteIsEchoed: CoreRule {
    static let info = RuleInfo(
        "CORE-ATT-23", "Prepare Write Response has the handle, offset and value of its request.", role: .peripheral,
        source: "Vol 3, Part F, 3.4.6.2", hint: "Send the request's parameters back: reliable writes compare them.")
    static let basis = RuleBasis.response
    static let interests: [TrafficInterest] = [.att(.prepareWriteRequest), .att(.prepareWriteResponse)]

    private var sent = PerDirection<ArraySlice<UInt8>?>(nil)

    mutating func see(_ event: borrowing TrafficEvent, _ report: inout CoreRuleReport) {
        guard case .att(let att) = event.content else { return }
        if att.kind == .request {
            sent[event.direction] = Array(event.payload.dropFirst())[...]
            return
        }
        guard let request = sent[event.direction.opposite], att.request != nil else { return }
        sent[event.direction.opposite] = nil
        report.judge(
            event.payload.dropFirst().elementsEqual(request), expected: "the parameters of the request",
            observed: "others")
    }
}

/// Queued writes are executed or cancelled.
struct ExecuteFlagsAreLegal: CoreRule {
    static let info = RuleInfo(
        "CORE-ATT-24", "The flags of Execute Write Request are 0x00 or 0x01.", role: .client,
        source: "Vol 3, Part F, 3.4.6.3", hint: "0x00 cancels all prepared writes, 0x01 writes them.")
    static let basis = RuleBasis.pdu
    static let interests: [TrafficInterest] = [.att(.executeWriteRequest)]

    mutating func see(_ event: borrowing TrafficEvent, _ report: inout CoreRuleReport) {
        guard let flags = event.att(ATT.ExecuteWriteRequest.self)?.flags else { return }
        report.judge(flags <= 1, expected: "0x00 or 0x01", observed: hex(flags))
    }
}

/// Values are not too long.
struct ValueIsNotTooLong: CoreRule {
    static let info = RuleInfo(
        "CORE-ATT-25", "The value of an attribute has 512 bytes at most.", role: .traffic,
        source: "Vol 3, Part F, 3.2.9", hint: "Spread what is longer over several values.")
    static let basis = RuleBasis.pdu
    static let interests: [TrafficInterest] =
        .att(.notification, .indication) + [
            .att(.readResponse), .att(.readBlobResponse), .att(.writeRequest), .att(.writeCommand),
            .att(.prepareWriteRequest),
        ]

    /// The longest value, in bytes.
    private static let limit = 512

    mutating func see(_ event: borrowing TrafficEvent, _ report: inout CoreRuleReport) {
        guard case .att(let att) = event.content,
            let start = ATT.Opcode.table.shape(of: att.opcode)?.valueOffset
        else { return }
        var length = event.payload.count - start
        switch att.opcode {
        case .readBlobResponse: length += Int(att.request?.offset ?? 0)
        case .prepareWriteRequest: length += Int(event.att(ATT.PrepareWriteRequest.self)?.offset ?? 0)
        default: break
        }
        if length <= Self.limit { return report.pass() }
        // The offset is the request's, which may have been another one.
        report.accuse(
            unless: att.opcode == .readBlobResponse ? event.link.loss : nil, expected: "512 bytes at most",
            observed: "\(length) bytes")
    }
}
