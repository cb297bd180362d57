import Bluetooth
import Bytes
import Captures

/// The frame that opens a connection.
struct ConnectionStart {
    /// The direction in which the central sends.
    var central: Direction
    /// The parameters of LE Meta from the subevent code on, or the payload of CONNECT_IND; empty if they were cut.
    var payload: [UInt8]

    /// Nil if the frame does not open a connection.
    init?(_ metadata: borrowing FrameMetadata, in batch: borrowing TrackedBatch) {
        switch metadata.kind {
        case .event: self.init(event: metadata, batch)
        case .advertising, .auxiliary, .periodic: self.init(connectInd: metadata, batch)
        default: return nil
        }
    }

    private init?(event metadata: borrowing FrameMetadata, _ batch: borrowing TrackedBatch) {
        guard let view = metadata.hci, view.count > 3 else { return nil }
        let bytes = batch.packets.bytes[view.range]
        guard HCI.EventCode(rawValue: bytes[view.start]) == .leMeta else { return nil }
        switch HCI.LESubevent(rawValue: bytes[view.start + 2]) {
        case .connectionComplete, .enhancedConnectionComplete, .enhancedConnectionCompleteV2: break
        default: return nil
        }
        let parameters = Array(bytes.dropFirst(3))
        var reader = ByteReader(parameters.span)
        guard let head = try? HCI.readConnectionHead(&reader) else { return nil }
        central = head.role == .central ? .sent : .received
        payload = metadata.packet.isCut ? [] : Array(bytes.dropFirst(2))
    }

    private init?(connectInd metadata: borrowing FrameMetadata, _ batch: borrowing TrackedBatch) {
        guard let range = batch.linkLayer(of: metadata)?.header.payload else { return nil }
        let bytes = batch.packets.bytes[metadata.packet.range].dropFirst(range.lowerBound).prefix(range.count)
        payload = metadata.packet.isCut ? [] : Array(bytes)
        guard metadata.packet.isCut || (try? LL.ConnectInd(decoding: payload)) != nil else { return nil }
        central = .sent
    }
}
