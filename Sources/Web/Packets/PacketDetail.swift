import Bluetooth
import Bytes
import Captures
import Conformance
import Conversation
import Dissection
import Output
import PluginKit

/// Writes the details of a packet as JSON: its field tree with the bytes of each field, its diagnostics, and related
/// packets.
struct PacketDetail {
    private let index: CaptureIndex
    private let catalog: FieldCatalog
    private let marks: FrameMarks
    private let frame = DissectedFrame()
    private let line = FrameLine()

    /// Number of packets after a request that are searched for its response.
    private static let reach = 20_000

    init(_ index: CaptureIndex, _ catalog: FieldCatalog, _ marks: FrameMarks) {
        (self.index, self.catalog, self.marks) = (index, catalog, marks)
    }

    /// Details of the packet with a number; nil if there is none.
    func json(ofNumber number: Int) throws -> String? {
        guard let (window, place) = try index.packet(number: number) else { return nil }
        let batch = window.batch
        let metadata = batch.metadata[place]
        Dissector(plugins: index.plugins).dissect(metadata, of: batch, into: frame)
        var output = TextWriter(capacity: 16 * 1024)
        output.write("{\"row\":" as StaticString)
        let rows = try RowWriter(index.plugins, marks, fields: [], catalog)
        rows.write(frame, metadata, of: batch, index: window.range.lowerBound + place, to: &output)
        output.writeMember("epoch", metadata.packet.time.description)
        let comments = batch.packets.comments(of: metadata.packet)
        if !comments.isEmpty { output.writeMember("comment", comments.joined(separator: "\n")) }
        output.write(",\"tree\":" as StaticString)
        let fields = frame.recorder.fields
        writeTree(fields.indices, fields, metadata, batch, to: &output)
        writeBuffers(fields, metadata, batch, to: &output)
        writeDiagnoses(to: &output)
        output.writeRequest(of: metadata, batch)
        if let response = try response(to: metadata, in: window) { output.writeMember("response", response) }
        writeAttribute(metadata, batch, to: &output)
        writeFindings(of: number, to: &output)
        output.write(UInt8(ascii: "}"))
        return String(decoding: output.bytes, as: UTF8.self)
    }

    /// Frame number of the response to a request.
    private func response(to metadata: FrameMetadata, in first: PacketWindow) throws -> Int? {
        guard let attribute = metadata.attribute,
            ATT.Opcode.table.shape(of: attribute.opcode).map({ $0.kind == .request || $0.kind == .indication }) == true
        else { return nil }
        var window: PacketWindow? = first
        while let current = window, current.range.lowerBound - first.range.lowerBound < Self.reach {
            let numbers = current.batch.metadata.lazy.filter { [batch = current.batch] in
                batch.request(of: $0)?.frame == metadata.packet.number
            }
            if let found = numbers.first { return found.packet.number }
            window = try index.window(after: current)
        }
        return nil
    }

    // MARK: - Parts

    /// Writes fields with their subtrees; `range` begins with the outermost fields.
    private func writeTree(
        _ range: Range<Int>, _ fields: [RecordedField], _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch,
        to output: inout TextWriter
    ) {
        output.write(UInt8(ascii: "["))
        var index = range.lowerBound
        while index < range.upperBound {
            if index > range.lowerBound { output.write(UInt8(ascii: ",")) }
            let end = fields.span.endOfTree(index, before: range.upperBound)
            write(fields[index], in: fields, metadata, batch, to: &output)
            if end > index + 1 {
                output.write(",\"children\":" as StaticString)
                writeTree((index + 1)..<end, fields, metadata, batch, to: &output)
            }
            output.write(UInt8(ascii: "}"))
            index = end
        }
        output.write(UInt8(ascii: "]"))
    }

    private func write(
        _ recorded: RecordedField, in fields: [RecordedField], _ metadata: FrameMetadata,
        _ batch: borrowing TrackedBatch,
        to output: inout TextWriter
    ) {
        let field = recorded.field
        let texts = frame.recorder.texts
        output.write("{\"name\":" as StaticString)
        output.writeJSON(field.name)
        output.writeMember("label", field.label)
        output.write(",\"text\":\"" as StaticString)
        if !field.isGroup {
            let start = output.count
            if recorded.isSecret {
                output.write("(masked)" as StaticString)
            } else {
                output.writeDisplay(recorded, in: metadata, of: batch, texts: texts)
            }
            output.escapeJSON(from: start)
        }
        output.write(UInt8(ascii: "\""))
        if !field.isGroup {
            output.write(",\"value\":" as StaticString)
            output.writeJSONValue(recorded, in: metadata, of: batch, texts: texts)
        }
        if let filter = filter(for: recorded, metadata, batch) { output.writeMember("filter", filter) }
        output.writeMember("offset", Int(recorded.offset))
        output.writeMember("length", Int(recorded.length))
        output.writeMember("buffer", Int(recorded.buffer.rawValue))
        if field.mask != 0 { output.writeMember("mask", mask(of: recorded, batch.bytes(of: recorded, in: metadata))) }
        output.write(",\"generated\":" as StaticString)
        output.write(recorded.isGenerated ? "true" : "false" as StaticString)
    }

