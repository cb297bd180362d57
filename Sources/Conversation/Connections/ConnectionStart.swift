import BluetoothTypes
import Bytes
import Captures
import HCI
import LinkLayer

/// The frame that opens a connection.
struct ConnectionStart {
    /// The way in which the central sends.
    var central: Direction
    /// The event's parameters, of LE Meta from the subevent on, or the payload of CONNECT_IND.
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
        guard let view = facts.hci, view.count > 3 else { return nil }
        let bytes = batch.packets.bytes[view.range]
        guard HCI.EventCode(rawValue: bytes[view.start]) == .leMeta else { return nil }
        payload = Array(bytes.dropFirst(2))
        let parameters = Array(payload.dropFirst())
        let role: HCI.Role
        switch HCI.LESubevent(rawValue: payload[0]) {
        case .connectionComplete:
            guard let event = try? HCI.LEConnectionComplete(decoding: parameters) else { return nil }
            role = event.role
        case .enhancedConnectionComplete, .enhancedConnectionCompleteV2:
            let known = Array(parameters.prefix(HCI.LEEnhancedConnectionComplete.length))
            guard let event = try? HCI.LEEnhancedConnectionComplete(decoding: known) else { return nil }
            role = event.role
        default: return nil
        }
        central = role == .central ? .sent : .received
    }

    private init?(connectInd facts: borrowing FrameMetadata, _ batch: borrowing TrackedBatch) {
        guard let range = batch.linkLayer(of: facts)?.header.payload else { return nil }
        payload = Array(batch.packets.bytes[facts.packet.range].dropFirst(range.lowerBound).prefix(range.count))
        guard (try? LL.ConnectInd(decoding: payload)) != nil else { return nil }
        central = .sent
    }
}
