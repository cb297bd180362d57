import Bluetooth
import Bytes
package import Captures
import Conversation
package import Keys

/// Replaces encrypted packets on the air by what a capture's keys decrypt them to, batch after batch.
///
/// Packets that stay closed are left as they are, and so are HCI packets, which are never encrypted.
package final class PacketDecrypter {
    private let given: KeyRing
    private let keepsDistributedKeys: Bool
    private var tracker: Tracker
    private var mask = SMPKeyMask()

    /// Packets decrypted.
    package private(set) var decrypted = 0
    /// Keys that were masked, of those that SMP distributes.
    package var maskedKeys: Int { mask.count }

    /// - Parameter keepsDistributedKeys: whether the keys that SMP distributes are written, instead of zeros.
    package init(keys: KeyRing, keepsDistributedKeys: Bool = false) {
        given = keys
        self.keepsDistributedKeys = keepsDistributedKeys
        tracker = Tracker(keys: keys, record: [])
    }

    /// Starts again with the first packet of the capture.
    package func restart() {
        tracker = Tracker(keys: given, record: [])
        mask = SMPKeyMask()
        decrypted = 0
    }

    /// Replaces the packets of the next batch.
    package func decrypt(_ batch: inout PacketBatch) {
        var tracked = TrackedBatch()
        tracked.fill(batch)
        batch = PacketBatch()
        tracker.track(&tracked)
        var replaced: [(index: Int, bytes: [UInt8])] = []
        for index in tracked.metadata.indices {
            guard let bytes = replacement(tracked.metadata[index], tracked) else { continue }
            replaced.append((index, bytes))
        }
        batch = tracked.empty()
        for (index, bytes) in replaced {
            batch.packets[index].start = batch.bytes.count
            batch.packets[index].count = bytes.count
            batch.packets[index].originalLength = bytes.count
            batch.packets[index].encapsulation = .linkLayerWithHeader
            batch.bytes += bytes
        }
    }

    /// The packet to write for a frame; nil for the frame's own.
    private func replacement(_ metadata: FrameMetadata, _ batch: borrowing TrackedBatch) -> [UInt8]? {
        guard var payload = batch.linkLayerPayload(of: metadata) else { return nil }
        let stream = SMPKeyMask.Stream(
            connection: Int(metadata.connection), isFromCentral: metadata.direction == .sent)
        let isRepeated = metadata.notes.contains(.retransmission)
        let isDecryption = metadata.plain.isPresent
        if isDecryption {
            payload = Array(batch.bytes(of: metadata.plain))
        } else if !metadata.notes.isDisjoint(with: [.encrypted, .undecidedEncryption]) {
            return nil
        }
        var isMasked = false
        if metadata.kind == .data, !keepsDistributedKeys {
            let isFirst = batch.linkLayer(of: metadata).map { LL.DataHeader(bits: $0.header.header).llid == .start }
            isMasked = mask.mask(&payload, isFirst: isFirst ?? true, isRepeated: isRepeated, of: stream)
        }
        guard isDecryption || isMasked,
            let packet = DecryptedPacket(payload, of: metadata, in: batch, isDecryption: isDecryption)
        else { return nil }
        if isDecryption { decrypted += 1 }
        return packet.bytes
    }
}

extension TrackedBatch {
    /// The payload of a data, control or isochronous PDU as it was captured, with a MIC if it is encrypted; nil for
    /// other frames, for empty PDUs and for cut ones.
    func linkLayerPayload(of metadata: borrowing FrameMetadata) -> [UInt8]? {
        guard let range = linkLayerPayloadRange(of: metadata), !range.isEmpty else { return nil }
        let start = metadata.packet.start
        return Array(packets.bytes[(start + range.lowerBound)..<(start + range.upperBound)])
    }

    /// The place of that payload, from the frame's first byte on.
    func linkLayerPayloadRange(of metadata: borrowing FrameMetadata) -> Range<Int>? {
        let kind = metadata.kind
        guard kind == .data || kind == .control || kind == .isochronous, let packet = linkLayer(of: metadata) else {
            return nil
        }
        let hasCTEInfo = kind != .isochronous && LL.DataHeader(bits: packet.header.header).hasCTEInfo
        let payload = packet.header.payload.dropFirst(hasCTEInfo ? 1 : 0)
        return payload.count == packet.header.length ? payload : nil
    }
}
