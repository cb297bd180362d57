import Bluetooth
import Bytes
import Captures
import Conversation
package import Dissection
import PluginKit
import Profile

/// `-T ndjson`: one JSON object per frame, with its layers, attribute, plugin values and diagnostics.
package struct NDJSONPrinter: FramePrinter {
    package var scope: DissectionScope {
        .all.subtracting(showsDeviceTrees ? [.frame, .bluetooth] : [.frame, .bluetooth, .names])
    }
    package var batchSize: Int { 20 * 1024 }

    /// Whether plugin fields are included in the layers, with offset, text and unit of every field.
    private let showsDeviceTrees: Bool

    package init(showsDeviceTrees: Bool = false) {
        self.showsDeviceTrees = showsDeviceTrees
    }

    package func makeWriter() -> any FrameWriter { NDJSONFrameWriter(showsDeviceTrees: showsDeviceTrees) }
}

final class NDJSONFrameWriter: FrameWriter {
    /// Layers to leave out.
    private let hidden: [Field]
    var cache = RenderCache()
    private var conversations = BatchRenderCache<ConversationKey>()
    private var attributes = BatchRenderCache<AttributeKey>()
    private var headings = BatchRenderCache<ObjectIdentifier>()
    private var times = TimeRenderCache()

    init(showsDeviceTrees: Bool) {
        hidden = showsDeviceTrees ? [] : [FrameFields.device, FrameFields.assembled]
    }

    func write(
        _ frame: DissectedFrame, _ metadata: FrameMetadata, of batch: borrowing TrackedBatch,
        to output: inout TextWriter
    ) {
        let packet = metadata.packet
        output.write("{\"frame\":" as StaticString)
        output.writeDecimal(UInt64(packet.number))
        output.write(",\"time\":\"" as StaticString)
        times.write(packet.time, to: &output)
        output.write("\",\"direction\":\"" as StaticString)
        output.write(metadata.direction.name)
        output.write("\",\"length\":" as StaticString)
        output.writeDecimal(UInt64(packet.originalLength))
        output.write(",\"captured\":" as StaticString)
        output.writeDecimal(UInt64(packet.count))
        writeComments(batch.packets.comments(of: packet), to: &output)
        output.write(",\"layers\":[" as StaticString)
        writeLayers(frame, metadata, batch, to: &output)
        output.write(UInt8(ascii: "]"))
        writeConversation(metadata, batch, to: &output)
        if let stream = batch.streamPDU(of: metadata) {
            output.write(",\"stream\":" as StaticString)
            output.writeDecimal(UInt64(stream.stream) + 1)
        }
        if let use = frame.attribute {
            output.write(UInt8(ascii: ","))
            writeAttribute(use, metadata, batch, to: &output)
        }
        if let message = frame.message {
            output.write(UInt8(ascii: ","))
            writeMessage(message, frame, metadata, batch, to: &output)
        }
        if !frame.values.isEmpty { writeValues(frame, metadata, batch, to: &output) }
        writeDiagnoses(frame, to: &output)
        output.write("}\n" as StaticString)
    }
}

extension NDJSONFrameWriter {
    /// Writes one comment as a string, several as an array.
    private func writeComments(_ comments: [String], to output: inout TextWriter) {
        for (index, comment) in comments.enumerated() {
            if index == 0 { output.write(comments.count > 1 ? ",\"comment\":[" : ",\"comment\":" as StaticString) }
            if index > 0 { output.write(UInt8(ascii: ",")) }
            output.writeJSON(comment)
        }
        if comments.count > 1 { output.write(UInt8(ascii: "]")) }
    }
}

// MARK: - Layers

extension NDJSONFrameWriter {
    private func writeLayers(
        _ frame: DissectedFrame, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        let recorder = frame.recorder
        let fields = recorder.span
        var isFirst = true
        var index = 0
        while index < fields.count {
            if isLayer(fields[index]) {
                if !isFirst { output.write(UInt8(ascii: ",")) }
                isFirst = false
                index = write(fields, index, before: fields.count, .layer, frame, metadata, batch, to: &output)
            } else {
                index = fields.endOfTree(index, before: fields.count)
            }
        }
    }

    private func isLayer(_ recorded: RecordedField) -> Bool {
        recorded.field.isGroup && !recorded.isGenerated && !hidden.contains(recorded.field)
    }