    /// The bits of a bit field in memory order of its bytes; the value reveals the byte order.
    private func mask(of recorded: RecordedField, _ bytes: ArraySlice<UInt8>) -> String {
        let mask = recorded.field.mask
        let little = bytes.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        let isLittle = (little & mask) >> UInt64(mask.trailingZeroBitCount) == recorded.value
        let digits = (0..<bytes.count).map { UInt8(truncatingIfNeeded: mask >> UInt64(8 * min($0, 7))) }
        var text = TextWriter(capacity: 16)
        text.writeHex(ArraySlice(isLittle ? digits : digits.reversed()))
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// A filter that matches the field with this value; nil if the filter language cannot express it.
    private func filter(
        for recorded: RecordedField, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch
    ) -> String? {
        let field = recorded.field
        if recorded.isSecret { return nil }
        if field.isGroup { return field.name.contains(" ") || catalog[field.name].isEmpty ? nil : field.name }
        var value = TextWriter(capacity: 64)
        if case .bytes = field.format {
            let bytes = batch.bytes(of: recorded, in: metadata)
            guard !bytes.isEmpty, bytes.count <= 64 else { return nil }
            for (place, byte) in bytes.enumerated() {
                if place > 0 { value.write(UInt8(ascii: ":")) }
                value.writeHex(UInt64(byte), digits: 2)
            }
        } else {
            value.writeValue(recorded, in: metadata, of: batch, texts: frame.recorder.texts)
        }
        var text = String(decoding: value.bytes, as: UTF8.self)
        if case .text = field.format {
            guard text.utf8.count <= 256 else { return nil }
            text = "\"" + text.replacing("\\", by: "\\\\").replacing("\"", by: "\\\"") + "\""
        }
        let filter = "\(field.name) == \(text)"
        return (try? DisplayFilter(filter, catalog: catalog)) == nil ? nil : filter
    }

    /// Writes the buffers that contain the fields; bytes of keys are masked.
    private func writeBuffers(
        _ fields: [RecordedField], _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch,
        to output: inout TextWriter
    ) {
        output.write(",\"buffers\":[" as StaticString)
        let sdu = metadata.assembled
        let isSecret =
            metadata.notes.contains(.keyMaterial)
            || fields.contains { $0.isKey && !$0.isGenerated && $0.buffer != .frame }
        write("frame", batch.packets.bytes[metadata.packet.range], line.secrets(of: frame), to: &output)
        let hasReassembled = metadata.pdu.place == .reassembled && !metadata.isPDUDecrypted
        let hasDecrypted = metadata.plain.isPresent
        let hidden = isSecret ? [0..<Int.max] : []
        if hasReassembled || hasDecrypted || sdu.place == .reassembled {
            output.write(UInt8(ascii: ","))
            write("reassembled", hasReassembled ? batch.bytes(of: metadata.pdu) : [], hidden, to: &output)
        }
        if hasDecrypted || sdu.place == .reassembled {
            output.write(UInt8(ascii: ","))
            write("sdu", sdu.place == .reassembled ? batch.bytes(of: sdu) : [], hidden, to: &output)
        }
        if hasDecrypted {
            output.write(UInt8(ascii: ","))
            write("decrypted", batch.bytes(of: metadata.plain), hidden, to: &output)
        }
        output.write(UInt8(ascii: "]"))
    }

    private func write(
        _ name: StaticString, _ bytes: ArraySlice<UInt8>, _ secrets: [Range<Int>], to output: inout TextWriter
    ) {
        output.write("{\"name\":\"" as StaticString)
        output.write(name)
        output.write("\",\"hex\":\"" as StaticString)
        for (place, byte) in bytes.enumerated() {
            if secrets.contains(where: { $0.contains(place) }) {
                output.write("**" as StaticString)
            } else {
                output.writeHex(UInt64(byte), digits: 2)
            }
        }
        output.write("\"}" as StaticString)
    }

    private func writeDiagnoses(to output: inout TextWriter) {
        output.write(",\"diagnoses\":[" as StaticString)
        for (place, diagnosis) in frame.diagnoses.enumerated() {
            output.write(place > 0 ? ",{\"severity\":" : "{\"severity\":" as StaticString)
            output.writeJSON(diagnosis.severity.rawValue)
            output.writeMember("layer", diagnosis.layer)
            output.writeMember("offset", diagnosis.offset)
            output.writeMember("text", diagnosis.text)
            output.write(UInt8(ascii: "}"))
        }
        output.write(UInt8(ascii: "]"))
    }

    private func writeAttribute(
        _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        guard let use = frame.attribute else { return }
        output.write(",\"attribute\":{\"handle\":" as StaticString)
        output.writeDecimal(UInt64(use.attribute.handle.rawValue))
        output.writeMember("confidence", use.confidence.rawValue)
        if let type = use.attribute.type { output.writeMember("type", "\(type)") }
        if let service = use.service { output.writeMember("service", service) }
        if let owner = use.owner { output.writeMember("owner", owner) }
        if let name = use.name { output.writeMember("name", name) }
        if let tableVersion = metadata.attribute?.tableVersion, let device = batch.tableVersions[tableVersion]?.device,
            device >= 0
        {
            output.writeMember("server", Int(device))
        }
        output.write(UInt8(ascii: "}"))
    }

    private func writeFindings(of number: Int, to output: inout TextWriter) {
        output.write(",\"findings\":[" as StaticString)
        for (place, mark) in marks[number].enumerated() {
            output.write(place > 0 ? ",{\"rule\":" : "{\"rule\":" as StaticString)
            output.writeJSON(mark.rule.id)
            output.writeMember("text", mark.rule.text)
            if let hint = mark.rule.hint { output.writeMember("hint", hint) }
            if let source = mark.rule.source { output.writeMember("source", source) }
            output.writeMember("verdict", mark.verdict)
            output.writeMember("expected", mark.finding.expected)
            output.writeMember("observed", mark.finding.observed)
            output.write(",\"frames\":[" as StaticString)
            for (place, moment) in mark.finding.moments.enumerated() {
                if place > 0 { output.write(UInt8(ascii: ",")) }
                output.writeDecimal(UInt64(moment.frame))
            }
            output.write("]}" as StaticString)
        }
        output.write(UInt8(ascii: "]"))
    }
}
