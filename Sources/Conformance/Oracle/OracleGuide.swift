import Bluetooth
import PluginKit
import Profile

/// The parts of a profile needed to follow its devices.
struct OracleGuide: Sendable {
    private let properties: [String: GATT.Properties]
    private let readers: [String: AttributeReader]
    private let rules: [String: RuleIndex]
    private let names: [String]

    /// `rules` are the rules about characteristics, by name of the characteristic.
    init(_ profile: CompiledProfile, rules: [String: RuleIndex]) {
        names = profile.profile.characteristicNames
        let characteristics = profile.profile.services.flatMap(\.characteristics)
        properties = Dictionary(characteristics.map { ($0.name, $0.properties) }, uniquingKeysWith: { $1 })
        readers = Dictionary(
            characteristics.compactMap { one in profile.attributes[one.uuid].map { (one.name, $0) } },
            uniquingKeysWith: { $1 })
        self.rules = rules
    }

    /// The rule about a characteristic; nil for none.
    func rule(of characteristic: String) -> RuleIndex? { rules[characteristic] }

    /// The name of a characteristic, as used by twins.
    func name(of characteristic: CharacteristicIndex) -> String { names[characteristic.rawValue] }

    func isReadable(_ characteristic: String) -> Bool { properties[characteristic]?.contains(.read) ?? false }

    func isWritable(_ characteristic: String) -> Bool {
        !(properties[characteristic] ?? []).isDisjoint(with: [.write, .writeWithoutResponse])
    }

    /// A predicted value, in words.
    func words(_ prediction: Prediction) -> String {
        let layouts = readers[prediction.characteristic]?.layouts(for: prediction.operation) ?? []
        let layout = layouts.first { (try? $0.decode(prediction.bytes)) != nil }
        return "\(prediction.operation.rawValue) \(ValueDifference.words(prediction.bytes, as: layout))"
    }
}

extension RuleReport {
    /// Reports a value that differs from the twin's. `since` is the frame of its cause.
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
