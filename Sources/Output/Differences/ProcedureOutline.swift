package import Bluetooth
package import Bytes
package import PluginKit
package import Profile

/// A procedure on attributes: a request and its response with the requests that continue it, a command, a notification,
/// or an indication with its confirmation (Vol 3, Part G, 4).
package struct ProcedureOutline: Sendable {
    /// The PDU that begins it.
    package let opcode: ATT.Opcode
    /// The attribute type that the request asks for.
    package let type: UUID?
    /// Index in `CaptureOutline.attributes`; -1 for a procedure on no attribute.
    package var attribute: Int32
    /// The side that begins it.
    package let sender: FrameReference.Sender
    package let first: Int
    package var last: Int
    package let start: Timestamp
    /// The time from the first request to the last response; nil without a response.
    package var duration: TimeSpan?
    package var outcome: Outcome
    package var content = Content.none
    /// The last frame before it at which something was missing in its connection; 0 for none.
    package let lastGap: Int

    package enum Outcome: Hashable, Sendable {
        /// A command or a notification, which has no response.
        case sent
        case completed
        case failed(UInt8)
        /// The request has no response, and nothing of the connection is missing.
        case unanswered
        /// The request has no response, or a part of it was not captured.
        case unknown
    }

    package enum Content: Sendable {
        case none
        /// Client Rx MTU and Server Rx MTU; the latter is nil without a response.
        case mtu(client: UInt16, server: UInt16?)
        case value(Value)
    }

    /// A value that was written, read, notified or indicated.
    package struct Value: Sendable {
        /// In `CaptureOutline.bytes`.
        package var range: Range<Int>
        /// Length of the value; more than the range has if only the beginning is kept.
        package var length: Int
        /// The type of the value in its profile; nil if none describes it.
        package var layout: Layout?

        package init(range: Range<Int>, length: Int, layout: Layout?) {
            (self.range, self.length, self.layout) = (range, length, layout)
        }
    }

    package init(
        _ opcode: ATT.Opcode, of type: UUID?, attribute: Int32, at moment: FrameReference, outcome: Outcome,
        lastGap: Int
    ) {
        (self.opcode, self.type, self.attribute, self.outcome) = (opcode, type, attribute, outcome)
        (sender, first, last, start) = (moment.sender, moment.frame, moment.frame, moment.time)
        self.lastGap = lastGap
    }

    /// Whether the server begins it at a time that no request determines.
    var isSentByServer: Bool {
        let kind = ATT.Opcode.table.shape(of: opcode)?.kind
        return kind == .notification || kind == .indication
    }
}

extension ProcedureOutline.Outcome: CustomStringConvertible {
    package var description: String {
        switch self {
        case .sent: "sent"
        case .completed: "completed"
        case .failed(let code):
            (ATT.ErrorCode(rawValue: code).name ?? "error") + " (0x\(String(hex: code, digits: 2)))"
        case .unanswered: "no response"
        case .unknown: "response not captured"
        }
    }
}
