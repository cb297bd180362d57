import ATT
import BluetoothTypes
import Bytes
import Captures
package import Dissection
import GATT

/// `-T ndjson`: one JSON object a frame, with its layers, its attribute, what a plugin made of it and what is wrong.
package struct NDJSONPrinter: FramePrinter {
    package var scope: DissectionScope {
        .all.subtracting(showsDeviceTrees ? [.frame, .bluetooth] : [.frame, .bluetooth, .names])
    }
    package var batchSize: Int { 20 * 1024 }

    /// Whether what plugins read is among the layers too, with the place, the text and the unit of every field.
    private let showsDeviceTrees: Bool

    package init(showsDeviceTrees: Bool = false) {
        self.showsDeviceTrees = showsDeviceTrees
    }

    package func makeWriter() -> any FrameWriter { NDJSONFrameWriter(showsDeviceTrees: showsDeviceTrees) }
}

/// Writes frames as JSON objects.
final class NDJSONFrameWriter: FrameWriter {
    /// Layers that are left out.
    private let hidden: [Field]
    var rendered = RenderedFields()
    private var conversations = RenderedInBatch<ConversationKey>()
    private var attributes = RenderedInBatch<AttributeKey>()
    private var times = RenderedTime()

    init(showsDeviceTrees: Bool) {
        hidden = showsDeviceTrees ? [] : [FrameFields.device, FrameFields.assembled]
    }

    func write(
        _ frame: DissectedFrame, _ facts: FrameFacts, of batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        let packet = facts.packet
        output.write("{\"frame\":" as StaticString)
        output.writeDecimal(UInt64(packet.number))
        output.write(",\"time\":\"" as StaticString)
        times.write(packet.time, to: &output)
        output.write("\",\"direction\":\"" as StaticString)
        output.write(facts.direction.name)
        output.write("\",\"length\":" as StaticString)
        output.writeDecimal(UInt64(packet.originalLength))
        output.write(",\"captured\":" as StaticString)
        output.writeDecimal(UInt64(packet.count))
        if let comment = batch.packets.comment(of: packet) {
            output.write(",\"comment\":" as StaticString)
            output.writeJSON(comment)
        }
        output.write(",\"layers\":[" as StaticString)
        writeLayers(frame, facts, batch, to: &output)
        output.write(UInt8(ascii: "]"))
        writeConversation(facts, batch, to: &output)
        if let use = frame.attribute {
            output.write(UInt8(ascii: ","))
            writeAttribute(use, facts, batch, to: &output)
        }
        if let message = frame.message {
            output.write(UInt8(ascii: ","))
            writeMessage(message, frame, facts, batch, to: &output)
        }
        if !frame.values.isEmpty { writeValues(frame, facts, batch, to: &output) }
        writeDiagnoses(frame, to: &output)
        output.write("}\n" as StaticString)
    }
}

// MARK: - Layers

extension NDJSONFrameWriter {
    private func writeLayers(
        _ frame: DissectedFrame, _ facts: FrameFacts, _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        let recorded = frame.recorder.fields
        let fields = recorded.span
        var isFirst = true
        var index = 0
        while index < fields.count {
            let start = index
            while index < fields.count, isLayer(fields[index]) { index = fields.endOfTree(index, before: fields.count) }
            if index > start {
                if !isFirst { output.write(UInt8(ascii: ",")) }
                isFirst = false
                writeTrees(fields, start..<index, frame, facts, batch, to: &output)
            } else {
                index = fields.endOfTree(index, before: fields.count)
            }
        }
    }

    private func isLayer(_ recorded: RecordedField) -> Bool {
        recorded.field.isGroup && !recorded.isGenerated && !hidden.contains(recorded.field)
    }

    /// Writes trees that stand beside each other, with commas between them.
    private func writeTrees(
        _ fields: borrowing Span<RecordedField>, _ range: Range<Int>, _ frame: DissectedFrame, _ facts: FrameFacts,
        _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        var index = range.lowerBound
        while index < range.upperBound {
            if index > range.lowerBound { output.write(UInt8(ascii: ",")) }
            guard let run = rendered.trees(fields, index, before: range.upperBound) else {
                index = writeTree(fields, index, before: range.upperBound, frame, facts, batch, to: &output)
                continue
            }
            index = run.range.upperBound
            if rendered.write(run, of: fields, to: &output) { continue }
            let start = output.count
            var next = run.range.lowerBound
            while next < index {
                if next > run.range.lowerBound { output.write(UInt8(ascii: ",")) }
                next = writeTree(fields, next, before: index, frame, facts, batch, to: &output)
            }
            rendered.keep(run, of: fields, output, from: start)
        }
    }

    /// Writes the field at `index` with the fields in it; gives the index after them.
    private func writeTree(
        _ fields: borrowing Span<RecordedField>, _ index: Int, before limit: Int, _ frame: DissectedFrame,
        _ facts: FrameFacts, _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) -> Int {
        let end = fields.endOfTree(index, before: limit)
        writeHead(fields, index, frame, facts, batch, to: &output)
        if end > index + 1 || fields[index].depth == 0 {
            output.write(",\"fields\":[" as StaticString)
            writeTrees(fields, (index + 1)..<end, frame, facts, batch, to: &output)
            output.write(UInt8(ascii: "]"))
        }
        output.write(UInt8(ascii: "}"))
        return end
    }

