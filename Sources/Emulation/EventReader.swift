import Bluetooth
import Bytes
import PluginKit
package import Profile

/// Decodes the values of an emulated device or a client, for conditions and for display.
package struct EventReader: Sendable {
    private let readers: [String: AttributeReader]
    private var written = WrittenValues()

    package init(_ profile: CompiledProfile) {
        readers = Dictionary(
            profile.profile.services.flatMap(\.characteristics).compactMap { one in
                profile.attributes[one.uuid].map { (one.name, $0) }
            }
        ) { first, _ in first }
    }

    /// Records written values, which select the layout of later values. A disconnection clears them.
    package mutating func follow(_ event: EmulationEvent) {
        switch event {
        case .value(.write, let name, let value): written[name] = value
        case .note(let note) where note.name == "disconnected": written = WrittenValues()
        default: break
        }
    }

    /// The fields of a value, or the facts of a note; `.absent` if the event has none or its layout is unknown.
    package func fields(of event: EmulationEvent) -> Value {
        switch event {
        case .note(let note): return note.record
        case .value(let operation, let name, let value):
            let context = DeviceValueContext(written: written, characteristics: Set(readers.keys))
            guard let layout = readers[name]?.layout(for: operation, value: value.span.rawBytes, in: context) else {
                return .absent
            }
            return (try? layout.decode(value)) ?? .absent
        case .advertising, .stored, .commit, .failed: return .absent
        }
    }

    func holds(_ condition: Expression, for event: EmulationEvent) -> Bool {
        var bytes: [UInt8] = []
        if case .value(_, _, let value) = event { bytes = value }
        return condition.holds(over: bytes.span.rawBytes, in: ValueScope(fields(of: event)))
    }
}

extension TwinNote {
    /// The note's facts as the fields of a record.
    var record: Value {
        var record = Record()
        for fact in facts {
            let value: Value =
                switch fact.value {
                case .number(let number): .integer(Int64(number))
                case .real(let number): .real(number)
                case .text(let text): .text(text)
                case .flag(let flag): .boolean(flag)
                }
            record.fields.append((fact.name, value))
        }
        return .record(record)
    }
}
