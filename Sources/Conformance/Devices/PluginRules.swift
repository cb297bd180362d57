import Bluetooth
import PluginKit
import Profile

/// The rules of a plugin for devices of one dialect, prepared for checking.
final class PluginRules {
    let plugin: DevicePlugin
    /// The dialect of the devices; nil if unknown.
    let dialect: String?
    /// The dialect's characteristics, and their indices by type.
    let characteristics: [CheckedCharacteristic]
    let index: [UUID: Int]
    /// Indices of the profile's messages, by name.
    let messages: [String: Int]
    /// Index of the profile's first rule in the store.
    let firstNumber: Int
    /// An empty report with room for the profile's rules, copied for each device.
    let emptyReport: RuleReport
    let checks = ValueChecks()
    /// Readers of advertised data, by owner; empty if no rule checks such data.
    private(set) var advertised: [GAP.DataOwner: [AdvertisedReader]] = [:]
    /// Number of rules.
    let count: Int
    /// Readings of values, by type index.
    private var readings: [ValueReading?]
    /// The declared rules as they were made; rules in code are made for each device.
    private let declared: [any Rule]
    private let oracle: OracleRule?
    let interests: InterestIndex
    /// Whether each rule is of scope `device`.
    let areOfDevice: [Bool]
    /// Whether the plugin's rules apply to every device with one of its attributes.
    let isGeneral: Bool
    /// Why rules cannot be evaluated, by index in the store.
    let unevaluated: [Int: String]

    /// `numbers` are the store's indices of the profile's rules, followed by those of `forms`.
    init(_ plugin: DevicePlugin, dialect: String?, numbers: Range<Int>, forms: ValueForms, asksOracle: Bool) {
        self.plugin = plugin
        self.dialect = dialect
        let profile = plugin.profile.profile
        let definitions = profile.services.filter { $0.dialect == nil || dialect == nil || $0.dialect == dialect }
            .flatMap(\.characteristics)
        let names = profile.characteristicNames
        characteristics = definitions.compactMap { definition in
            CharacteristicIndex(definition.name, among: names).map { index in
                CheckedCharacteristic(
                    definition.name, index, plugin.profile.attributes[definition.uuid],
                    forms.places(of: definition, after: profile.rules.count))
            }
        }
        isGeneral = plugin.isGeneral
        readings = Array(repeating: nil, count: profile.types.count)
        messages = Dictionary(profile.messages.enumerated().map { ($1.name, $0) }) { first, _ in first }
        index = Dictionary(definitions.enumerated().map { ($1.uuid, $0) }) { first, _ in first }
        firstNumber = numbers.lowerBound
        count = numbers.count
        emptyReport = RuleReport(ruleCount: profile.rules.count)
        let coded = plugin.behaviour?.makeRules(dialect: dialect) ?? []
        let covered = Set(coded.flatMap(\.rules))
        let oracle = asksOracle ? OracleRule(plugin, dialect: dialect) : nil
        var declared: [any Rule] = []
        var unevaluated: [Int: String] = [:]
        for (place, rule) in profile.rules.enumerated() {
            let number = numbers.lowerBound + place
            if let wanted = rule.dialect, wanted != dialect {
                unevaluated[number] =
                    dialect.map { "the device is of dialect \($0), the rule is about \(wanted)" }
                    ?? "the device's dialect is not known, the rule is about \(wanted)"
                continue
            }
            switch rule.kind {
            case .twin: unevaluated[number] = "requires the twin: checked by active tests"
            case .oracle:
                if !asksOracle {
                    unevaluated[number] = "checked with --oracle"
                } else if oracle == nil {
                    unevaluated[number] = "not checked: the plugin has no oracle"
                }
            case .code:
                if !covered.contains(RuleIndex(place)) {
                    unevaluated[number] = "not checked: the plugin has no code for it"
                }
            default:
                if checks.add(rule, place: place, definitions, messages) { continue }
                if let rule = DeclaredRules.rule(of: rule, RuleIndex(place), in: plugin.profile) {
                    declared.append(rule)
                }
            }
        }
        self.declared = declared
        self.oracle = oracle
        let all = declared + coded + [oracle].compactMap(\.self)
        interests = InterestIndex(all.map { $0.interests.union([.connections]) })
        areOfDevice = all.map { $0.scope == .device }
        self.unevaluated = unevaluated
        if checks.looksAtAdvertising || !interests[.advertisedContent].isEmpty {
            advertised = Dictionary(grouping: plugin.profile.advertising, by: \.carrier)
        }
    }

    /// Creates the rules for another device. Rules in code are created anew, because they may share state about the
    /// device.
    func makeRules() -> RuleGroup {
        let coded = plugin.behaviour?.makeRules(dialect: dialect) ?? []
        return RuleGroup(declared + coded + [oracle].compactMap(\.self), interests)
    }

    /// The reading for values of a type.
    func reading(of layout: Layout) -> ValueReading {
        if let reading = readings[layout.index], reading.layout === layout { return reading }
        let reading = ValueReading(layout)
        readings[layout.index] = reading
        return reading
    }
}

/// A characteristic of a dialect, with the data needed for each of its values.
final class CheckedCharacteristic {
    let name: String
    let index: CharacteristicIndex
    /// Reads the values; nil if the profile has no type for them.
    let reader: AttributeReader?
    /// Whether the type of the values depends on values written before.
    let usesContext: Bool
    /// Indices of the rules about the form of the values.
    let forms: ValueForms.Places
    /// Readings of values with a single type, by operation; created at the first value.
    private var soleReadings: [ValueReading?] = OperationKind.allCases.map { _ in nil }

    init(_ name: String, _ index: CharacteristicIndex, _ reader: AttributeReader?, _ forms: ValueForms.Places) {
        self.name = name
        self.index = index
        self.reader = reader
        self.forms = forms
        usesContext = reader?.usesContext ?? false
    }

    /// The reading of values with a single type; nil if the type depends on more than the operation.
    func soleReading(of operation: OperationKind, in rules: PluginRules) -> ValueReading? {
        if let known = soleReadings[operation.index] { return known }
        soleReadings[operation.index] = reader?.soleLayout(for: operation).map { rules.reading(of: $0) }
        return soleReadings[operation.index]
    }
}
