import Bluetooth
import Bytes
import Captures
import Conversation

extension Dissector {
    /// Dissects a Link Layer packet, starting with its pseudo-header.
    func dissectLinkLayer(
        _ bytes: Span<UInt8>, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ frame: DissectedFrame
    ) {
        guard let format = metadata.packet.encapsulation.linkLayerFormat else { return }
        let recorder = recorder(advertisingScope.union(.linkLayer), frame)
        guard recorder != nil || metadata.pdu.place != .none else { return }
        var reader = ByteReader(bytes, recorder: recorder)
        reader.isCut = metadata.packet.isCut
        var capture = LL.CaptureHeader()
        let group = recorder?.count ?? 0
        do throws(DecodeError) {
            capture = try LL.CaptureHeader(format, reading: &reader)
        } catch {
            if !reader.isExpected(error) { frame.diagnoses.append(Diagnostic(error, in: "btle_rf")) }
            if let recorder {
                recordGaps(in: 0..<bytes.count, of: group, recorder)
                recorder.end(group, offset: bytes.count)
            }
            return
        }
        var payload = FrameMetadata.BufferRange.none
        let stream = batch.streamPDU(of: metadata)
        let packet = recorder?.count ?? 0
        layer(LL.layer, &reader, frame) { reader throws(DecodeError) in
            let header = try LL.PacketHeader(reading: &reader, hasCodingIndicator: capture.hasCodingIndicator)
            do throws(DecodeError) {
                if header.accessAddress == .advertising {
                    let type = LL.AdvertisingHeader(bits: header.header).type
                    try dissectAdvertising(&reader, capture.advertisingContext(of: type), metadata, batch)
                } else if let stream {
                    try dissectStream(&reader, stream, metadata, batch, frame)
                } else if metadata.notes.contains(.damagedAddress) {
                    var pdu = try reader.slice(count: header.pdu.count, lengthSetBy: LL.Fields.advertisingLength)
                    pdu.skipRest(FrameFields.undecoded)
                } else {
                    recordPeers(metadata, batch, frame)
                    payload = try dissectData(&reader, metadata, batch, frame)
                    if metadata.notes.contains(.retransmission), scope.contains(.linkLayer) {
                        frame.recorder.addGenerated(LL.Fields.retransmission, value: 0)
                    }
                }
            } catch {
                // The header gives the position of the CRC, whatever the PDU contains.
                recorder?.reopen(packet)
                let end = header.pdu.upperBound
                var check = ByteReader(bytes.extracting(droppingFirst: end), origin: end, recorder: recorder)
                try? readCheck(&check, metadata, frame)
                throw error
            }
            try readCheck(&reader, metadata, frame)
            reader.skipRest(FrameFields.undecoded)
        }
        if metadata.kind == .unassigned {
            frame.diagnoses.append(
                Diagnostic(
                    .note, "btle", "too little was heard of this access address to tell whether it is a connection's"))
        }
        if !metadata.notes.isDisjoint(with: Self.diagnosedNotes) { diagnose(metadata.notes, frame) }
        if let reason = metadata.closed { frame.diagnoses.append(Diagnostic(.note, "btle", reason.text)) }
        if metadata.kind.isAdvertising { dissectAdvertised(bytes, metadata, batch, frame) }
        if payload.place == .reassembled {
            return withRecorded(.decrypted, frame) {
                var inner = ByteReader(
                    batch.reassembly.bytes.span.extracting(payload.range), recorder: self.recorder(.l2cap, frame))
                dissectL2CAP(&inner, metadata, batch, frame)
            }
        }
        guard payload.place == .frame else { return }
        var inner = ByteReader(
            bytes.extracting(payload.range), origin: payload.start, recorder: self.recorder(.l2cap, frame))
        inner.isCut = metadata.packet.isCut
        dissectL2CAP(&inner, metadata, batch, frame)
    }

    /// Reads the CRC, and records a field if it is wrong.
    private func readCheck(
        _ reader: inout ByteReader, _ metadata: FrameMetadata, _ frame: DissectedFrame
    ) throws(DecodeError) {
        defer {
            if metadata.notes.contains(.badCRC), scope.contains(.linkLayer) {
                frame.recorder.addGenerated(LL.Fields.crcIncorrect, value: 0)
            }
        }
        if reader.remaining >= LL.crcSize || !metadata.packet.isCut { _ = try LL.readCRC(&reader) }
    }

