public import PluginKit
public import Profile

/// Battery levels over time, estimates of charging, and snapshots of a phone's battery health.
///
/// Levels come from the Battery Service, which many devices offer, or from a table; health comes by URL. Values that a
/// phone does not report, such as the power that charges it, are estimated and labelled as estimates.
public enum BatteryTrace: BuiltInPlugin {
    public static let name = "BatteryTrace"
    public static var profile: ProfileText { DeviceProfile.text }
    public static var behaviour: (any PluginBehaviour)? { BatteryBehaviour() }
    public static var tests: [(name: String, text: String)] { DeviceProfile.tests }
    public static var scenarios: [(name: String, text: String)] { DeviceProfile.scenarios }
    public static var tables: StoredTables? { BatteryTables.tables }
    public static var commands: [PluginCommandGroup] {
        [
            PluginCommandGroup(
                name: "battery",
                abstract: "Estimate charging from battery levels, watch a charge, and follow how a battery ages.",
                commands: [
                    .monitor, .estimate, .plot, .ingest, .importing, .shortcut, .label, .export, .delete, .models,
                ])
        ]
    }
}

/// Behaviour that the profile of batteries cannot express: rules for the course of levels, and a phone that charges.
struct BatteryBehaviour: PluginBehaviour {
    func makeRules(dialect: String?) -> [any Rule] { [LevelRules()] }
    func makeTwin(_ settings: TwinSettings) throws(TwinFault) -> (any DeviceTwin)? { try PhoneTwin(settings) }
    var stimuli: [StimulusDefinition] { PhoneStimulus.allCases.map(\.definition) }
    var quirks: [QuirkDefinition] { PhoneQuirk.allCases.map(\.definition) }
}
