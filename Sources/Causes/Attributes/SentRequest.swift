import Bluetooth
import Bytes
import Conformance
import Conversation
import PluginKit
import Profile

/// A request, a command or an indication, with what its outcome is weighed by.
struct SentRequest: Sendable {
    let opcode: ATT.Opcode
    /// The attribute, or the first handle of a range; 0 for requests without a handle.
    let handle: Handle
    let sent: FrameReference
    /// The attribute's name and handle; nil for requests without the handle of one attribute.
    let name: String?
    /// Whether the attribute is a Client Characteristic Configuration.
    let isConfiguration: Bool
    /// Length of the PDU in bytes.
    let length: Int
    /// Length of the value to write in bytes; nil for PDUs that write nothing.
    let valueLength: Int?
    /// Hash of the value to write; 0 for PDUs that write nothing.
    let valueHash: UInt64
    /// ATT_MTU, if it is known.
    let mtu: Int?
    /// Whether a host's log contains the PDU, in which no PDU is missing without notice.
    let isFromHost: Bool

    init(_ event: Event, _ att: ATTTraffic) {
        opcode = att.opcode
        handle = att.opcode.hasHandleRange ? Handle(event.bytes.u16(1) ?? 0) : att.handle
        sent = event.moment
        name = att.opcode.hasHandle ? event.name(of: att.handle) : nil
        isConfiguration = att.opcode.hasHandle && event.attribute?.isConfiguration == true
        length = event.payload.count
        let value = att.kind == .indication ? nil : event.attributeValue
        valueLength = value?.count
        let bytes = value?.array ?? []
        valueHash = bytes.span.rawBytes.hash
        mtu = event.knownMTU
        isFromHost = event.frame.metadata.hci != nil
    }

    /// `the Write Request for Battery Level (0x000c) of frame 12`.
    var text: String {
        let target = name.map { " for \($0)" } ?? (handle.rawValue == 0 ? "" : " from handle \(handle) on")
        return "the \(opcode.text)\(target) of frame \(sent.frame)"
    }
}

extension Event {
    /// ATT_MTU of the bearer in bytes; nil where its exchange may be missing from the capture.
    var knownMTU: Int? { connection.isMTUExchanged || connection.isComplete ? connection.mtu : nil }
}

extension ATT.Opcode {
    /// The specification's name, or the number of an unknown opcode.
    var text: String { name ?? "request with opcode \(hexText(rawValue))" }
}
