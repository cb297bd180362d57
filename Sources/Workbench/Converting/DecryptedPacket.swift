import Bluetooth
import BluetoothCrypto
import Bytes
import Captures
import Conversation

/// A packet on the air with another payload, as a file of link type 256 has it: the plain text in place of the
/// ciphertext and its MIC, marked as decrypted, with a CRC of its own.
struct DecryptedPacket {
    /// Pseudo-header, access address, PDU and CRC.
    let bytes: [UInt8]

    /// Replaces the payload of a frame's PDU.
    ///
    /// - Parameters:
    ///   - payload: the payload without its MIC.
    ///   - isDecryption: whether that decrypts it; otherwise flags and length stay.
    /// - Returns: nil for a frame that is not a whole packet with such a payload.
    init?(
        _ payload: [UInt8], of metadata: FrameMetadata, in batch: borrowing TrackedBatch, isDecryption: Bool = true
    ) {
        let source = batch.packets.bytes.span.rawBytes
        guard let view = metadata.packet.linkLayerView(in: source), !metadata.packet.isCut,
            let packet = batch.linkLayer(of: metadata), let place = batch.linkLayerPayloadRange(of: metadata),
            place.count - payload.count == (isDecryption ? CCM.codeSize : 0)
        else { return nil }
        let frame = batch.packets.bytes[metadata.packet.range]
        func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> {
            frame[(frame.startIndex + range.lowerBound)..<(frame.startIndex + range.upperBound)]
        }
        let start = view.start - metadata.packet.start
        let pdu = packet.header.pdu
        guard start <= pdu.lowerBound, pdu.count >= 2 else { return nil }
        var plain = Array(bytes(pdu.lowerBound..<place.lowerBound)) + payload
        // CTEInfo, between header and payload, does not count (Vol 6, Part B, 2.4).
        plain[1] = UInt8(truncatingIfNeeded: payload.count)
        var reception = (view.reception ?? .unknown).bytes
        if isDecryption { Self.mark(&reception, metadata, batch.streamPDU(of: metadata)?.kind) }
        self.bytes = ByteWriter.bytes { writer in
            writer.write(reception)
            writer.write(Array(bytes(start..<pdu.lowerBound)))
            writer.write(plain)
            guard let crc = packet.header.crc else { return }
            // A recorder without CRCs writes zeros. Any other CRC is that of its PDU, which gives the CRCInit.
            let crcInit = LL.crcInit(of: source.extracting(Self.range(pdu, from: metadata.packet.start)), crc: crc)
            LL.writeCRC(metadata.notes.contains(.noCRC) ? 0 : LL.crc(of: plain, initial: crcInit), to: &writer)
            writer.write(Array(bytes((pdu.upperBound + LL.crcSize)..<frame.count)))
        }
    }

    private static func range(_ range: Range<Int>, from start: Int) -> Range<Int> {
        (start + range.lowerBound)..<(start + range.upperBound)
    }

    /// Sets the flags of a decrypted packet in a pseudo-header, and its type with the direction that the MIC proves.
    private static func mark(_ header: inout [UInt8], _ metadata: FrameMetadata, _ stream: AirStream.Kind?) {
        typealias Flags = LL.RadioHeader.Flags
        guard header.count == LL.RadioHeader.length else { return }
        var flags = UInt16(header[8]) | UInt16(header[9]) << 8
        flags |= Flags.dewhitened | Flags.decrypted | Flags.micChecked | Flags.micValid
        let type: UInt16? =
            switch (stream, metadata.direction) {
            case (.bis, _), (.bigControl, _): Flags.broadcastStream
            case (.cis, .sent): Flags.centralStream
            case (.cis, .received): Flags.peripheralStream
            case (nil, .sent): Flags.centralData
            case (nil, .received): Flags.peripheralData
            default: nil
            }
        if let type { flags = flags & ~Flags.pduTypeMask | type }
        header[8] = UInt8(truncatingIfNeeded: flags)
        header[9] = UInt8(truncatingIfNeeded: flags >> 8)
    }
}