    private static let diagnosedNotes: FrameMetadata.Notes = [
        .badCRC, .noCRC, .undecidedEncryption, .undecidedRepetition, .damagedAddress,
    ]

    private func diagnose(_ notes: FrameMetadata.Notes, _ frame: DissectedFrame) {
        if notes.contains(.badCRC) {
            frame.diagnoses.append(Diagnostic(.warning, "btle", "bad CRC: upper layers not decoded"))
        }
        if notes.contains(.damagedAddress) {
            frame.diagnoses.append(
                Diagnostic(.warning, "btle", "damaged access address: no link can have it on this channel"))
        }
        if notes.contains(.noCRC) { frame.diagnoses.append(Diagnostic(.note, "btle", "no CRC captured")) }
        if notes.contains(.undecidedEncryption) {
            frame.diagnoses.append(
                Diagnostic(.note, "btle", "possibly encrypted, earlier PDUs are missing: upper layers not decoded"))
        }
        if notes.contains(.undecidedRepetition) {
            frame.diagnoses.append(
                Diagnostic(.note, "btle", "possible retransmission, earlier packets are missing"))
        }
    }

    private func dissectAdvertising(
        _ reader: inout ByteReader, _ context: LL.AdvertisingContext, _ metadata: FrameMetadata,
        _ batch: borrowing TrackedBatch
    ) throws(DecodeError) {
        let parts = AdvertisingParts(of: metadata, in: batch)
        var faults: [DecodeError] = []
        let pdu = try LL.readAdvertising(&reader, in: context) { data throws(DecodeError) in
            let bytes = data.restBytes
            if let parts {
                faults += parts.read(&data)
            } else if context == .chain {
                data.skipRest(GAP.Fields.continuation)
            } else {
                faults += GAP.readAdvertisingData(&data)
            }
            return bytes
        }
        if faults.isEmpty { return }
        // With an AuxPtr to more data, the last structure may be incomplete (Vol 6, Part B, 2.3.4.9).
        let hasMoreData = (pdu as? LL.ExtendedAdvertising)?.auxPointer != nil
        if let fault = faults.first(where: { !hasMoreData || !$0.isCutStructure }) { throw fault }
    }

    /// Reads a PDU of a stream without a connection.
    private func dissectStream(
        _ reader: inout ByteReader, _ pdu: StreamPDU, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch,
        _ frame: DissectedFrame
    ) throws(DecodeError) {
        if scope.contains(.linkLayer) { record(pdu, frame.recorder) }
        let isBroadcast = pdu.kind == .bis || pdu.kind == .bigControl
        let header: (length: Int, isControl: Bool)
        switch pdu.kind {
        case .train, .responses: return try dissectAdvertising(&reader, pdu.context, metadata, batch)
        case .bis, .bigControl:
            let read = try LL.BroadcastIsochronousHeader(reading: &reader)
            header = (read.length, read.llid == 3)
        case .cis, .isochronous: header = (try LL.ConnectedIsochronousHeader(reading: &reader).length, false)
        }
        var payload = try reader.slice(count: header.length, lengthSetBy: LL.Fields.dataLength)
        if metadata.plain.isPresent {
            payload.skipRest(FrameFields.encrypted)
            return dissectPlainStream(isControl: isBroadcast && header.isControl, metadata, batch, frame)
        }
        if metadata.notes.contains(.encrypted) { return payload.skipRest(FrameFields.encrypted) }
        guard isBroadcast, header.isControl else { return payload.skipRest(LL.Fields.isochronousData) }
        _ = try LL.BIGControl(reading: &payload)
        payload.skipRest(FrameFields.undecoded)
    }

    /// Reads the decrypted payload of an isochronous PDU.
    private func dissectPlainStream(
        isControl: Bool, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ frame: DissectedFrame
    ) {
        withRecorded(.decrypted, frame) {
            var plain = ByteReader(
                batch.reassembly.bytes.span.extracting(metadata.plain.range), recorder: recorder(.linkLayer, frame))
            guard isControl else { return plain.skipRest(LL.Fields.isochronousData) }
            do throws(DecodeError) {
                _ = try LL.BIGControl(reading: &plain)
            } catch {
                frame.diagnoses.append(Diagnostic(error, in: "btle"))
            }
            plain.skipRest(FrameFields.undecoded)
        }
    }

