import Bluetooth
import Bytes
import Captures
import Conversation

extension Dissector {
    /// Dissects the ATT PDU at the reader's position, and its attribute value.
    func dissectATT(
        _ reader: inout ByteReader, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ frame: DissectedFrame
    ) {
        reader.recorder = recorder([.att, .application], frame)
        guard reader.recorder != nil else { return }
        let known = metadata.attribute.flatMap {
            frame.attributes.attribute($0.handle, of: $0.tableVersion, in: batch, plugins)
        }
        let request = batch.request(of: metadata)
        let start = frame.recorder.count
        defer { if metadata.notes.contains(.keyMaterial) { markKey(from: start, frame) } }
        layer(ATT.layer, &reader, frame) { reader throws(DecodeError) in
            if let type = declaration(in: reader.remaining, metadata, request, known) {
                // tshark lists the attribute before the fields of its value; for a service, the value comes first.
                _ = try ATT.readOpcode(&reader)
                let isService = known?.use?.attribute.kind == .service
                recordConclusions(metadata, request, isService ? nil : known, from: start + 1, batch, frame)
                return try reader.withinValue(ATT.Fields.value) { entry throws(DecodeError) in
                    _ = try GATT.readDeclaration(type, &entry)
                }
            }
            do throws(DecodeError) {
                try readPDU(&reader, request)
            } catch {
                if reader.isExpected(error) {
                    recordConclusions(metadata, request, known, from: start + 1, batch, frame)
                }
                throw error
            }
            reader.skipRest(FrameFields.undecoded)
            recordConclusions(metadata, request, known, from: start + 1, batch, frame)
        }
        if let attribute = metadata.attribute { diagnose(attribute, metadata, frame) }
        guard scope.contains(.application) else { return }
        guard let attribute = metadata.attribute else { return }
        if attribute.opcode.listsValues { return dissectListedValues(metadata, batch, frame) }
        if let use = known?.use { name(use, attribute.opcode, frame) }
        dissectValue(metadata, known?.reading, batch, frame)
    }

    /// Marks the value in an ATT PDU as key material.
    private func markKey(from start: Int, _ frame: DissectedFrame) {
        let value = frame.recorder.fields[start...].firstIndex { $0.field == ATT.Fields.value }
        if let value { frame.recorder.markKeys(from: value) }
    }

    /// The type of the declaration in a response of `count` bytes; nil for other PDUs.
    private func declaration(
        in count: Int, _ metadata: FrameMetadata, _ request: RequestFacts?, _ known: CachedAttributeReader?
    ) -> UUID? {
        guard let opcode = metadata.attribute?.opcode, opcode == .readResponse || opcode == .readBlobResponse,
            let request, request.offset == 0
        else { return nil }
        // Attribute names are resolved only if the scope includes them.
        let type = known?.use?.attribute.type ?? (metadata.notes.contains(.declaration) ? .characteristic : nil)
        return type.flatMap { GATT.isDeclaration($0, length: count - 1) ? $0 : nil }
    }

    private func readPDU(_ reader: inout ByteReader, _ request: RequestFacts?) throws(DecodeError) {
        guard reader.nextByte == ATT.Opcode.readByTypeResponse.rawValue,
            let type = request?.type
        else {
            return try ATT.record(&reader)
        }
        _ = try ATT.readOpcode(&reader)
        _ = try ATT.ReadByTypeResponse(reading: &reader) { _, entry throws(DecodeError) in
            let value = entry.restBytes
            try entry.withinValue(ATT.Fields.value) { entry throws(DecodeError) in
                if try !GATT.readDeclaration(type, &entry) { entry.passRest() }
            }
            return value
        }
    }

    /// Records conclusions from the conversation: the attributes of a response, the types of all attributes from the
    /// server's table, and the requested type. The PDU's own fields begin at `start`.
    private func recordConclusions(
        _ metadata: FrameMetadata, _ request: RequestFacts?, _ known: CachedAttributeReader?, from start: Int,
        _ batch: borrowing TrackedBatch, _ frame: DissectedFrame
    ) {
        guard let attribute = metadata.attribute else { return }
        let recorder = frame.recorder
        switch attribute.opcode {
        case .readResponse, .readBlobResponse, .writeResponse, .handleValueConfirmation:
            if let request, request.handle.rawValue != 0 {
                recorder.addGenerated(ATT.Fields.handle, value: UInt64(request.handle.rawValue))
            }
        case .readMultipleResponse, .readMultipleVariableResponse:
            for handle in batch.handles(of: request) {
                recorder.addGenerated(ATT.Fields.handle, value: UInt64(handle.rawValue))
            }
        default: break
        }
        if scope.contains(.responses), let response = batch.responses[metadata.packet.number] {
            recorder.addGenerated(ATT.Fields.responseFrame, value: UInt64(response))
        }
        guard scope.contains(.conclusions) else { return }
        if attribute.opcode.listsAttributes {
            recordListed(attribute, readAs: request?.type, from: start, batch, frame)
        } else if let known = known?.use?.attribute {
            record(known, recorder)
        }
        guard let request else { return }
        record(request.type, ATT.Fields.uuid16, ATT.Fields.uuid128, recorder)
        recorder.addGenerated(ATT.Fields.requestFrame, value: UInt64(request.frame))
        recorder.addGenerated(FrameFields.latency, value: UInt64(request.latency.nanoseconds))
    }

