package import BluetoothTypes
package import Bytes
package import Emulation
package import PluginKit
package import Transports

/// What the user asks of `emulate`.
package struct EmulateOptions: Sendable {
    /// How time passes.
    package enum Speed: Hashable, Sendable {
        /// So many times faster than real time.
        case factor(Double)
        /// Without waiting, as far as nobody outside of this process has a part in it.
        case virtual
    }

    package var plugin: DevicePlugin
    /// Transport of the controller.
    package var transport: TransportSpec
    /// What the plugin's client is to do; nil to be the device. On `radio:` both are there.
    package var tasks: [Stimulus]?
    package var dialect: String?
    /// The device's address; nil for the twin's own or the controller's.
    package var address: Address?
    package var scenario: Scenario?
    package var seed: UInt64 = 1
    package var speed = Speed.factor(1)
    /// Path of a capture of all that passes between host and controller; nil for none.
    package var record: String?
    /// How long it goes on; nil for the scenario's end, or, where there is none, for ever.
    package var duration: Duration?
    package var quirks = QuirkSelection()
    /// Path of the file with what the device keeps without power; nil for a device that forgets.
    package var state: String?

    package init(plugin: DevicePlugin, transport: TransportSpec) {
        self.plugin = plugin
        self.transport = transport
    }
}

/// What came of a scenario.
package struct ScenarioOutcome: Sendable {
    /// What was expected in vain, or came and must not.
    package var failures: [ScenarioPlayer.Failure]
    /// How many expectations were met.
    package var fulfilled: Int
}

/// What an emulation tells whoever runs it.
package enum EmulateOutput: Sendable {
    /// The device can be found: by this name, at this address.
    case ready(name: String?, DeviceAddress, at: Timestamp)
    case happened(EmulationLogEntry)
    /// The scenario says something.
    case said(String, at: Timestamp)
    /// A packet between a host and its controller, its packet indicator first; on radio: only.
    case packet([UInt8], isSent: Bool, of: Scenario.Event.Source, at: Timestamp)
    /// Something for people: a host has attached, a file cannot be written.
    case remark(String)
    /// The keys of the device, for people.
    case help(String)
}
