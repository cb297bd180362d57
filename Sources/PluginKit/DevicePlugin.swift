public import Bytes
public import Profile

/// The description of one kind of device: its profile, and the behaviour that a profile cannot express.
///
/// A plugin depends on this module and on nothing of the pipeline; the pipeline accesses plugins only through this
/// type.
package struct DevicePlugin: Sendable {
    package let profile: CompiledProfile
    /// The behaviour in Swift; nil for a plugin that consists of its profile alone.
    package let behaviour: (any PluginBehaviour)?
    /// Quirks that the plugin's devices are assumed to show: by default those of the real firmware.
    package var quirks = QuirkSelection()

    package init(_ profile: CompiledProfile, behaviour: (any PluginBehaviour)? = nil) {
        self.profile = profile
        self.behaviour = behaviour
    }

    /// The plugin's identifier, which is the prefix of its field names: `aquavate`.
    package var id: String { profile.profile.header.id }

    /// Whether the plugin describes values of any device, like the standard services, instead of one kind of device.
    package var isGeneral: Bool { profile.profile.match.isEmpty }

    /// Creates a twin that follows one of the plugin's devices; nil if the plugin has none for the dialect.
    package func makeOracle(dialect: String?) -> (any DeviceOracle)? {
        behaviour?.makeOracle(dialect: dialect, quirks: quirks)
    }

    /// Whether the devices are assumed to show a quirk; true for a quirk that the plugin does not define.
    package func shows(_ quirk: String) -> Bool {
        behaviour?.quirks.first { $0.id == quirk }.map { quirks.shows($0) } ?? true
    }

    /// All fields recorded by the plugin's values and its behaviour.
    package var fields: [Field] { profile.fields + (behaviour?.annotationFields ?? []) }
}

/// The part of a plugin that is written in Swift.
public protocol PluginBehaviour: Sendable {
    /// Characteristics whose values the follower handles, by their names in the profile.
    var followed: Set<String> { get }
    /// All fields of the follower's annotations.
    var annotationFields: [Field] { get }
    /// Creates the follower for the values of one capture; nil if the plugin has none.
    func makeFollower() -> (any DeviceFollower)?
    /// Creates the rules in code (`code` rules of the profile) for devices of a dialect, nil if the dialect is unknown.
    /// Each device gets its own rules.
    func makeRules(dialect: String?) -> [any Rule]
    /// Creates a twin that follows a device with these quirks through one connection; nil if the plugin has none for
    /// the dialect.
    func makeOracle(dialect: String?, quirks: QuirkSelection) -> (any DeviceOracle)?
    /// Creates a twin with the device's behaviour; nil if the profile's `emulate` section is sufficient.
    func makeTwin(_ settings: TwinSettings) throws(TwinFault) -> (any DeviceTwin)?
    /// Stimuli for the plugin's twins.
    var stimuli: [StimulusDefinition] { get }
    /// Firmware quirks that a twin can show or omit.
    var quirks: [QuirkDefinition] { get }
    /// Creates the behaviour of the device's client; nil if the plugin has none.
    func makeClient(_ settings: TwinSettings) -> (any DeviceClient)?
    /// Tasks that a user can give to the client.
    var tasks: [StimulusDefinition] { get }
}

extension PluginBehaviour {
    public var followed: Set<String> { [] }
    public var annotationFields: [Field] { [] }
    public func makeFollower() -> (any DeviceFollower)? { nil }
    public func makeRules(dialect: String?) -> [any Rule] { [] }
    public func makeOracle(dialect: String?, quirks: QuirkSelection) -> (any DeviceOracle)? { nil }
    public func makeTwin(_ settings: TwinSettings) throws(TwinFault) -> (any DeviceTwin)? { nil }
    public var stimuli: [StimulusDefinition] { [] }
    public var quirks: [QuirkDefinition] { [] }
    public func makeClient(_ settings: TwinSettings) -> (any DeviceClient)? { nil }
    public var tasks: [StimulusDefinition] { [] }
}

/// Follows the values of a plugin's devices in capture order, and reports what a single value does not show: a missing
/// sequence number, a repeated record.
public protocol DeviceFollower: Sendable {
    mutating func follow(_ event: DeviceEvent) -> [Annotation]
}

/// A value that was read, written, notified or indicated.
public struct DeviceEvent: Sendable {
    /// Number of the frame that completes the value.
    public var frame: Int
    public var time: Timestamp
    /// Number of the connection, from 1.
    public var connection: Int
    /// Identifies the point of recording: one number for each adapter and direction.
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

/// A result of following values, attached to one of them.
public struct Annotation: Sendable {
    public enum Content: Sendable {
        case number(UInt64)
        case text(String)
    }

    public var field: Field
    public var content: Content
    /// A problem to list among the frame's diagnostics; nil if there is none.
    public var warning: String?

    public init(_ field: Field, _ content: Content, warning: String? = nil) {
        self.field = field
        self.content = content
        self.warning = warning
    }
}
