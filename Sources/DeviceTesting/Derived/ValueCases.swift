import Bluetooth
import Bytes
import PluginKit
import Profile

/// Writes every value that the profile names for a field, and one that it does not name: each case of an enumeration,
/// each bit, both ends of a range and the values just outside.
enum ValueCases {
    static func all(of definition: CharacteristicDefinition, _ device: TestedDevice) -> [TestCase] {
        guard definition.properties.contains(.write) else { return [] }
        let profile = device.plugin.profile
        let name = definition.name
        return (definition.readings[.write]?.alternatives ?? []).compactMap { alternative in
            let samples = samples(of: alternative.type, profile)
            guard !samples.isEmpty else { return nil }
            return TestCase.connected(
                "value.\(name).\(alternative.type)",
                "Each value that \(alternative.type) names, and one that it does not name, gets a response.",
                source: "profile, type \(alternative.type)", tags: ["write", "value", name], mtu: 247
            ) { tester in
                let handle = try tester.handle(of: name)
                try tester.subscribeToReplies(to: name)
                for sample in samples {
                    if tester.connection == nil {
                        try tester.connect(mtu: 247)
                        try tester.subscribeToReplies(to: name)
                    }
                    tester.coverage.add(.value, of: name, field: sample.field)
                    guard let code = try tester.write(handle, sample.bytes) else { continue }
                    tester.expect(
                        code.mayRefuseValue, "\(sample.words) accepted, or refused for its content",
                        observed: code.words, bytes: sample.bytes)
                }
                try tester.expectAlive(after: "the last value")
            }
        }
    }

    /// A value to write, with its description.
    private struct Sample {
        /// The field changed in a sample value of the profile; nil for an unchanged sample.
        var field: String?
        var words: String
        var bytes: [UInt8]
    }

    private static func samples(of type: String, _ profile: CompiledProfile) -> [Sample] {
        guard let layout = profile.types[type] else { return [] }
        let vectors = profile.profile.vectors.filter { $0.type == type }
        var samples = vectors.map { Sample(words: "vector \($0.id)", bytes: $0.bytes) }
        let fields = profile.profile.types.first { $0.name == type }?.allFields ?? []
        for vector in vectors {
            guard case .record(let record)? = try? layout.decode(vector.bytes) else { continue }
            for field in fields where record[field.name] != nil {
                for (words, value) in values(of: field) {
                    var changed = record
                    changed[field.name] = value
                    guard let bytes = try? layout.encode(.record(changed)) else { continue }
                    if samples.contains(where: { $0.bytes == bytes }) { continue }
                    samples.append(Sample(field: field.name, words: "\(field.name) \(words)", bytes: bytes))
                }
            }
        }
        return Array(samples.prefix(limit))
    }

    /// Maximum number of values for one type.
    private static let limit = 400

    /// Valid values, limits and invalid values of a field.
    private static func values(of field: FieldDefinition) -> [(String, Value)] {
        switch field.kind {
        case .enumeration(let bytes, let cases):
            let known = Set(cases.map(\.value))
            let largest: UInt64 = bytes >= 8 ? .max : (1 << (UInt64(bytes) * 8)) - 1
            let unknown = [largest, largest - 1, 0x7F].first { !known.contains($0) && $0 <= largest }
            return cases.map { ($0.name, .named($0.value, nil)) } + (unknown.map { [("\($0)", .named($0, nil))] } ?? [])
        case .unsigned(let bytes):
            let largest: UInt64 = bytes >= 8 ? .max : (1 << (UInt64(bytes) * 8)) - 1
            var numbers: Set<UInt64> = [0, 1, largest]
            if let range = field.range, field.scale == nil {
                // A range may exceed the limits of the type.
                let (low, high) = (wholeNumber(range.lowerBound), wholeNumber(range.upperBound))
                numbers.formUnion([low, high])
                if low > 0 { numbers.insert(low - 1) }
                if high < largest { numbers.insert(high + 1) }
            }
            return numbers.filter { $0 <= min(largest, UInt64(Int64.max)) }.sorted().map {
                ("\($0)", .integer(Int64($0)))
            }
        case .signed(let bytes):
            let lowest = Int64.min >> (64 - Int64(bytes) * 8)
            return [lowest, -1, 0, ~lowest].map { ("\($0)", .integer($0)) }
        case .float: return [0, -1, .infinity, .nan].map { ("\($0)", .real($0)) }
        case .bits(_, let parts, _):
            return parts.filter { $0.bits.count == 1 }.flatMap { part in
                [false, true].map { isOn in
                    var record = Record()
                    for other in parts {
                        let value: Value = other.bits.count == 1 ? .boolean(false) : .integer(0)
                        record.fields.append((other.name, other.name == part.name ? .boolean(isOn) : value))
                    }
                    return ("\(part.name) \(isOn ? 1 : 0)", .record(record))
                }
            }
        default: return []
        }
    }

    /// A range's bound, clamped to 0...2⁶³.
    private static func wholeNumber(_ bound: Double) -> UInt64 { UInt64(min(max(0, bound), 0x1p63)) }
}

extension Record {
    fileprivate subscript(name: String) -> Value? {
        get { fields.first { $0.name == name }?.value }
        set {
            guard let place = fields.firstIndex(where: { $0.name == name }) else { return }
            fields[place].value = newValue ?? .absent
        }
    }
}
