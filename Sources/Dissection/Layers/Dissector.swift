import Bluetooth
import Bytes
import Captures
package import Conversation

/// Builds the field tree of tracked frames, layer by layer. Keeps no state between frames.
package struct Dissector: Sendable {
    /// The layers to record.
    package let scope: DissectionScope
    let plugins: PluginSet

    package init(scope: DissectionScope = .all, plugins: PluginSet = .none) {
        self.scope = scope
        self.plugins = plugins
    }

    /// Dissects one frame of a batch.
    package func dissect(_ metadata: FrameMetadata, of batch: borrowing TrackedBatch, into frame: DissectedFrame) {
        frame.reset()
        frame.recorder.recordsBits = scope.contains(.bits)
        let packet = metadata.packet
        if scope.contains(.frame) { recordFrame(metadata, batch, frame) }
        if scope.contains(.bluetooth) { recordAddresses(metadata, batch, frame) }
        let bytes = batch.packets.bytes.span.extracting(packet.range)
        switch packet.encapsulation {
        case .h4, .h4WithDirection, .h1, .monitor, .monitorWithHeader, .packetLogger, .usb:
            dissectHCI(bytes, metadata, batch, frame)
        case .linkLayer, .linkLayerWithHeader, .nordic, .ppi:
            dissectLinkLayer(bytes, metadata, batch, frame)
        }
        if metadata.notes.contains(.beginningMissing) {
            frame.diagnoses.append(Diagnostic(.note, "frame", "the start of the connection was not captured"))
        }
        if metadata.notes.contains(.duplicate) {
            frame.diagnoses.append(Diagnostic(.note, "frame", "the recorder wrote this packet before"))
        }
        if metadata.notes.contains(.merged) { noteViews(metadata, batch, frame) }
        if metadata.notes.contains(.finding) {
            frame.diagnoses += (batch.reassembly.channelFaults[packet.number] ?? []).map { fault in
                Diagnostic(.error, "btl2cap", offset: metadata.payloadOffset, fault.description)
            }
        }
        if packet.isCut {
            frame.diagnoses.append(
                Diagnostic(
                    .warning, "frame", offset: packet.count,
                    "captured length \(packet.count) of \(packet.originalLength) bytes"))
        }
        if !scope.isDisjoint(with: .requested) { recordRequested(metadata, batch, frame) }
    }

    /// The recorder for a layer; nil if the layer is out of scope.
    func recorder(_ layer: DissectionScope, _ frame: DissectedFrame) -> FieldRecorder? {
        scope.isDisjoint(with: layer) ? nil : frame.recorder
    }

    /// Runs the dissection of one layer in its own group. An error becomes a diagnostic and its unread bytes are shown.
    /// A cut packet is reported once, for the frame.
    func layer(
        _ field: @autoclosure () -> Field, _ reader: inout ByteReader, _ frame: DissectedFrame,
        _ body: (inout ByteReader) throws(DecodeError) -> Void
    ) {
        let range = reader.offset..<(reader.offset + reader.remaining)
        let group = reader.begin(field())
        do {
            try body(&reader)
            reader.end(group)
        } catch {
            if !reader.isExpected(error) { frame.diagnoses.append(Diagnostic(error, in: field().name)) }
            reader.passRest()
            if let recorder = reader.recorder {
                let field = error.isSecret ? FrameFields.secretUndecoded : FrameFields.undecoded
                recordGaps(in: range, of: group, as: field, recorder)
            }
            reader.end(group)
        }
    }

    /// Records the bytes that a failed layer left unread, wherever they lie; `group` is the layer's group.
    func recordGaps(
        in range: Range<Int>, of group: Int, as field: Field = FrameFields.undecoded, _ recorder: FieldRecorder
    ) {
        recorder.close(group)
        let covered = recorder.fields[group...]
            .filter { !$0.isGenerated && $0.field.format != .group && $0.buffer == recorder.buffer }
            .map { Int($0.offset)..<(Int($0.offset) + Int($0.length)) }
            .sorted { $0.lowerBound < $1.lowerBound }
        var next = range.lowerBound
        recorder.nested {
            for piece in covered + [range.upperBound..<range.upperBound] {
                if piece.lowerBound > next {
                    recorder.add(field, value: 0, offset: next, length: piece.lowerBound - next)
                }
                next = max(next, piece.upperBound)
            }
        }
    }

    /// Records the remaining bytes as a layer of their own.
    func skipUndecoded(_ reader: inout ByteReader, as field: Field = FrameFields.undecoded) {
        if reader.isAtEnd { return }
        let group = reader.begin(FrameFields.data)
        reader.skipRest(field)
        reader.end(group)
    }
}

// MARK: - The frame itself

