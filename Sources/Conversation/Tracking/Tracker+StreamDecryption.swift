import Bluetooth
import BluetoothCrypto
import Bytes
import Captures
import Keys

/// Decryption of isochronous streams on the air.
extension Tracker {
    /// Opens the encrypted PDU of a stream, or records why it stays closed.
    mutating func decryptStream(
        _ index: Int, _ pdu: StreamPDU, _ bytes: [UInt8], _ packet: LinkLayerPacket, _ metadata: inout FrameMetadata,
        _ reassembly: inout ReassemblyBuffers
    ) {
        let payload = packet.header.payload
        guard var stream = streamTable.open[index].decryption, payload.count == packet.header.length else {
            return close(payload.count == packet.header.length ? .sessionNotHeard : .unsupported, of: nil, &metadata)
        }
        let start = metadata.packet.start
        plain.removeAll(keepingCapacity: true)
        searchBudget.frame = currentFrame
        let sealed = SealedPDU(
            bytes.span.extracting((start + payload.lowerBound)..<(start + payload.upperBound)),
            header: UInt8(truncatingIfNeeded: packet.header.header), metadata.direction)
        let senders: [LinkEncryption.Sender] =
            pdu.kind != .cis
            ? [.central] : metadata.direction == .unknown ? [.central, .peripheral] : [sealed.likelySender]
        let outcome = stream.open(
            sealed, from: senders,
            near: pdu.payload ?? streamTable.open[index].payloads?.payload(at: metadata.packet.time), keys,
            &searchBudget, to: &plain)
        switch outcome {
        case .opened(let sender, let isRepetition):
            metadata.plain = reassembly.addPlain(plain)
            metadata.notes.insert(.decrypted)
            if pdu.kind == .cis { metadata.direction = sender == .central ? .sent : .received }
            if !isRepetition, let candidate = stream.session?.candidate {
                stream.summary = countOpened(
                    in: stream.summary, candidate, of: streamTable.open[index].stream.connection)
            }
        case .closed(let reason, let isRepetition):
            close(reason, of: stream.summary, isRepetition: isRepetition, &metadata)
        }
        streamTable.update(index) { $0.decryption = stream }
    }

    private mutating func close(
        _ reason: ClosedReason, of session: Int?, isRepetition: Bool = false, _ metadata: inout FrameMetadata
    ) {
        metadata.notes.insert(.encrypted)
        metadata.closed = reason
        if !isRepetition { decryption.countClosed(reason, in: session) }
    }
}