    /// Records the types of the attributes that a PDU lists, each next to its handle. `type` is the type requested with
    /// Read By Type, which the table may not contain.
    private func recordListed(
        _ listed: AttributeFacts, readAs type: UUID?, from start: Int, _ batch: borrowing TrackedBatch,
        _ frame: DissectedFrame
    ) {
        let isValue = listed.opcode == .readByTypeResponse && type != .characteristic && type != .include
        let type = isValue ? type : nil
        frame.recorder.extend(from: start) { field in
            guard field.field == ATT.Fields.handle else { return }
            let handle = Handle(UInt16(truncatingIfNeeded: field.value))
            let known =
                if let type {
                    frame.attributes.attribute(handle, of: listed.tableVersion, type: type, in: batch, plugins)
                } else {
                    frame.attributes.attribute(handle, of: listed.tableVersion, in: batch, plugins)
                }
            if let attribute = known?.use?.attribute { record(attribute, frame.recorder) }
        }
    }

    /// Records the types of an attribute, its service and its characteristic.
    private func record(_ attribute: GATT.Attribute, _ recorder: FieldRecorder) {
        guard attribute.kind != .service else {
            return record(attribute.service?.type, ATT.Fields.uuid16, ATT.Fields.uuid128, recorder)
        }
        record(attribute.service?.type, ATT.Fields.serviceUUID16, ATT.Fields.serviceUUID128, recorder)
        record(attribute.owner, ATT.Fields.characteristicUUID16, ATT.Fields.characteristicUUID128, recorder)
        record(attribute.type, ATT.Fields.uuid16, ATT.Fields.uuid128, recorder)
    }

    /// Records a type not contained in the bytes, in its short form if it has one.
    private func record(_ type: UUID?, _ short: Field, _ long: Field, _ recorder: FieldRecorder) {
        guard let type else { return }
        if let number = type.uuid16 {
            recorder.addGenerated(short, value: UInt64(number))
        } else {
            recorder.addGenerated(long, text: type.longDescription)
        }
    }

    private func diagnose(_ attribute: AttributeFacts, _ metadata: FrameMetadata, _ frame: DissectedFrame) {
        let offset = metadata.attOffset
        if ATT.Opcode.table.shape(of: attribute.opcode) == nil {
            frame.diagnoses.append(
                Diagnostic(.warning, "btatt", offset: offset, "opcode \(hex(attribute.opcode.rawValue)) is unknown"))
        }
        if metadata.notes.contains(.unasked) {
            frame.diagnoses.append(Diagnostic(.note, "btatt", offset: offset, "the request was not captured"))
        }
        if metadata.notes.contains(.overlapping) {
            frame.diagnoses.append(
                Diagnostic(.warning, "btatt", offset: offset, "the previous request was not answered"))
        }
    }

    private func hex(_ value: UInt8) -> String { "0x" + String(value, radix: 16) }

    /// Records the attribute that the frame concerns.
    func name(_ use: DissectedFrame.AttributeUse, _ opcode: ATT.Opcode, _ frame: DissectedFrame) {
        frame.attribute = use
        guard scope.contains(.names) else { return }
        let recorder = frame.recorder
        let group = recorder.begin(FrameFields.gatt, offset: 0, length: 0, isGenerated: true)
        if let service = use.service { recorder.addGenerated(FrameFields.service, text: service) }
        if let name = use.name { recorder.addGenerated(FrameFields.characteristic, text: name) }
        if let operation = ATT.Opcode.table[opcode]?.action {
            recorder.addGenerated(FrameFields.operation, text: operation)
        }
        recorder.addGenerated(FrameFields.confidence, text: use.confidence.rawValue)
        recorder.close(group)
    }
}

extension ATT.Opcode {
    /// Whether the PDU or its request lists several attributes by handle.
    fileprivate var listsAttributes: Bool {
        switch self {
        case .findInformationResponse, .findByTypeValueResponse, .readByGroupTypeResponse, .readMultipleRequest,
            .readMultipleVariableRequest:
            true
        default: listsValues
        }
    }
}