    /// Writes the tree at `index` from the cache, or renders it; returns the index after it.
    @discardableResult
    func write(
        _ fields: borrowing Span<RecordedField>, _ index: Int, before limit: Int, _ style: RenderCache.Style,
        _ frame: DissectedFrame, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) -> Int {
        let tree = cache.tree(fields, from: index, before: limit, style)
        if let form = cache.form(of: tree, fields) {
            var start = form.text.lowerBound
            for number in form.gaps {
                let gap = cache.gap(number)
                cache.write(start..<gap.end, to: &output)
                let recorded = fields[index + gap.field]
                switch style {
                case .layer:
                    output.writeJSONValueAndText(recorded, in: metadata, of: batch, texts: frame.recorder.texts)
                case .record: writeValue(recorded, frame, metadata, batch, to: &output)
                }
                start = gap.end
            }
            cache.write(start..<form.text.upperBound, to: &output)
            return tree.range.upperBound
        }
        let start = output.count
        cache.draft(tree, fields)
        switch style {
        case .layer: writeTree(fields, tree.range, frame, metadata, batch, to: &output)
        case .record: writeMembers(fields, tree.range, frame, metadata, batch, to: &output)
        }
        cache.keep(fields, output, from: start)
        return tree.range.upperBound
    }

    /// Writes a tree's root field and the fields below it.
    private func writeTree(
        _ fields: borrowing Span<RecordedField>, _ tree: Range<Int>, _ frame: DissectedFrame, _ metadata: FrameMetadata,
        _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        let root = fields[tree.lowerBound]
        if root.depth == 0 {
            writeLayer(root.field, to: &output)
        } else {
            output.writeJSONHead(of: root.field)
            if !root.field.isGroup {
                output.write(UInt8(ascii: ","))
                let start = output.count
                output.writeJSONValueAndText(root, in: metadata, of: batch, texts: frame.recorder.texts)
                cache.note(tree.lowerBound, output, from: start)
            }
        }
        writeRange(root, to: &output)
        if tree.count > 1 || root.depth == 0 {
            output.write(",\"fields\":[" as StaticString)
            var index = tree.lowerBound + 1
            while index < tree.upperBound {
                if index > tree.lowerBound + 1 { output.write(UInt8(ascii: ",")) }
                let end = fields.endOfTree(index, before: tree.upperBound)
                writeTree(fields, index..<end, frame, metadata, batch, to: &output)
                index = end
            }
            output.write(UInt8(ascii: "]"))
        }
        output.write(UInt8(ascii: "}"))
    }

    private func writeLayer(_ field: Field, to output: inout TextWriter) {
        output.write("{\"protocol\":" as StaticString)
        output.writeJSON(field.name)
        output.write(",\"name\":" as StaticString)
        output.writeJSON(field.label)
    }

    /// Writes the field's range, and its buffer if that is not the frame.
    private func writeRange(_ recorded: RecordedField, to output: inout TextWriter) {
        if recorded.isGenerated {
            output.write(",\"generated\":true" as StaticString)
            return
        }
        output.write(",\"range\":[" as StaticString)
        output.writeDecimal(UInt64(recorded.offset))
        output.write(UInt8(ascii: ","))
        output.writeDecimal(UInt64(recorded.offset) + UInt64(recorded.length))
        output.write(UInt8(ascii: "]"))
        switch recorded.buffer {
        case .frame: break
        case .reassembled: output.write(",\"buffer\":\"reassembled\"" as StaticString)
        case .sdu: output.write(",\"buffer\":\"sdu\"" as StaticString)
        case .decrypted: output.write(",\"buffer\":\"decrypted\"" as StaticString)
        }
    }
}

// MARK: - Connection and attribute

extension NDJSONFrameWriter {
    private func writeConversation(
        _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        let key = ConversationKey(
            connection: metadata.connection, sender: metadata.sender, receiver: metadata.receiver,
            isSent: metadata.direction == .sent)
        if conversations.write(key, batch, to: &output) { return }
        let start = output.count
        if metadata.connection >= 0 {
            output.write(",\"connection\":" as StaticString)
            output.writeDecimal(UInt64(metadata.connection) + 1)
        }
        if let peer = metadata.peer(in: batch) {
            output.write(UInt8(ascii: ","))
            writePeer(peer, to: &output)
        }
        conversations.keep(key, output, from: start)
    }

    private func writePeer(_ peer: Device, to output: inout TextWriter) {
        output.write("\"peer\":" as StaticString)
        output.write(UInt8(ascii: "\""))
        if let address = peer.address { output.writeAddress(address.address.value) } else { output.write("?") }
        output.write(UInt8(ascii: "\""))
        if !peer.name.isEmpty {
            output.write(",\"peer_name\":" as StaticString)
            output.writeJSON(peer.name)
        }
    }