extension Dissector {
    private func recordFrame(_ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ frame: DissectedFrame) {
        let packet = metadata.packet
        let recorder = frame.recorder
        let group = recorder.begin(FrameFields.frame, offset: 0, length: packet.count, isGenerated: true)
        for number in FrameNumber.allCases {
            recorder.addGenerated(number.field, value: number.value(of: packet, in: batch))
        }
        for comment in batch.packets.comments(of: packet) {
            recorder.addGenerated(FrameFields.comment, text: comment)
        }
        recorder.close(group)
        if metadata.notes.contains(.merged) { recordViews(metadata, batch, frame) }
    }

    /// Records the frame's source and destination: addresses for connection data and for advertising on the air, where
    /// a PDU without a receiver is a broadcast; texts for commands and events.
    private func recordAddresses(_ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ frame: DissectedFrame) {
        let recorder = frame.recorder
        switch metadata.kind {
        case .command: return recordEnds("host", "controller", recorder)
        case .event: return recordEnds("controller", "host", recorder)
        default: break
        }
        guard metadata.hci == nil || metadata.kind == .acl else { return }
        let source = batch.devices[metadata.sender]?.address?.address
        let broadcast = metadata.kind.isAdvertising ? Address(value: .max) : nil
        let destination = batch.devices[metadata.receiver]?.address?.address ?? broadcast
        guard source != nil || destination != nil else { return }
        let group = recorder.begin(FrameFields.bluetooth, offset: 0, length: 0, isGenerated: true)
        if let source {
            recorder.addGenerated(FrameFields.source, value: source.value)
            recorder.addGenerated(FrameFields.address, value: source.value)
        }
        if let destination {
            recorder.addGenerated(FrameFields.destination, value: destination.value)
            recorder.addGenerated(FrameFields.address, value: destination.value)
        }
        recorder.close(group)
    }

    /// Records the endpoints of a packet without addresses.
    private func recordEnds(_ source: String, _ destination: String, _ recorder: FieldRecorder) {
        let group = recorder.begin(FrameFields.bluetooth, offset: 0, length: 0, isGenerated: true)
        recorder.addGenerated(FrameFields.sourceText, text: source)
        recorder.addGenerated(FrameFields.addressText, text: source)
        recorder.addGenerated(FrameFields.destinationText, text: destination)
        recorder.addGenerated(FrameFields.addressText, text: destination)
        recorder.close(group)
    }
}

// MARK: - Fields for filters and columns only

extension Dissector {
    /// Records fields outside the tree: devices, diagnostics, and the protocol stack in one line.
    private func recordRequested(_ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ frame: DissectedFrame) {
        let recorder = frame.recorder
        if scope.contains(.arrival) {
            var time = TextWriter(capacity: 48)
            time.writeLongTime(metadata.packet.time)
            recorder.addGenerated(FrameFields.arrival, text: String(decoding: time.bytes, as: UTF8.self))
        }
        if scope.contains(.protocols) {
            recorder.addGenerated(FrameFields.protocols, text: ProtocolStack(of: recorder, metadata.packet).description)
        }
        if scope.contains(.conversation) {
            if metadata.connection >= 0 {
                recorder.addGenerated(FrameFields.connection, value: UInt64(metadata.connection) + 1)
            }
            if let stream = batch.streamPDU(of: metadata) {
                recorder.addGenerated(FrameFields.stream, value: UInt64(stream.stream) + 1)
            }
            // Each report of an event has its own advertiser.
            let reporters = batch.reassembly.reporters[metadata.packet.number] ?? []
            for (place, device) in reporters.enumerated() where !reporters[..<place].contains(device) {
                if let advertiser = batch.devices[device] { record(advertiser, recorder) }
            }
            if reporters.isEmpty, let peer = metadata.peer(in: batch) { record(peer, recorder) }
        }
        guard scope.contains(.diagnosis) else { return }
        for diagnosis in frame.diagnoses {
            let group = recorder.begin(FrameFields.diagnosis, offset: 0, length: 0, isGenerated: true)
            recorder.addGenerated(FrameFields.severity, text: diagnosis.severity.rawValue)
            recorder.addGenerated(FrameFields.diagnosedLayer, text: diagnosis.layer)
            recorder.addGenerated(FrameFields.diagnosedOffset, value: UInt64(max(0, diagnosis.offset)))
            recorder.addGenerated(FrameFields.diagnosisText, text: diagnosis.text)
            recorder.close(group)
        }
    }

    private func record(_ peer: Device, _ recorder: FieldRecorder) {
        if let address = peer.address?.address { recorder.addGenerated(FrameFields.peer, value: address.value) }
        if !peer.name.isEmpty { recorder.addGenerated(FrameFields.peerName, text: peer.name) }
    }
}
