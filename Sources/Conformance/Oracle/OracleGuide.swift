import Bluetooth
import PluginKit
import Profile

/// What of a profile it takes to follow its devices.
struct OracleGuide: Sendable {
    private let properties: [String: GATT.Properties]
    private let readers: [String: AttributeReader]
    private let rules: [String: RuleIndex]
    private let names: [String]

    /// `rules` are those of the characteristics, by their names.
    init(_ profile: CompiledProfile, rules: [String: RuleIndex]) {
        names = profile.profile.characteristicNames
        let characteristics = profile.profile.services.flatMap(\.characteristics)
        properties = Dictionary(characteristics.map { ($0.name, $0.properties) }, uniquingKeysWith: { $1 })
        readers = Dictionary(
            characteristics.compactMap { one in profile.attributes[one.uuid].map { (one.name, $0) } },
            uniquingKeysWith: { $1 })
        self.rules = rules
    }

    /// The rule about a characteristic; nil where none is.
    func rule(of characteristic: String) -> RuleIndex? { rules[characteristic] }

    /// The name by which twins know a characteristic.
    func name(of characteristic: CharacteristicIndex) -> String { names[characteristic.rawValue] }

    func isReadable(_ characteristic: String) -> Bool { properties[characteristic]?.contains(.read) ?? false }

    func isWritable(_ characteristic: String) -> Bool {
        !(properties[characteristic] ?? []).isDisjoint(with: [.write, .writeWithoutResponse])
    }

    /// A value that was not told, in words.
    func words(_ prediction: Prediction) -> String {
        let layouts = readers[prediction.characteristic]?.layouts(for: prediction.operation) ?? []
        let layout = layouts.first { (try? $0.decode(prediction.bytes)) != nil }
        return "\(prediction.operation.rawValue) \(ValueDifference.words(prediction.bytes, as: layout))"
    }
}

extension RuleReport {
    /// A value is not what the twin would have shown since a moment.
    mutating func differ(
        _ rule: RuleIndex, _ value: AttributeValue, _ shown: [UInt8], _ expectation: Expectation,
        since: FrameReference?,
        at moment: FrameReference
    ) {
        let moments = [since, moment].compactMap(\.self)
        switch expectation {
        case .value(let wanted):
            let difference = ValueDifference(shown, from: wanted, as: value.reading?.layout)
            fail(rule, expected: difference.expected, observed: difference.observed, at: moments, bytes: shown)
        case .nothing(let reason):
            fail(
                rule, expected: "nothing: \(reason)",
                observed: "\(value.operation.rawValue) \(ValueDifference.words(shown, as: value.reading?.layout))",
                at: moments, bytes: shown)
        }
    }
}
