package import Bluetooth
import Bytes

/// Reassembles the L2CAP frames of one connection from ACL data packets (Vol 3, Part A, 7.2.2).
package struct FrameAssembler: Sendable {
    /// A complete frame.
    package struct Frame: Hashable, Sendable {
        package var channel: L2CAP.ChannelID
        package var payload: [UInt8]
    }

    /// Bytes of an incomplete frame, beginning with its header.
    private var partial: [UInt8] = []

    package init() {}

    /// Adds the payload of an ACL data packet; returns the frame that it completes. A payload inconsistent with the
    /// preceding ones is dropped with them.
    package mutating func add(_ load: [UInt8], _ boundary: HCI.PacketBoundary) -> Frame? {
        if boundary.isContinuation {
            if partial.isEmpty { return nil }
            partial += load
        } else {
            partial = load
        }
        guard partial.count >= L2CAP.FrameHeader.size, let header = try? L2CAP.FrameHeader(decoding: partial) else {
            return nil
        }
        let whole = L2CAP.FrameHeader.size + Int(header.length)
        if partial.count < whole { return nil }
        defer { partial = [] }
        guard partial.count == whole else { return nil }
        return Frame(channel: header.cid, payload: Array(partial[L2CAP.FrameHeader.size...]))
    }
}
