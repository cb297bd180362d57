import Bluetooth
import PluginKit
import Profile

/// The rules of a plugin for the devices of one dialect, ready to be given to rules.
final class PluginRules {
    let plugin: DevicePlugin
    /// The dialect of the devices; nil where it is not known.
    let dialect: String?
    /// The dialect's characteristics, and their places by type.
    let characteristics: [CheckedCharacteristic]
    let index: [UUID: Int]
    /// Indices of the profile's messages by their names.
    let messages: [String: Int]
    /// Index in the store of the profile's first rule.
    let firstNumber: Int
    /// What rules of the plugin begin to fill.
    let emptyReport: RuleReport
    let checks = ValueChecks()
    /// How data in advertisements are read, by their owners; empty where no rule looks at them.
    private(set) var advertised: [GAP.DataOwner: [AdvertisedReader]] = [:]
    /// How many rules there are.
    let count: Int
    /// Readings of values, by the places of their types.
    private var readings: [ValueReading?]
    /// The rules before they have seen an event: each device begins with a copy.
    let ruleSet: DeviceRuleSet
    /// Whether the plugin rules every device that has one of its attributes.
    let isGeneral: Bool
    /// Why rules cannot be evaluated, by their indices in the store.
    let unevaluated: [Int: String]

    /// `numbers` are the indices in the store of the profile's rules, then of those in `forms`.
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
        var declared: [any DeviceRule] = []
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
        ruleSet = DeviceRuleSet(declared + coded + [oracle].compactMap(\.self), characteristics.map(\.index))
        self.unevaluated = unevaluated
        if checks.looksAtAdvertising || !ruleSet.interestIndex.advertisedContent.isEmpty {
            advertised = Dictionary(grouping: plugin.profile.advertising, by: \.carrier)
        }
    }

    /// The reading for values of a type.
    func reading(of layout: Layout) -> ValueReading {
        if let reading = readings[layout.index], reading.layout === layout { return reading }
        let reading = ValueReading(layout)
        readings[layout.index] = reading
        return reading
    }
}

/// A characteristic of a dialect as the engine looks it up for each value.
final class CheckedCharacteristic {
    let name: String
    let index: CharacteristicIndex
    /// How its values are read; nil where the profile has no type for them.
    let reader: AttributeReader?
    /// Whether the type of its values depends on what was written before.
    let usesContext: Bool
    /// The rules about the form of its values.
    let forms: ValueForms.Places
    /// The readings of values that all have one type, by operation, once there was a value.
    private var soleReadings: [ValueReading?] = OperationKind.allCases.map { _ in nil }

    init(_ name: String, _ index: CharacteristicIndex, _ reader: AttributeReader?, _ forms: ValueForms.Places) {
        self.name = name
        self.index = index
        self.reader = reader
        self.forms = forms
        usesContext = reader?.usesContext ?? false
    }

    /// The reading of values that all have one type; nil where the type depends on more than the operation.
    func soleReading(of operation: OperationKind, in rules: PluginRules) -> ValueReading? {
        if let known = soleReadings[operation.index] { return known }
        soleReadings[operation.index] = reader?.soleLayout(for: operation).map { rules.reading(of: $0) }
        return soleReadings[operation.index]
    }
}