    /// Records the position of a PDU in its stream.
    func record(_ pdu: StreamPDU, _ recorder: FieldRecorder) {
        recorder.addGenerated(FrameFields.streamType, value: UInt64(pdu.kind.rawValue))
        if pdu.index > 0 { recorder.addGenerated(FrameFields.streamIndex, value: UInt64(pdu.index)) }
        if let event = pdu.event { recorder.addGenerated(FrameFields.streamEvent, value: UInt64(event)) }
        if let subevent = pdu.subevent { recorder.addGenerated(FrameFields.streamSubevent, value: UInt64(subevent)) }
        if let slot = pdu.responseSlot { recorder.addGenerated(FrameFields.streamSlot, value: UInt64(slot)) }
        if let payload = pdu.payload { recorder.addGenerated(FrameFields.streamPayload, value: payload) }
    }

    /// Reads a data PDU; returns the range of its L2CAP fragment if there is one to dissect, in plain text if it was
    /// decrypted.
    private func dissectData(
        _ reader: inout ByteReader, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch,
        _ frame: DissectedFrame
    ) throws(DecodeError) -> FrameMetadata.BufferRange {
        let header = try LL.DataHeader(reading: &reader)
        var payload = try reader.slice(count: header.length, lengthSetBy: LL.Fields.dataLength)
        if payload.isAtEnd { return .none }
        if metadata.notes.contains(.encrypted) {
            payload.skipRest(FrameFields.encrypted)
            return .none
        }
        if metadata.plain.isPresent {
            payload.skipRest(FrameFields.encrypted)
            return dissectPlainText(header.llid, metadata, batch, frame)
        }
        if header.llid == .control, metadata.kind != .unassigned {
            _ = try LL.readControl(&payload)
            payload.skipRest(FrameFields.undecoded)
            return .none
        }
        guard metadata.kind != .unassigned, !metadata.notes.contains(.undecidedEncryption),
            header.llid == .start || header.llid == .continuation
        else {
            payload.skipRest(FrameFields.undecoded)
            return .none
        }
        let piece = FrameMetadata.BufferRange(place: .frame, start: payload.offset, count: payload.remaining)
        if metadata.notes.isDisjoint(with: .discarded) { return piece }
        payload.skipRest(Self.fragment(of: metadata))
        return .none
    }

    /// Reads a decrypted control PDU; returns the range of the L2CAP fragment of a data PDU, if there is one to dissect.
    private func dissectPlainText(
        _ llid: LL.LLID, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ frame: DissectedFrame
    ) -> FrameMetadata.BufferRange {
        let isFragment = llid == .start || llid == .continuation
        if isFragment, metadata.notes.isDisjoint(with: .discarded) { return metadata.plain }
        withRecorded(.decrypted, frame) {
            var plain = ByteReader(
                batch.reassembly.bytes.span.extracting(metadata.plain.range), recorder: recorder(.linkLayer, frame))
            do throws(DecodeError) {
                if llid == .control { _ = try LL.readControl(&plain) }
            } catch {
                frame.diagnoses.append(Diagnostic(error, in: "btle"))
            }
            plain.skipRest(isFragment ? Self.fragment(of: metadata) : FrameFields.undecoded)
        }
        return .none
    }

    /// Records the addresses of the connection's endpoints, which its packets do not contain.
    private func recordPeers(_ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ frame: DissectedFrame) {
        guard scope.contains(.linkLayer) else { return }
        let (central, peripheral) =
            switch metadata.direction {
            case .sent: (metadata.sender, metadata.receiver)
            case .received: (metadata.receiver, metadata.sender)
            case .unknown: batch.reassembly.ends[metadata.connection] ?? (-1, -1)
            }
        if let address = batch.devices[central]?.address?.address {
            frame.recorder.addGenerated(LL.Fields.centralAddress, value: address.value)
        }
        if let address = batch.devices[peripheral]?.address?.address {
            frame.recorder.addGenerated(LL.Fields.peripheralAddress, value: address.value)
        }
    }
}
