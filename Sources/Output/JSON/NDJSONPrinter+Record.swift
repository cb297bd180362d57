import Bytes
import Conversation
import Dissection

/// A value as a plugin reads it, as JSON: structures and numbers that are made of parts are objects, repeated fields are
/// lists, enumerations are their names. It is what a profile's vectors say of the same bytes.
extension NDJSONFrameWriter {
    /// Writes a message: the fields of its type's group, and what the plugin says of it beside. Bytes that were left over
    /// are no field of it: they are in the attribute's value, and a diagnosis says why.
    func writeRecord(
        of message: DissectedFrame.DeviceMessage, _ frame: DissectedFrame, _ facts: FrameMetadata,
        _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        let recorder = frame.recorder
        let fields = recorder.span
        var members = message.fields
        if let first = members.first, fields[first].field.isGroup { members = members.dropFirst() }
        if let last = members.last, fields[last].field == FrameFields.undecoded { members = members.dropLast() }
        guard !members.isEmpty else { return output.write("{}" as StaticString) }
        write(fields, members.lowerBound, before: members.upperBound, .record, frame, facts, batch, to: &output)
    }

    func writeMembers(
        _ fields: borrowing Span<RecordedField>, _ members: Range<Int>, _ frame: DissectedFrame, _ facts: FrameMetadata,
        _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        output.write(UInt8(ascii: "{"))
        var index = members.lowerBound
        while index < members.upperBound {
            if index > members.lowerBound { output.write(UInt8(ascii: ",")) }
            output.writeJSONKey(of: fields[index].field)
            index = writeMember(fields, index, before: members.upperBound, frame, facts, batch, to: &output)
        }
        output.write(UInt8(ascii: "}"))
    }

    /// Writes the value of the field at `index`, with the values of the same list that follow it; gives the index after.
    private func writeMember(
        _ fields: borrowing Span<RecordedField>, _ index: Int, before end: Int, _ frame: DissectedFrame,
        _ facts: FrameMetadata, _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) -> Int {
        let field = fields[index].field
        var next = fields.endOfTree(index, before: end)
        guard field.isRepeated else {
            writeValue(fields, index, before: next, frame, facts, batch, to: &output)
            return next
        }
        output.write(UInt8(ascii: "["))
        writeValue(fields, index, before: next, frame, facts, batch, to: &output)
        while next < end, fields[next].field == field {
            let element = next
            next = fields.endOfTree(element, before: end)
            output.write(UInt8(ascii: ","))
            writeValue(fields, element, before: next, frame, facts, batch, to: &output)
        }
        output.write(UInt8(ascii: "]"))
        return next
    }

    private func writeValue(
        _ fields: borrowing Span<RecordedField>, _ index: Int, before end: Int, _ frame: DissectedFrame,
        _ facts: FrameMetadata, _ batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        let recorded = fields[index]
        if recorded.field.isGroup || end > index + 1 {
            return writeMembers(fields, (index + 1)..<end, frame, facts, batch, to: &output)
        }
        let start = output.count
        writeValue(recorded, frame, facts, batch, to: &output)
        cache.note(index, output, from: start)
    }

    /// Writes the value of a field that has no members.
    func writeValue(
        _ recorded: RecordedField, _ frame: DissectedFrame, _ facts: FrameMetadata, _ batch: borrowing TrackedBatch,
        to output: inout TextWriter
    ) {
        if let name = recorded.field.names?.key(recorded.value) {
            output.writeJSON(name)
        } else {
            output.writeJSONValue(recorded, in: facts, of: batch, texts: frame.recorder.texts)
        }
    }
}
