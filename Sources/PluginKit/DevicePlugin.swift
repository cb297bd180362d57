public import Bytes
public import Profile

/// What the workbench knows of one kind of device: its profile, and the behaviour that a profile cannot say.
///
/// A plugin sees this module and nothing of the pipeline; the pipeline sees plugins only through this type.
package struct DevicePlugin: Sendable {
    package let profile: CompiledProfile
    /// What Swift adds; nil for a plugin that is nothing but its profile.
    package let behaviour: (any PluginBehaviour)?
    /// The misbehaviour that its devices are taken to show: that of the real firmware unless somebody knows better.
    package var quirks = QuirkSelection()

    package init(_ profile: CompiledProfile, behaviour: (any PluginBehaviour)? = nil) {
        self.profile = profile
        self.behaviour = behaviour
    }

    /// Begins the names of its fields: `aquavate`.
    package var id: String { profile.profile.header.id }

    /// Whether it describes values of any device, as the standard services do, instead of one kind of device.
    package var isGeneral: Bool { profile.profile.match.isEmpty }

    /// A twin that follows one of its devices; nil where there is none for the dialect.
    package func makeOracle(dialect: String?) -> (any DeviceOracle)? {
        behaviour?.makeOracle(dialect: dialect, quirks: quirks)
    }

    /// Whether its devices are taken to show a quirk; of one that the plugin does not know, yes.
    package func shows(_ quirk: String) -> Bool {
        behaviour?.quirks.first { $0.id == quirk }.map { quirks.shows($0) } ?? true
    }

    /// Every field that its values and its behaviour record.
    package var fields: [Field] { profile.fields + (behaviour?.annotationFields ?? []) }
}

/// What a plugin does in Swift, beside its profile.
public protocol PluginBehaviour: Sendable {
    /// Characteristics, by their names in the profile, whose values the follower is told of.
    var followed: Set<String> { get }
    /// Every field that the follower's annotations have.
    var annotationFields: [Field] { get }
    /// Somebody who follows the values of one capture; nil when the plugin has none.
    func makeFollower() -> (any DeviceFollower)?
    /// Those who judge the profile's `code` rules, for devices of a dialect, nil where it is not known: each device is judged
    /// by a copy.
    func makeRules(dialect: String?) -> [any DeviceRule]
    /// A twin that follows a device with such quirks through one connection; nil when the plugin has none for the dialect.
    func makeOracle(dialect: String?, quirks: QuirkSelection) -> (any DeviceOracle)?
    /// The device's behaviour; nil when the profile's `emulate` section is all there is.
    func makeTwin(_ settings: TwinSettings) throws(TwinFault) -> (any DeviceTwin)?
    /// What can happen to the plugin's twins.
    var stimuli: [StimulusDefinition] { get }
    /// Ids and titles of the misbehaviour that a twin can show or leave.
    var quirks: [QuirkDefinition] { get }
    /// The behaviour of the device's client; nil when the plugin has none.
    func makeClient(_ settings: TwinSettings) -> (any DeviceClient)?
    /// What the client's user can want of it.
    var tasks: [StimulusDefinition] { get }
}

extension PluginBehaviour {
    public var followed: Set<String> { [] }
    public var annotationFields: [Field] { [] }
    public func makeFollower() -> (any DeviceFollower)? { nil }
    public func makeRules(dialect: String?) -> [any DeviceRule] { [] }
    public func makeOracle(dialect: String?, quirks: QuirkSelection) -> (any DeviceOracle)? { nil }
    public func makeTwin(_ settings: TwinSettings) throws(TwinFault) -> (any DeviceTwin)? { nil }
    public var stimuli: [StimulusDefinition] { [] }
    public var quirks: [QuirkDefinition] { [] }
    public func makeClient(_ settings: TwinSettings) -> (any DeviceClient)? { nil }
    public var tasks: [StimulusDefinition] { [] }
}

/// Follows the values of a plugin's devices in the order of the capture, and says what a value by itself does not tell:
/// a sequence number that was left out, a record that came before.
public protocol DeviceFollower: Sendable {
    mutating func follow(_ event: DeviceEvent) -> [Annotation]
}

/// A value that was read, written or told.
public struct DeviceEvent: Sendable {
    /// Number of the frame that completes it.
    public var frame: Int
    public var time: Timestamp
    /// Number of the connection, from 1.
    public var connection: Int
    /// The end of the link at which it was recorded: a number for each adapter and direction.
    public var recordedAt = 0
    public var operation: OperationKind
    /// Name of the characteristic in the profile.
    public var characteristic: String
    /// Name of the value's type in the profile.
    public var message: String
    public var value: Value

    public init(
        frame: Int, time: Timestamp, connection: Int, operation: OperationKind, characteristic: String, message: String,
        value: Value
    ) {
        self.frame = frame
        self.time = time
        self.connection = connection
        self.operation = operation
        self.characteristic = characteristic
        self.message = message
        self.value = value
    }
}

/// Something that following the values has found out about one of them.
public struct Annotation: Sendable {
    public enum Content: Sendable {
        case number(UInt64)
        case text(String)
    }

    public var field: Field
    public var content: Content
    /// What is wrong, for the diagnoses of the frame; nil when nothing is.
    public var warning: String?

    public init(_ field: Field, _ content: Content, warning: String? = nil) {
        self.field = field
        self.content = content
        self.warning = warning
    }
}
