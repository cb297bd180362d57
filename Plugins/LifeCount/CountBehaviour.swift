import Bytes
import PluginKit

/// What the profile of a counter cannot say: which events are missing, came twice, or begin a new count; rules that look
/// at more than single values; how the counter and its gateway behave.
struct CountBehaviour: PluginBehaviour {
    var followed: Set<String> { [CharacteristicName.countEvent.rawValue] }
    var annotationFields: [Field] { [CountFollower.sequence, CountFollower.missing] }
    func makeFollower() -> (any DeviceFollower)? { CountFollower() }
    func makeRules(dialect: String?) -> [any DeviceRule] {
        [SequenceRules(), EventRules(), DeliveryRules(), GatewayRules()]
    }

    func makeOracle(dialect: String?, quirks: QuirkSelection) -> (any DeviceOracle)? { try? CounterOracle() }
    func makeTwin(_ settings: TwinSettings) throws(TwinFault) -> (any DeviceTwin)? { try CounterTwin(settings) }
    var stimuli: [StimulusDefinition] { CounterStimulus.allCases.map(\.definition) }
    func makeClient(_ settings: TwinSettings) -> (any DeviceClient)? { try? CounterGateway(settings) }
    var tasks: [StimulusDefinition] { GatewayTask.allCases.map(\.definition) }
}
