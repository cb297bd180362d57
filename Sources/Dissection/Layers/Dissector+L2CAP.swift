import Bluetooth
import Bytes
import Captures
import Conversation

extension Dissector {
    /// Dissects the L2CAP content of a data packet: a whole PDU at the reader's position, a PDU that ends in this
    /// frame, or a fragment.
    func dissectL2CAP(
        _ reader: inout ByteReader, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ frame: DissectedFrame
    ) {
        let start = reader.offset
        switch metadata.pdu.place {
        case .frame: dissectWhole(&reader, metadata, batch, frame)
        case .reassembled where metadata.isPDUDecrypted: dissectWhole(&reader, metadata, batch, frame)
        case .reassembled:
            reader.skipRest(Self.fragment(of: metadata))
            withRecorded(.reassembled, frame) {
                var whole = ByteReader(
                    batch.reassembly.bytes.span.extracting(metadata.pdu.range), recorder: recorder(.l2cap, frame))
                dissectPDU(&whole, metadata, batch, frame)
            }
        case .none: reader.skipRest(Self.fragment(of: metadata))
        }
        diagnoseFragments(metadata, at: start, frame)
    }

    /// The field for a fragment of a PDU; secret for the Security Manager, whose commands carry keys.
    static func fragment(of metadata: FrameMetadata) -> Field {
        isSecurityManager(metadata) ? FrameFields.secretFragment : FrameFields.fragment
    }

    private static func isSecurityManager(_ metadata: FrameMetadata) -> Bool {
        let channel = L2CAP.ChannelID(rawValue: metadata.channel)
        return channel == .smp || channel == .bredrSMP
    }

    /// Dissects the PDU at the reader's position, bounded by its length, then shows the remaining bytes.
    private func dissectWhole(
        _ reader: inout ByteReader, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ frame: DissectedFrame
    ) {
        let excess = reader.remaining - metadata.pdu.count
        guard excess > 0 else { return dissectPDU(&reader, metadata, batch, frame) }
        var rest = ByteReader(
            reader.rest.extracting(droppingFirst: metadata.pdu.count), origin: reader.offset + metadata.pdu.count,
            recorder: reader.recorder)
        var pdu = ByteReader(
            reader.rest.extracting(first: metadata.pdu.count), origin: reader.offset, recorder: reader.recorder)
        dissectPDU(&pdu, metadata, batch, frame)
        skipUndecoded(&rest, as: Self.isSecurityManager(metadata) ? FrameFields.secretUndecoded : FrameFields.undecoded)
    }

    /// Records the fields that `body` reads as part of another buffer than the frame.
    func withRecorded(_ buffer: RecordedField.Buffer, _ frame: DissectedFrame, _ body: () -> Void) {
        let before = frame.recorder.buffer
        frame.recorder.buffer = buffer
        body()
        frame.recorder.buffer = before
    }

    private func dissectPDU(
        _ reader: inout ByteReader, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ frame: DissectedFrame
    ) {
        reader.recorder = recorder(.l2cap, frame)
        var channel = L2CAP.ChannelID(rawValue: 0)
        let group = reader.recorder?.count ?? 0
        let end = reader.offset + reader.remaining
        layer(L2CAP.layer, &reader, frame) { reader throws(DecodeError) in
            channel = try L2CAP.FrameHeader(reading: &reader).cid
            switch channel {
            case .att, .smp, .bredrSMP: break
            case .leSignaling, .signaling:
                while !reader.isAtEnd { _ = try L2CAP.readSignal(&reader) }
            default: try dissectChannel(&reader, channel, metadata, batch, frame)
            }
        }
        switch channel {
        case .att, .smp, .bredrSMP:
            if reader.isAtEnd, reader.isCut { break }
            // The group ends with the PDU; the payload has its own layer.
            reader.recorder?.end(group, offset: end)
            if channel == .att { return dissectATT(&reader, metadata, batch, frame) }
            reader.recorder = recorder(.smp, frame)
            layer(SMP.layer, &reader, frame) { reader throws(DecodeError) in
                _ = try SMP.read(&reader)
                reader.skipRest(FrameFields.secretUndecoded)
            }
        default:
            guard metadata.attribute != nil else { return }
            if metadata.segment?.isWhole ?? true {
                reader.recorder?.end(group, offset: end)
                dissectATT(&reader, metadata, batch, frame)
            } else {
                withRecorded(.sdu, frame) {
                    var sdu = ByteReader(batch.reassembly.bytes.span.extracting(metadata.attPDU.range))
                    dissectATT(&sdu, metadata, batch, frame)
                }
            }
        }
    }

    /// Reads a PDU of a dynamic channel: a K-frame if the channel is known, otherwise bytes. A whole ATT PDU stays in
    /// the reader.
    private func dissectChannel(
        _ reader: inout ByteReader, _ channel: L2CAP.ChannelID, _ metadata: FrameMetadata,
        _ batch: borrowing TrackedBatch, _ frame: DissectedFrame
    ) throws(DecodeError) {
        if metadata.psm != 0 { reader.recorder?.addGenerated(L2CAP.Fields.psm, value: UInt64(metadata.psm)) }
        if metadata.segment?.isFirst == true { _ = try reader.read(L2CAP.Fields.sduLength, as: UInt16.self) }
        if metadata.attribute != nil, metadata.segment?.isWhole ?? true { return }
        reader.skipRest(L2CAP.Fields.payload)
        if let segment = metadata.segment, segment.endsSDU {
            withRecorded(.sdu, frame) {
                reader.recorder?.add(FrameFields.sdu, value: 0, offset: 0, length: Int(segment.sduCount))
            }
        }
    }

    /// Diagnoses the fragment that begins at `start`.
    private func diagnoseFragments(_ metadata: FrameMetadata, at start: Int, _ frame: DissectedFrame) {
        guard !metadata.notes.isDisjoint(with: .brokenFragment) else { return }
        let findings: [(FrameMetadata.Notes, Diagnostic)] = [
            (
                .orphan,
                Diagnostic(.warning, "btl2cap", offset: start, "continuation of a PDU whose start was not captured")
            ),
            (
                .unfinished,
                Diagnostic(
                    .warning, "btl2cap", offset: start, "a PDU starts before the previous one is complete")
            ),
            (.overrun, Diagnostic(.error, "btl2cap", offset: start, "more bytes than the PDU length")),
        ]
        for (note, diagnosis) in findings where metadata.notes.contains(note) { frame.diagnoses.append(diagnosis) }
    }
}
