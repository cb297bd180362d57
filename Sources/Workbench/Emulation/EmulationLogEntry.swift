package import Bluetooth
package import Bytes
package import Emulation
import Output
package import PluginKit
package import Profile

/// A timestamped event of an emulated device or its client.
package struct EmulationLogEntry: Sendable {
    package var time: Timestamp
    package var source: Scenario.Event.Source
    /// The device concerned; set only for a client with several devices.
    package var peer: Address?
    package var event: EmulationEvent
    /// The fields of a value, or the facts of a note.
    package var fields: Value

    /// One line of JSON, without the line feed.
    package var json: String {
        var text = TextWriter(capacity: 256)
        text.write(#"{"time":""# as StaticString)
        text.writeISO8601(time, decimals: 6)
        text.write(#"","source":""#)
        text.write(source.rawValue)
        if let peer {
            text.write(#"","device":""# as StaticString)
            text.write("\(peer)")
        }
        text.write(#"","event":"# as StaticString)
        switch event {
        case .value(let operation, let name, let value):
            text.writeJSON(operation.rawValue)
            text.write(#","characteristic":"# as StaticString)
            text.writeJSON(name)
            text.write(#","value":"# as StaticString)
            text.writeJSON(value.map { String(hex: $0, digits: 2) }.joined())
            writeFields(to: &text)
        case .note(let note):
            text.writeJSON(note.name)
            writeFields(to: &text)
        case .advertising(let address, let name):
            text.write(#""advertising","address":"# as StaticString)
            text.writeJSON("\(address.address)")
            if let name {
                text.write(#","name":"# as StaticString)
                text.writeJSON(name)
            }
        case .stored: text.write(#""stored""# as StaticString)
        case .commit: text.write(#""commit""# as StaticString)
        case .failed: text.write(#""failed""# as StaticString)
        }
        text.write("}" as StaticString)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// The event "the device can be found" as one line of JSON, without the line feed.
    package static func readyJSON(name: String?, _ address: DeviceAddress, at time: Timestamp) -> String {
        var text = TextWriter(capacity: 128)
        text.write(#"{"time":""# as StaticString)
        text.writeISO8601(time, decimals: 6)
        text.write(#"","source":"device","event":"ready","address":"# as StaticString)
        text.writeJSON("\(address.address)")
        if let name {
            text.write(#","name":"# as StaticString)
            text.writeJSON(name)
        }
        text.write("}" as StaticString)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    private func writeFields(to text: inout TextWriter) {
        if fields == .absent || fields == .record(Record()) { return }
        text.write(#","fields":"# as StaticString)
        text.writeJSON(fields)
    }

    /// One line of text, without the line feed; nil for events that only programs need.
    package func line(since start: Timestamp) -> String? {
        let content: String
        switch event {
        case .value(let operation, let name, let value):
            content = "\(operation.rawValue) \(name)  \(fields == .absent ? Self.hex(value) : fields.json)"
        case .note(let note): content = fields == .record(Record()) ? note.name : "\(note.name)  \(fields.json)"
        case .advertising(let address, _): content = "advertising  \(address.address)"
        case .stored, .commit, .failed: return nil
        }
        var text = TextWriter(capacity: 128)
        text.writeSeconds(nanoseconds: time.nanoseconds(since: start), decimals: 3)
        text.padLeft(from: 0, to: 11)
        text.write("  \(source.rawValue)  \(peer.map { "\($0)  " } ?? "")\(content)")
        return String(decoding: text.bytes, as: UTF8.self)
    }

    private static func hex(_ value: [UInt8]) -> String {
        value.map { String(hex: $0, digits: 2) }.joined(separator: " ")
    }
}
