import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit
import Profile

extension Dissector {
    /// Passes the value of an ATT PDU to the plugin that decodes its attribute.
    func dissectValue(
        _ metadata: FrameMetadata, _ reading: PluginSet.Reading?, _ batch: borrowing TrackedBatch,
        _ frame: DissectedFrame
    ) {
        guard let attribute = metadata.attribute, let piece = batch.valueOrPart(of: metadata) else { return }
        frame.attribute?.value = piece
        let isLong = metadata.longValue.place == .reassembled
        if isLong {
            withRecorded(.sdu, frame) {
                let offset = piece.start - metadata.assembled.start
                frame.recorder.add(FrameFields.longValue, value: 0, offset: offset, length: piece.count)
            }
        } else if [.prepareWriteRequest, .prepareWriteResponse].contains(attribute.opcode) {
            return
        }
        let value = ListedValue(
            handle: attribute.handle, piece: piece, isPartial: !isLong && metadata.notes.contains(.partialValue))
        dissect(value, 0, reading, metadata, batch, frame)
    }

    /// Passes each of several values to the plugin that decodes its attribute.
    func dissectListedValues(
        _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ frame: DissectedFrame
    ) {
        guard let attribute = metadata.attribute else { return }
        let values = batch.listedValues(of: metadata, plugins: plugins)
        // The client requested all values of one type (Vol 3, Part F, 3.4.4.1).
        let type = attribute.opcode == .readByTypeResponse ? batch.request(of: metadata)?.type : nil
        for (number, value) in values.enumerated() {
            let known =
                if let type {
                    frame.attributes.attribute(value.handle, of: attribute.tableVersion, type: type, in: batch, plugins)
                } else {
                    frame.attributes.attribute(value.handle, of: attribute.tableVersion, in: batch, plugins)
                }
            guard let known, let use = known.use else { continue }
            name(use, attribute.opcode, frame)
            frame.attribute?.value = value.piece
            dissect(value, number, known.reading, metadata, batch, frame)
            if values.count == 1 { return }
            frame.values.append(DissectedFrame.CarriedValue(attribute: frame.attribute, message: frame.message))
            frame.attribute = nil
            frame.message = nil
        }
    }

    /// Passes a value to the plugin that decodes it; `number` is the value's index in the frame, from 0.
    private func dissect(
        _ value: ListedValue, _ number: Int, _ reading: PluginSet.Reading?, _ metadata: FrameMetadata,
        _ batch: borrowing TrackedBatch, _ frame: DissectedFrame
    ) {
        guard let reading else { return }
        let piece = value.piece
        if piece.place == .frame {
            let bytes = batch.packets.bytes.span.extracting(piece.range)
            let reader = ByteReader(bytes, origin: piece.start - metadata.packet.start, recorder: frame.recorder)
            return dissect(reader, value, number, reading, metadata, batch, frame)
        }
        let isInSDU = piece == metadata.longValue || metadata.segment?.isWhole == false
        let isDecrypted = !isInSDU && metadata.isPDUDecrypted
        withRecorded(isInSDU ? .sdu : isDecrypted ? .decrypted : .reassembled, frame) {
            let bytes = batch.reassembly.bytes.span.extracting(piece.range)
            let whole = isInSDU ? metadata.assembled : isDecrypted ? metadata.plain : metadata.pdu
            let origin = piece.start - whole.start
            dissect(
                ByteReader(bytes, origin: origin, recorder: frame.recorder), value, number, reading, metadata, batch,
                frame
            )
        }
    }

    private func dissect(
        _ reader: consuming ByteReader, _ value: ListedValue, _ number: Int, _ reading: PluginSet.Reading,
        _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ frame: DissectedFrame
    ) {
        guard let operation = metadata.attribute?.opcode.operation else { return }
        let application = batch.applications[.init(frame: metadata.packet.number, value: number)]
        let known = application?.layout ?? reading.reader.layout(for: operation, value: reader.rest, in: NoContext())
        if scope.contains(.pluginNames), let characteristic = reading.characteristic,
            known?.name != reading.reader.name
        {
            frame.recorder.addGenerated(characteristic, value: 0)
        }
        guard let layout = known else {
            if let application { record(application, of: reading.plugin, metadata, batch, frame, isPiece: true) }
            return
        }
        // A partial value is decoded only if it already has the layout's maximum length, so that nothing can follow.
        if value.isPartial, layout.lengths.upperBound != reader.remaining { return }
        dissect(reader, layout, reading.plugin, application?.annotations ?? [], frame)
        if let application { record(application, of: reading.plugin, metadata, batch, frame) }
    }

