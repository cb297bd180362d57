import Bluetooth
import Bytes
import Captures
import Conversation

extension Dissector {
    /// Dissects an HCI packet or another record of an HCI capture.
    func dissectHCI(
        _ bytes: Span<UInt8>, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ frame: DissectedFrame
    ) {
        guard let view = metadata.hci else {
            frame.diagnoses.append(Diagnostic(.error, "hci_h4", "too short for a packet type"))
            var reader = ByteReader(bytes, recorder: recorder(.hciTransport, frame))
            skipUndecoded(&reader)
            return
        }
        let start = view.start - metadata.packet.start
        var reader = ByteReader(
            bytes.extracting(start..<(start + view.count)), origin: start, recorder: recorder(.hciTransport, frame))
        reader.isCut = metadata.packet.isCut
        let transport = recordTransport(metadata, view, start, frame)
        guard let type = view.type else { return dissectRecord(&reader, transport, view, metadata, frame) }
        dissectPacket(&reader, HCI.PacketType(rawValue: type.rawValue), metadata, batch, frame)
        if type == .command || type == .event { dissectAdvertised(bytes, metadata, batch, frame) }
    }

    private func dissectPacket(
        _ reader: inout ByteReader, _ type: HCI.PacketType, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch,
        _ frame: DissectedFrame
    ) {
        switch type {
        case .command:
            reader.recorder = recorder(advertisingScope.union(.hciControl), frame)
            guard reader.recorder != nil else { return }
            layer(HCI.commandLayer, &reader, frame) { reader throws(DecodeError) in
                _ = try HCI.readCommand(&reader, hooks: hooks(metadata, batch))
            }
        case .event:
            reader.recorder = recorder(advertisingScope.union(.hciControl), frame)
            guard reader.recorder != nil else { return }
            layer(HCI.eventLayer, &reader, frame) { reader throws(DecodeError) in
                _ = try HCI.readEvent(&reader, hooks: hooks(metadata, batch))
            }
        case .aclData: dissectACL(&reader, metadata, batch, frame)
        case .synchronousData:
            reader.recorder = recorder(.hciData, frame)
            layer(HCI.synchronousLayer, &reader, frame) { reader throws(DecodeError) in
                let header = try HCI.SCOHeader(reading: &reader)
                try reader.skip(HCI.Fields.scoData, count: Int(header.length))
            }
        case .isochronousData:
            reader.recorder = recorder(.hciData, frame)
            let stream = batch.streamPDU(of: metadata)
            layer(HCI.isochronousLayer, &reader, frame) { reader throws(DecodeError) in
                if let stream, reader.recorder != nil { record(stream, frame.recorder) }
                try HCI.readISO(&reader)
            }
            if metadata.notes.contains(.lostSDU) {
                frame.diagnoses.append(Diagnostic(.warning, "bthci_iso", "the controller reports the SDU as lost"))
            }
        default:
            frame.diagnoses.append(
                Diagnostic(
                    .warning, "hci_h4", offset: max(0, reader.offset - 1), "packet type \(type.rawValue) is unknown"))
        }
        skipUndecoded(&reader)
    }

    private func dissectACL(
        _ reader: inout ByteReader, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ frame: DissectedFrame
    ) {
        reader.recorder = recorder(.hciData, frame)
        var fragment = 0..<0
        layer(HCI.aclLayer, &reader, frame) { reader throws(DecodeError) in
            let header = try HCI.ACLHeader(reading: &reader)
            if scope.contains(.ends) { recordEnds(metadata, batch, frame) }
            let data = try reader.slice(count: Int(header.length), lengthSetBy: HCI.Fields.aclLength)
            fragment = data.offset..<(data.offset + data.remaining)
        }
        guard !fragment.isEmpty else { return }
        let bytes = batch.packets.bytes.span.extracting(metadata.packet.range)
        var inner = ByteReader(
            bytes.extracting(fragment), origin: fragment.lowerBound, recorder: recorder(.l2cap, frame))
        inner.isCut = metadata.packet.isCut
        if metadata.notes.contains(.vendorData) {
            frame.diagnoses.append(
                Diagnostic(.note, "bthci_acl", offset: fragment.lowerBound, "vendor data: not a connection handle")
            )
            return skipUndecoded(&inner)
        }
        dissectL2CAP(&inner, metadata, batch, frame)
    }

