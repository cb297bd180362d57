import PluginKit

/// What the profile of batteries cannot say: how levels go on, and how a phone charges.
struct BatteryBehaviour: PluginBehaviour {
    func makeRules(dialect: String?) -> [any DeviceRule] { [LevelRules()] }
    func makeTwin(_ settings: TwinSettings) throws(TwinFault) -> (any DeviceTwin)? { try PhoneTwin(settings) }
    var stimuli: [StimulusDefinition] { PhoneStimulus.allCases.map(\.definition) }
}
