package import PluginKit
package import Profile

/// Battery levels over time, estimates of charging, and snapshots of a phone's battery health.
///
/// The levels are those of the Battery Service, which many devices offer, or of a table; health comes by URL. What a
/// phone does not tell, as the power that charges it, is estimated and is called so.
package enum BatteryTrace: BuiltInPlugin {
    package static let name = "BatteryTrace"
    package static var profile: PackedProfile { DeviceProfile.packed }
    package static var behaviour: (any PluginBehaviour)? { BatteryBehaviour() }
    package static var tests: [(name: String, text: String)] { DeviceProfile.tests }
    package static var commands: PluginCommandGroup? {
        PluginCommandGroup(
            name: "battery", abstract: "Estimate charging from battery levels; keep snapshots of a battery's health.",
            commands: [.estimate, .models, .ingest, .shortcut, .export, .delete])
    }
}

/// What the profile of batteries cannot say: how levels go on, and how a phone charges.
struct BatteryBehaviour: PluginBehaviour {
    func makeRules(dialect: String?) -> [any DeviceRule] { [LevelRules()] }
    func makeTwin(_ settings: TwinSettings) throws(TwinFault) -> (any DeviceTwin)? { try PhoneTwin(settings) }
    var stimuli: [StimulusDefinition] { PhoneStimulus.allCases.map(\.definition) }
}