    /// Records the sender and receiver of ACL data.
    private func recordEnds(_ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ frame: DissectedFrame) {
        let recorder = frame.recorder
        let (source, destination) = (batch.devices[metadata.sender], batch.devices[metadata.receiver])
        if let address = source?.address?.address {
            recorder.addGenerated(FrameFields.sourceAddress, value: address.value)
        }
        recorder.addGenerated(FrameFields.sourceName, text: source?.name ?? "")
        let role = batch.roles[metadata.connection]
        let (sourceRole, destinationRole) =
            metadata.direction == .sent ? (role, role?.opposite) : (role?.opposite, role)
        recorder.addGenerated(FrameFields.sourceRole, value: UInt64(sourceRole?.rawValue ?? 0))
        if let address = destination?.address?.address {
            recorder.addGenerated(FrameFields.destinationAddress, value: address.value)
        }
        recorder.addGenerated(FrameFields.destinationName, text: destination?.name ?? "")
        recorder.addGenerated(FrameFields.destinationRole, value: UInt64(destinationRole?.rawValue ?? 0))
    }

    /// The hooks that read the advertising data of a command or event.
    private func hooks(_ metadata: FrameMetadata, _ batch: borrowing TrackedBatch) -> HCI.Hooks {
        guard let parts = AdvertisingParts(of: metadata, in: batch) else { return Self.hooks }
        var hooks = HCI.Hooks { data throws(DecodeError) in
            if let fault = parts.read(&data).first { throw fault }
        }
        hooks.readsEmptyData = true
        return hooks
    }

    private static let hooks = HCI.Hooks { data throws(DecodeError) in
        if let fault = GAP.readAdvertisingData(&data).first { throw fault }
    }

    /// Records the transport: H4's type and direction, or the record type. Returns the layer's group.
    private func recordTransport(
        _ metadata: FrameMetadata, _ view: HCIView, _ start: Int, _ frame: DissectedFrame
    ) -> Int? {
        guard scope.contains(.hciTransport) else { return nil }
        let recorder = frame.recorder
        switch metadata.packet.encapsulation {
        case .h4, .h4WithDirection:
            let group = recorder.begin(FrameFields.h4, offset: 0, length: start)
            if metadata.packet.encapsulation == .h4WithDirection || metadata.packet.direction != .unknown {
                recorder.add(
                    FrameFields.h4Direction, value: view.direction == .received ? 1 : 0, offset: 0,
                    length: start - 1, isGenerated: metadata.packet.encapsulation == .h4)
            }
            recorder.add(HCI.Fields.packetType, value: UInt64(view.type?.rawValue ?? 0), offset: start - 1, length: 1)
            recorder.close(group)
            return group
        case .monitor, .monitorWithHeader:
            let group = recorder.begin(MonitorFields.layer, offset: 0, length: start)
            recorder.add(
                MonitorFields.adapter, value: UInt64(view.adapter), offset: 0, length: start / 2,
                isGenerated: start == 0)
            recorder.add(
                MonitorFields.opcode, value: UInt64(view.recordType), offset: start / 2, length: start / 2,
                isGenerated: start == 0)
            recorder.close(group)
            return group
        case .packetLogger:
            let group = recorder.begin(FrameFields.packetLogger, offset: 0, length: 0)
            recorder.addGenerated(FrameFields.packetLoggerType, value: UInt64(view.recordType))
            recorder.close(group)
            return group
        case .h1:
            let group = recorder.begin(FrameFields.h1, offset: 0, length: 0)
            recorder.addGenerated(FrameFields.h1Direction, value: view.direction == .received ? 1 : 0)
            recorder.close(group)
            return group
        case .usb:
            let group = recorder.begin(FrameFields.usb, offset: 0, length: 0)
            recorder.close(group)
            return group
        case .linkLayer, .linkLayerWithHeader, .nordic, .ppi: return nil
        }
    }
}
