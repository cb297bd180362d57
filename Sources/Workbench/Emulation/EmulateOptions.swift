package import Bluetooth
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
    /// The client; nil for the plugin's own.
    package var client: (any DeviceClient)?
    package var dialect: String?
    /// The device's address; nil for the twin's own or the controller's, and for the first device that the client finds.
    package var address: Address?
    /// Addresses of further devices for the client.
    package var furtherAddresses: [Address] = []
    /// With how many devices the client has connections at most; on `radio:` there are so many.
    package var deviceLimit = 1
    /// How the name of the client's device begins; nil for any.
    package var peerName: String?
    /// Devices that the client has met before, and looks for first.
    package var knownDevices: Set<Address> = []
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
    /// Where another program controls the device from; nil for nowhere.
    package var control: ControlLink?

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
    /// Why a client has not done its tasks; nil where it has, and for a device.
    package var problem: ClientProblem?
}

/// Why a client has not done its tasks.
package enum ClientProblem: Hashable, Sendable, CustomStringConvertible {
    case noDevice(plugin: String)
    case failed(procedure: String, reason: String)

    package var description: String {
        switch self {
        case .noDevice(let plugin): "no device of \(plugin) was found"
        case .failed(let procedure, let reason): "\(procedure): \(reason)"
        }
    }
}

/// What an emulation tells whoever runs it.
package enum EmulateOutput: Sendable {
    /// The device can be found: by this name, at this address.
    case ready(name: String?, DeviceAddress, at: Timestamp)
    case happened(EmulationLogEntry)
    /// A line of JSON for the program that controls the device from standard input.
    case reply(String)
    /// The scenario says something.
    case said(String, at: Timestamp)
    /// A packet between a host and its controller, its packet indicator first; on radio: only.
    case packet([UInt8], isSent: Bool, of: Scenario.Event.Source, at: Timestamp)
    /// Something for people: a host has attached, a file cannot be written.
    case warning(String)
    /// The keys of the device, for people.
    case help(String)
}
