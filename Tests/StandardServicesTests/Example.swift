import Bluetooth
import Bytes
import PDUTestKit
import Profile
import TestKit
import Testing

/// A value on the wire and its expected fields.
struct Example: CustomTestStringConvertible, Sendable {
    let type: UInt32
    let bytes: [UInt8]
    /// Every field in the format of `shown`, in order.
    let fields: [String]

    init(_ type: UInt32, _ bytes: String, _ fields: [String]) {
        self.type = type
        self.bytes = hex(bytes)
        self.fields = fields
    }

    var testDescription: String { "\(UUID(type)) \(hexText(bytes))" }
}

/// The decoded fields of a value, one a line: name without the plugin's prefix, value, unit and value name.
func fields(of type: UInt32, _ bytes: [UInt8]) throws -> [String] {
    let layout = try layout(of: type)
    let recorder = FieldRecorder()
    var reader = ByteReader(bytes.span, recorder: recorder)
    var fault: [String] = []
    do throws(DecodeError) {
        try layout.read(&reader)
    } catch {
        fault = ["! \(error)"]
    }
    return recorder.fields.filter { $0.field.format != .group }.map { shown($0, bytes) } + fault
}

/// The layout for an attribute type; types of the Bluetooth SIG have no conditional layouts.
func layout(of type: UInt32) throws -> Layout {
    let attribute = try #require(profile.get().compiled.attributes[UUID(type)])
    return try #require(attribute.layouts(for: .read).first)
}

/// The profile of the standard services.
let profile = Result { try ProfileUnderTest(plugin: "StandardServices") }

private func shown(_ recorded: RecordedField, _ bytes: [UInt8]) -> String {
    let field = recorded.field
    let start = Int(recorded.offset)
    let part = bytes[start..<(start + Int(recorded.length))]
    var text = field.name.hasPrefix("standard.") ? String(field.name.dropFirst(9)) : field.name
    text += "="
    switch field.format {
    case .text: text += String(decoding: part, as: UTF8.self)
    case .bytes: text += hexText(part)
    case .number: text += "\(Double(bitPattern: recorded.value))"
    case .hex(let digits): text += "0x" + padded(String(recorded.value, radix: 16), to: digits)
    case .signed where field.scale != 1: text += "\(Double(Int64(bitPattern: recorded.value)) * field.scale)"
    case .signed: text += "\(Int64(bitPattern: recorded.value))"
    default: text += field.scale != 1 ? "\(Double(recorded.value) * field.scale)" : "\(recorded.value)"
    }
    if let unit = field.unit { text += " " + unit }
    if let name = field.names?[recorded.value] { text += " (\(name))" }
    return text
}

private func padded(_ digits: String, to count: Int) -> String {
    String(repeating: "0", count: max(0, count - digits.count)) + digits
}
