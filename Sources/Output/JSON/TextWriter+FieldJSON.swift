package import Bytes
package import Conversation
import Dissection

extension Field {
    /// Whether the display text is the JSON value followed by the unit.
    var isShownAsValue: Bool {
        if names != nil { return false }
        return switch format {
        case .decimal, .signed, .bytes, .text, .address, .uuid128, .bigEndianUUID128, .time, .dotted, .timestamp: true
        case .hex: isScaled
        case .group, .number, .float, .boolean: false
        }
    }
}

extension TextWriter {
    /// Writes a field's value as JSON together with its display text: `"value":75,"text":"75 %"`.
    mutating func writeJSONValueAndText(
        _ recorded: RecordedField, in metadata: FrameMetadata, of batch: borrowing TrackedBatch, texts: [String]
    ) {
        write("\"value\":" as StaticString)
        let start = count
        writeJSONValue(recorded, in: metadata, of: batch, texts: texts)
        guard recorded.field.isShownAsValue else {
            write(",\"text\":\"" as StaticString)
            let start = count
            writeDisplay(recorded, in: metadata, of: batch, texts: texts)
            escapeJSON(from: start)
            return write(UInt8(ascii: "\""))
        }
        let value = start..<count
        write(",\"text\":" as StaticString)
        if self[start] == UInt8(ascii: "\"") {
            repeatText(value.dropLast())
        } else {
            write(UInt8(ascii: "\""))
            repeatText(value)
        }
        if let unit = recorded.field.unit {
            write(UInt8(ascii: " "))
            let start = count
            write(unit)
            escapeJSON(from: start)
        }
        write(UInt8(ascii: "\""))
    }

    /// Writes a field's value as JSON: numbers and booleans natively, everything else as a string. Numbers above 2^53,
    /// which many JSON readers would round, are written as strings. Key material is masked in every format.
    package mutating func writeJSONValue(
        _ recorded: RecordedField, in metadata: FrameMetadata, of batch: borrowing TrackedBatch, texts: [String]
    ) {
        if recorded.isSecret { return write("\"(masked)\"" as StaticString) }
        switch recorded.field.format {
        case .decimal where recorded.field.isScaled, .hex where recorded.field.isScaled,
            .signed where recorded.field.isScaled:
            writeScaled(recorded)
        case .decimal where recorded.value < 1 << 53, .hex where recorded.value < 1 << 53:
            writeDecimal(recorded.value)
        case .signed: writeDecimal(recorded.signedValue)
        case .boolean: write(recorded.value == 0 ? "false" : "true" as StaticString)
        case .number:
            let number = Double(bitPattern: recorded.value)
            write(number.isFinite ? String(number) : "null")
        case .float(let size):
            let number = Double(bitPattern: recorded.value)
            if number.isFinite { writeShortest(number, bytes: size) } else { write("null" as StaticString) }
        case .uuid128, .bigEndianUUID128:
            write(UInt8(ascii: "\""))
            writeGroupedUUID(recorded, in: metadata, of: batch, texts: texts)
            write(UInt8(ascii: "\""))
        case .decimal, .hex, .group, .bytes, .text, .address, .time, .dotted, .timestamp:
            write(UInt8(ascii: "\""))
            let start = count
            writeValue(recorded, in: metadata, of: batch, texts: texts)
            if case .text = recorded.field.format { escapeJSON(from: start) }
            write(UInt8(ascii: "\""))
        }
    }
}
