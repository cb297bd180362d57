import Bytes
public import PluginKit
public import Profile

/// The LifeCount people counter: its profile, sequence tracking, rules, twin and gateway.
public enum LifeCount: BuiltInPlugin {
    public static let name = "LifeCount"
    public static var profile: ProfileText { DeviceProfile.text }
    public static var behaviour: (any PluginBehaviour)? { CountBehaviour() }
    public static var scenarios: [(name: String, text: String)] { DeviceProfile.scenarios }
    public static var commands: [PluginCommandGroup] { [CountCommands.group] }
    public static var tables: StoredTables? { CounterTables.tables }
    public static var tests: [(name: String, text: String)] { DeviceProfile.tests }
}

/// Behaviour that a counter's profile cannot express: missing and repeated events and restarts of the count, rules
/// across several values, and the actions of the counter and its gateway.
struct CountBehaviour: PluginBehaviour {
    var followed: Set<String> { [CharacteristicName.countEvent.rawValue] }
    var annotationFields: [Field] { [CountFollower.sequence, CountFollower.missing] }
    func makeFollower() -> (any DeviceFollower)? { CountFollower() }
    func makeRules(dialect: String?) -> [any Rule] {
        [SequenceRules(), EventRules(), DeliveryRules(), SubscriptionRule(), ReconnectionRule()]
    }

    func makeOracle(dialect: String?, quirks: QuirkSelection) -> (any DeviceOracle)? { try? CounterOracle() }
    func makeTwin(_ settings: TwinSettings) throws(TwinFault) -> (any DeviceTwin)? { try CounterTwin(settings) }
    var stimuli: [StimulusDefinition] { CounterStimulus.allCases.map(\.definition) }
    func makeClient(_ settings: TwinSettings) -> (any DeviceClient)? { try? CounterGateway(settings) }
    var tasks: [StimulusDefinition] { GatewayTask.allCases.map(\.definition) }
}