    /// Decodes bytes with a layout into the frame's message, and records the plugin's annotations.
    func dissect(
        _ reader: consuming ByteReader, _ layout: Layout, _ plugin: Int, _ annotations: [Annotation],
        _ frame: DissectedFrame
    ) {
        var reader = reader
        let recorder = frame.recorder
        if scope.contains(.pluginNames) { recorder.addGenerated(plugins.protocols[plugin], value: 0) }
        let group = reader.begin(FrameFields.device)
        if scope.contains(.names) {
            recorder.addGenerated(FrameFields.plugin, text: plugins.plugins[plugin].id)
            recorder.addGenerated(FrameFields.message, text: layout.name)
        }
        let first = recorder.count
        read(&reader, layout, plugin, frame)
        for annotation in annotations {
            switch annotation.content {
            case .number(let number): recorder.addGenerated(annotation.field, value: number)
            case .text(let text): recorder.addGenerated(annotation.field, text: text)
            }
            if let warning = annotation.warning {
                frame.diagnoses.append(Diagnostic(.warning, plugins.plugins[plugin].id, warning))
            }
        }
        reader.skipRest(FrameFields.undecoded)
        frame.message = DissectedFrame.DeviceMessage(
            plugin: plugins.plugins[plugin].id, layout: layout, fields: first..<recorder.count)
        recorder.close(group)
    }

    /// Decodes bytes as far as they match the layout; mismatches become diagnostics.
    private func read(_ reader: inout ByteReader, _ layout: Layout, _ plugin: Int, _ frame: DissectedFrame) {
        let id = plugins.plugins[plugin].id
        var diagnostics: [Diagnostic] = []
        do throws(DecodeError) {
            try layout.read(&reader, diagnostics: &diagnostics)
        } catch {
            frame.diagnoses.append(Diagnostic(error, in: id))
        }
        for diagnostic in diagnostics {
            frame.diagnoses.append(Diagnostic(diagnostic.severity, id, offset: diagnostic.offset, diagnostic.text))
        }
    }

    /// Records complete messages and their diagnostics. If the value is only a segment of a stream, the messages become
    /// those of the frame.
    private func record(
        _ application: ApplicationFacts, of plugin: Int, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch,
        _ frame: DissectedFrame, isPiece: Bool = false
    ) {
        let id = plugins.plugins[plugin].id
        for fault in application.faults { frame.diagnoses.append(Diagnostic(.warning, id, fault)) }
        guard metadata.sdu.place == .reassembled else { return }
        var read: [DissectedFrame.DeviceMessage] = []
        for message in application.messages {
            let fields = record(message, of: plugin, metadata, batch, frame, isPiece: isPiece)
            read.append(DissectedFrame.DeviceMessage(plugin: id, layout: message.layout, fields: fields))
        }
        if !isPiece { return }
        if read.count == 1 { frame.message = read[0] }
        guard read.count > 1 else { return }
        frame.values += read.map { DissectedFrame.CarriedValue(attribute: frame.attribute, message: $0) }
        frame.attribute = nil
    }

    /// Records the fields of a message; returns their indices.
    private func record(
        _ message: AssembledMessage, of plugin: Int, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch,
        _ frame: DissectedFrame, isPiece: Bool
    ) -> Range<Int> {
        let recorder = frame.recorder
        var first = recorder.count
        withRecorded(.sdu, frame) {
            let bytes = batch.reassembly.bytes.span.extracting(metadata.sdu.range).extracting(message.place)
            let reader = ByteReader(bytes, origin: message.place.lowerBound, recorder: recorder)
            let group = reader.begin(FrameFields.assembled)
            recorder.addGenerated(
                FrameFields.assembledFrames, text: message.frames.map(String.init).joined(separator: ","))
            if isPiece, scope.contains(.names) {
                recorder.addGenerated(FrameFields.plugin, text: plugins.plugins[plugin].id)
                recorder.addGenerated(FrameFields.message, text: message.layout.name)
            }
            first = recorder.count
            var content = reader
            read(&content, message.layout, plugin, frame)
            content.skipRest(FrameFields.undecoded)
            recorder.close(group)
        }
        return first..<recorder.count
    }
}
