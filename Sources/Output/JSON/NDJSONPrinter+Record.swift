import Bytes
import Conversation
import Dissection

/// Plugin values as JSON: structures and numbers with parts are objects, repeated fields are arrays, enumerations are
/// their names. A profile's vectors have the same form.
extension NDJSONFrameWriter {
    /// Writes a message: the fields of its type's group, and the plugin's annotations. Surplus bytes are no field of
    /// the message: they are part of the attribute's value, and a diagnostic gives the reason.
    func writeRecord(
        of message: DissectedFrame.DeviceMessage, _ frame: DissectedFrame, _ metadata: FrameMetadata,
        _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        let recorder = frame.recorder
        let fields = recorder.span
        var members = message.fields
        if let first = members.first, fields[first].field.isGroup { members = members.dropFirst() }
        if let last = members.last, fields[last].field == FrameFields.undecoded { members = members.dropLast() }
        guard !members.isEmpty else { return output.write("{}" as StaticString) }
        write(fields, members.lowerBound, before: members.upperBound, .record, frame, metadata, batch, to: &output)
    }

    func writeMembers(
        _ fields: borrowing Span<RecordedField>, _ members: Range<Int>, _ frame: DissectedFrame,
        _ metadata: FrameMetadata,
        _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        output.write(UInt8(ascii: "{"))
        var index = members.lowerBound
        while index < members.upperBound {
            if index > members.lowerBound { output.write(UInt8(ascii: ",")) }
            output.writeJSONKey(of: fields[index].field)
            index = writeMember(fields, index, before: members.upperBound, frame, metadata, batch, to: &output)
        }
        output.write(UInt8(ascii: "}"))
    }

    /// Writes the value of the field at `index`, with the following values of the same list; returns the index after
    /// them.
    private func writeMember(
        _ fields: borrowing Span<RecordedField>, _ index: Int, before end: Int, _ frame: DissectedFrame,
        _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) -> Int {
        let field = fields[index].field
        var next = fields.endOfTree(index, before: end)
        guard field.isRepeated else {
            writeValue(fields, index, before: next, frame, metadata, batch, to: &output)
            return next
        }
        output.write(UInt8(ascii: "["))
        writeValue(fields, index, before: next, frame, metadata, batch, to: &output)
        while next < end, fields[next].field == field {
            let element = next
            next = fields.endOfTree(element, before: end)
            output.write(UInt8(ascii: ","))
            writeValue(fields, element, before: next, frame, metadata, batch, to: &output)
        }
        output.write(UInt8(ascii: "]"))
        return next
    }

    private func writeValue(
        _ fields: borrowing Span<RecordedField>, _ index: Int, before end: Int, _ frame: DissectedFrame,
        _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        let recorded = fields[index]
        if recorded.field.isGroup || end > index + 1 {
            return writeMembers(fields, (index + 1)..<end, frame, metadata, batch, to: &output)
        }
        let start = output.count
        writeValue(recorded, frame, metadata, batch, to: &output)
        cache.note(index, output, from: start)
    }

    /// Writes the value of a field without members.
    func writeValue(
        _ recorded: RecordedField, _ frame: DissectedFrame, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch,
        to output: inout TextWriter
    ) {
        if let name = recorded.field.names?.key(recorded.value) {
            output.writeJSON(name)
        } else {
            output.writeJSONValue(recorded, in: metadata, of: batch, texts: frame.recorder.texts)
        }
    }
}
