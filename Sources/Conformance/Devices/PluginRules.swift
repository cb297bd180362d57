import BluetoothTypes
import GAP
import PluginKit
import Profile

/// The rules of a plugin for the devices of one dialect, ready to be given to judges.
final class PluginRules {
    let plugin: DevicePlugin
    /// The dialect of the devices; nil where it is not known.
    let dialect: String?
    /// The dialect's characteristics, and their indices by type.
    let characteristics: [CharacteristicDefinition]
    let index: [UUID: Int]
    /// Indices of the profile's messages by their names.
    let messages: [String: Int]
    /// Their names: copying a definition takes longer than what is done with the name.
    let names: [String]
    /// Their indices in the profile.
    let indices: [CharacteristicIndex]
    /// How the values of each characteristic are read; nil where the profile has no type for them.
    let readers: [AttributeReader?]
    /// Index in the book of the profile's first rule.
    let firstNumber: Int
    /// What judges of the plugin begin to fill.
    let emptyReport: RuleReport
    let checks = ValueChecks()
    /// How data in advertisements are read, by their owners; empty where no rule looks at them.
    private(set) var advertised: [GAP.DataOwner: [AdvertisedReader]] = [:]
    /// The rules about the form of each characteristic's values.
    let forms: [ValueForms.Places]
    /// How many rules there are.
    let count: Int
    /// Whether the type of a characteristic's values depends on what was written before.
    let usesContext: [Bool]
    /// Readings of values, by the places of their types.
    private var readings: [ValueReading?]
    /// Those who judge a device, before they have seen anything: each device begins with a copy.
    let panel: DeviceRuleSet
    /// Whether the plugin judges every device that has one of its attributes.
    let isGeneral: Bool
    /// Why rules cannot be judged at all, by their indices in the book.
    let unjudged: [Int: String]

    /// `numbers` are the indices in the book of the profile's rules, then of those in `forms`.
    init(_ plugin: DevicePlugin, dialect: String?, numbers: Range<Int>, forms: ValueForms, asksOracle: Bool) {
        self.plugin = plugin
        self.dialect = dialect
        let profile = plugin.profile.profile
        characteristics = profile.services.filter { $0.dialect == nil || dialect == nil || $0.dialect == dialect }
            .flatMap(\.characteristics)
        names = characteristics.map(\.name)
        let known = profile.characteristicNames
        indices = names.compactMap { CharacteristicIndex($0, among: known) }
        isGeneral = plugin.isGeneral
        readers = characteristics.map { plugin.profile.attributes[$0.uuid] }
        usesContext = readers.map { $0?.usesContext ?? false }
        readings = Array(repeating: nil, count: profile.types.count)
        messages = Dictionary(profile.messages.enumerated().map { ($1.name, $0) }) { first, _ in first }
        index = Dictionary(characteristics.enumerated().map { ($1.uuid, $0) }) { first, _ in first }
        firstNumber = numbers.lowerBound
        self.forms = characteristics.map { forms.places(of: $0, after: profile.rules.count) }
        count = numbers.count
        emptyReport = RuleReport(ruleCount: profile.rules.count)
        let coded = plugin.behaviour?.makeRules(dialect: dialect) ?? []
        let judged = Set(coded.flatMap(\.rules))
        let oracle = asksOracle ? OracleRule(plugin, dialect: dialect) : nil
        var declared: [any DeviceRule] = []
        var unjudged: [Int: String] = [:]
        for (place, rule) in profile.rules.enumerated() {
            let number = numbers.lowerBound + place
            if let wanted = rule.dialect, wanted != dialect {
                unjudged[number] =
                    dialect.map { "the device is of dialect \($0), the rule is about \(wanted)" }
                    ?? "the device's dialect is not known, the rule is about \(wanted)"
                continue
            }
            switch rule.kind {
            case .twin: unjudged[number] = "requires the twin: checked by active tests"
            case .oracle:
                if !asksOracle {
                    unjudged[number] = "checked with --oracle"
                } else if oracle == nil {
                    unjudged[number] = "not checked: the plugin has no oracle"
                }
            case .code:
                if !judged.contains(RuleIndex(place)) {
                    unjudged[number] = "not checked: the plugin has no code for it"
                }
            default:
                if checks.add(rule, place: place, characteristics, messages) { continue }
                if let judge = DeclaredRules.judge(of: rule, RuleIndex(place), in: plugin.profile) {
                    declared.append(judge)
                }
            }
        }
        panel = DeviceRuleSet(declared + coded + [oracle].compactMap(\.self), indices)
        self.unjudged = unjudged
        if checks.looksAtAdvertising || !panel.interestIndex.advertisedContent.isEmpty {
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