    /// Writes the field at `index` without the fields in it and without the closing brace.
    private func writeHead(
        _ fields: borrowing Span<RecordedField>, _ index: Int, _ frame: DissectedFrame, _ facts: FrameFacts,
        _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        let run = rendered.single(fields, index)
        if let run, rendered.write(run, of: fields, to: &output) {
            return writeRange(fields[index], to: &output)
        }
        let start = output.count
        if fields[index].depth == 0 {
            writeLayer(fields[index].field, to: &output)
        } else {
            writeField(fields[index], frame.recorder.texts, facts, batch, to: &output)
        }
        if let run { rendered.keep(run, of: fields, output, from: start) }
        writeRange(fields[index], to: &output)
    }

    private func writeLayer(_ field: Field, to output: inout TextWriter) {
        output.write("{\"protocol\":" as StaticString)
        output.writeJSON(field.name)
        output.write(",\"name\":" as StaticString)
        output.writeJSON(field.label)
    }

    /// Name and value of a field.
    private func writeField(
        _ recorded: RecordedField, _ texts: [String], _ facts: FrameFacts, _ batch: borrowing TrackedBatch,
        to output: inout TextWriter
    ) {
        let field = recorded.field
        output.writeJSONHead(of: field)
        if field.isGroup { return }
        output.write(UInt8(ascii: ","))
        output.writeJSONValueAndText(recorded, in: facts, of: batch, texts: texts)
    }

    /// Where the field lies; in which buffer, when that is not the frame.
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
        }
    }
}

// MARK: - What the frame is about

extension NDJSONFrameWriter {
    private func writeConversation(
        _ facts: FrameFacts, _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        let key = ConversationKey(
            connection: facts.connection, sender: facts.sender, receiver: facts.receiver,
            isSent: facts.direction == .sent)
        if conversations.write(key, batch, to: &output) { return }
        let start = output.count
        if facts.connection >= 0 {
            output.write(",\"connection\":" as StaticString)
            output.writeDecimal(UInt64(facts.connection) + 1)
        }
        if let peer = facts.peer(in: batch) {
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

    /// Each of several values as an object of its own, with the members that a frame with one value has.
    private func writeValues(
        _ frame: DissectedFrame, _ facts: FrameFacts, _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        output.write(",\"values\":[" as StaticString)
        for (index, value) in frame.values.enumerated() {
            if index > 0 { output.write(UInt8(ascii: ",")) }
            output.write(UInt8(ascii: "{"))
            let start = output.count
            if let peer = batch.devices[value.advertiser] { writePeer(peer, to: &output) }
            if let use = value.attribute { writeAttribute(use, facts, batch, to: &output) }
            if let message = value.message {
                if output.count > start { output.write(UInt8(ascii: ",")) }
                writeMessage(message, frame, facts, batch, to: &output)
            }
            output.write(UInt8(ascii: "}"))
        }
        output.write(UInt8(ascii: "]"))
    }

    private func writeAttribute(
        _ use: DissectedFrame.AttributeUse, _ facts: FrameFacts, _ batch: borrowing TrackedBatch,
        to output: inout TextWriter
    ) {
        let opcode = facts.attribute?.opcode
        let key = AttributeKey(
            binding: facts.attribute?.binding ?? -1, handle: use.attribute.handle.rawValue, opcode: opcode?.rawValue)
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

    /// Writes what an attribute is called and what is done with it.
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
        if let operation = opcode.flatMap({ Dissector.operation($0) }) {
            output.write(",\"operation\":" as StaticString)
            output.writeJSON(operation)
        }
        output.write(",\"confidence\":\"" as StaticString)
        output.write(use.confidence.rawValue)
        output.write(UInt8(ascii: "\""))
    }

    private func writeMessage(
        _ message: DissectedFrame.DeviceMessage, _ frame: DissectedFrame, _ facts: FrameFacts,
        _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        output.write("\"device\":{\"plugin\":" as StaticString)
        output.writeJSON(message.plugin)
        output.write(",\"message\":" as StaticString)
        output.writeJSON(message.name)
        output.write(",\"fields\":" as StaticString)
        writeRecord(of: message, frame, facts, batch, to: &output)
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

/// What decides how a frame's connection and peer are written.
private struct ConversationKey: Equatable {
    let connection: Int32
    let sender: Int32
    let receiver: Int32
    let isSent: Bool
}

/// What decides how an attribute is written, but for its value.
private struct AttributeKey: Equatable {
    let binding: Int32
    let handle: UInt16
    let opcode: UInt8?
}

extension Direction {
    /// The word that the output uses.
    package var name: StaticString {
        switch self {
        case .unknown: "unknown"
        case .sent: "sent"
        case .received: "received"
        }
    }
}