    /// Writes each of several values as an object, with the same members as a frame with one value.
    private func writeValues(
        _ frame: DissectedFrame, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        output.write(",\"values\":[" as StaticString)
        for (index, value) in frame.values.enumerated() {
            if index > 0 { output.write(UInt8(ascii: ",")) }
            output.write(UInt8(ascii: "{"))
            let start = output.count
            if let peer = batch.devices[value.advertiser] { writePeer(peer, to: &output) }
            if let use = value.attribute { writeAttribute(use, metadata, batch, to: &output) }
            if let message = value.message {
                if output.count > start { output.write(UInt8(ascii: ",")) }
                writeMessage(message, frame, metadata, batch, to: &output)
            }
            output.write(UInt8(ascii: "}"))
        }
        output.write(UInt8(ascii: "]"))
    }

    private func writeAttribute(
        _ use: DissectedFrame.AttributeUse, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch,
        to output: inout TextWriter
    ) {
        let opcode = metadata.attribute?.opcode
        let key = AttributeKey(
            tableVersion: metadata.attribute?.tableVersion ?? .unknown, handle: use.attribute.handle.rawValue,
            opcode: opcode?.rawValue)
        if !attributes.write(key, batch, to: &output) {
            let start = output.count
            writeNames(use, opcode, to: &output)
            attributes.keep(key, output, from: start)
        }
        if let value = use.value {
            output.write(",\"value\":\"" as StaticString)
            output.writeHex(batch.bytes(of: value))
            output.write(UInt8(ascii: "\""))
        }
        output.write(UInt8(ascii: "}"))
    }

    /// Writes an attribute's names and the operation on it.
    private func writeNames(_ use: DissectedFrame.AttributeUse, _ opcode: ATT.Opcode?, to output: inout TextWriter) {
        output.write("\"gatt\":{\"handle\":" as StaticString)
        output.writeDecimal(UInt64(use.attribute.handle.rawValue))
        if let service = use.service {
            output.write(",\"service\":" as StaticString)
            output.writeJSON(service)
        }
        if let name = use.name {
            output.write(",\"characteristic\":" as StaticString)
            output.writeJSON(name)
        }
        if let operation = opcode.flatMap({ ATT.Opcode.table[$0]?.action }) {
            output.write(",\"operation\":" as StaticString)
            output.writeJSON(operation)
        }
        output.write(",\"confidence\":\"" as StaticString)
        output.write(use.confidence.rawValue)
        output.write(UInt8(ascii: "\""))
    }

    private func writeMessage(
        _ message: DissectedFrame.DeviceMessage, _ frame: DissectedFrame, _ metadata: FrameMetadata,
        _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        if !headings.write(message.layout.id, batch, to: &output) {
            let start = output.count
            output.write("\"device\":{\"plugin\":" as StaticString)
            output.writeJSON(message.plugin)
            output.write(",\"message\":" as StaticString)
            output.writeJSON(message.name)
            output.write(",\"fields\":" as StaticString)
            headings.keep(message.layout.id, output, from: start)
        }
        writeRecord(of: message, frame, metadata, batch, to: &output)
        output.write(UInt8(ascii: "}"))
    }

    private func writeDiagnoses(_ frame: DissectedFrame, to output: inout TextWriter) {
        guard !frame.diagnoses.isEmpty else { return }
        output.write(",\"diagnosis\":[" as StaticString)
        for (index, diagnosis) in frame.diagnoses.enumerated() {
            if index > 0 { output.write(UInt8(ascii: ",")) }
            output.write("{\"severity\":\"" as StaticString)
            output.write(diagnosis.severity.rawValue)
            output.write("\",\"layer\":" as StaticString)
            output.writeJSON(diagnosis.layer)
            output.write(",\"offset\":" as StaticString)
            output.writeDecimal(UInt64(max(0, diagnosis.offset)))
            output.write(",\"text\":" as StaticString)
            output.writeJSON(diagnosis.text)
            output.write(UInt8(ascii: "}"))
        }
        output.write(UInt8(ascii: "]"))
    }
}

/// Key of the rendered text of a frame's connection and peer.
private struct ConversationKey: Equatable {
    let connection: Int32
    let sender: Int32
    let receiver: Int32
    let isSent: Bool
}

/// Key of the rendered text of an attribute, without its value.
private struct AttributeKey: Equatable {
    let tableVersion: TableVersion
    let handle: UInt16
    let opcode: UInt8?
}

extension Direction {
    /// The direction's name in the output.
    package var name: StaticString {
        switch self {
        case .unknown: "unknown"
        case .sent: "sent"
        case .received: "received"
        }
    }
}
