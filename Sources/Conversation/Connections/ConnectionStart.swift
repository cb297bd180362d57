import BluetoothTypes
import Bytes
import Captures
import HCI
import LinkLayer

/// The frame that opens a connection.
struct ConnectionStart {
    /// The way in which the central sends.
    var central: Direction
    /// The event's parameters, of LE Meta from the subevent on, or the payload of CONNECT_IND; empty if they were cut.
    var payload: [UInt8]

    /// Nil where the frame is none that opens a connection.
    init?(_ facts: borrowing FrameMetadata, in batch: borrowing TrackedBatch) {
        switch facts.kind {
        case .event: self.init(event: facts, batch)
        case .advertising, .auxiliary, .periodic: self.init(connectInd: facts, batch)
        default: return nil
        }
    }

    private init?(event facts: borrowing FrameMetadata, _ batch: borrowing TrackedBatch) {
        guard let view = facts.hci, view.count > 6 else { return nil }
        let bytes = batch.packets.bytes[view.range]
        guard HCI.EventCode(rawValue: bytes[view.start]) == .leMeta else { return nil }
        switch HCI.LESubevent(rawValue: bytes[view.start + 2]) {
        // All begin with the status, the handle and the role (Vol 4, Part E, 7.7.65.1, .10).
        case .connectionComplete, .enhancedConnectionComplete, .enhancedConnectionCompleteV2:
            central = HCI.Role(rawValue: bytes[view.start + 6]) == .central ? .sent : .received
        default: return nil
        }
        payload = facts.packet.isCut ? [] : Array(bytes.dropFirst(2))
    }

    private init?(connectInd facts: borrowing FrameMetadata, _ batch: borrowing TrackedBatch) {
        guard let range = batch.linkLayer(of: facts)?.header.payload else { return nil }
        let bytes = batch.packets.bytes[facts.packet.range].dropFirst(range.lowerBound).prefix(range.count)
        central = .sent
        payload = []
        if facts.packet.isCut { return }
        payload = Array(bytes)
        guard (try? LL.ConnectInd(decoding: payload)) != nil else { return nil }
    }
}
