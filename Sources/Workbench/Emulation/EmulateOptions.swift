package import Bluetooth
package import Bytes
package import Emulation
package import PluginKit
package import Transports

/// Options of `emulate`.
package struct EmulateOptions: Sendable {
    package enum Speed: Hashable, Sendable {
        /// A multiple of real time.
        case factor(Double)
        /// Without waiting, except for events from outside this process.
        case virtual
    }

    package var plugin: DevicePlugin
    /// The controller's transport.
    package var transport: TransportSpec
    /// Tasks of the plugin's client; nil to emulate the device. On `radio:` both are emulated.
    package var tasks: [Stimulus]?
    /// Tasks for devices of a dialect that is recognized after discovery; they follow `tasks`.
    package private(set) var dialectTasks: [String: [Stimulus]] = [:]
    /// Replaces the plugin's client; nil for none.
    package var client: (any DeviceClient)?
    /// How the client pairs with a device that demands it; nil for not at all.
    package var pairing: ClientPairing?
    package var dialect: String?
    /// Device: its address; nil for the twin's or the controller's. Client: the address to connect to; nil for the
    /// first device found.
    package var address: Address?
    /// Addresses of further devices that the client connects to.
    package var furtherAddresses: [Address] = []
    /// Tasks for single devices, in addition to those for each.
    package var deviceTasks: [Address: [Stimulus]] = [:]
    /// Maximum number of devices that the client connects to; the number of devices on `radio:`.
    package var deviceLimit = 1
    /// Prefix of the name of the client's device; nil for any name.
    package var peerName: String?
    /// Devices that the client connects to without their address being named.
    package var peers = PeerSelection.any()
    package var scenario: Scenario?
    package var seed: UInt64 = 1
    package var speed = Speed.factor(1)
    /// Path of a capture of all traffic between host and controller; nil for none.
    package var record: String?
    /// How long to run; nil to run until the scenario ends, or, without a scenario, without limit.
    package var duration: Duration?
    package var quirks = QuirkSelection()
    /// Path of the device's non-volatile memory; nil for a device without one.
    package var state: String?
    /// The link to a program that controls the device; nil for none.
    package var control: ControlLink?

    package init(plugin: DevicePlugin, transport: TransportSpec) {
        self.plugin = plugin
        self.transport = transport
    }
}

extension EmulateOptions {
    /// Whether a client recognizes the dialect after discovery: neither the user nor the scenario names it.
    var recognizesDialect: Bool { dialect == nil && scenario?.dialect == nil }

    /// Sets the client's tasks: those for the device's dialect, then `further` ones. For a device whose dialect is still
    /// to be recognized, the client begins with the tasks that all dialects share.
    package mutating func setTasks(_ tasksByDialect: [String: [Stimulus]], further: [Stimulus]) throws {
        let assumed = try plugin.dialect(dialect ?? scenario?.dialect) ?? ""
        let own = tasksByDialect[assumed] ?? []
        let shared = own.filter { task in tasksByDialect.values.allSatisfy { $0.contains(task) } }
        // The dialect of a twin in this process is known.
        guard recognizesDialect, transport != .radio, tasksByDialect.count > 1, !shared.isEmpty else {
            tasks = own + further
            return
        }
        tasks = shared
        dialectTasks = tasksByDialect.mapValues { own in own.filter { !shared.contains($0) } + further }
    }
}

/// The result of a scenario.
package struct ScenarioOutcome: Sendable {
    /// Expected events that did not occur, and forbidden events that did.
    package var failures: [ScenarioPlayer.Failure]
    /// Number of expectations met.
    package var fulfilled: Int
    /// Why the client has not completed its tasks; nil if it has, and for a device.
    package var problem: ClientProblem?
}

/// Why a client has not completed its tasks.
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

/// Output of a running emulation.
package enum EmulateOutput: Sendable {
    /// The device can be found under this name and address.
    case ready(name: String?, DeviceAddress, at: Timestamp)
    case happened(EmulationLogEntry)
    /// A line of JSON for the program that controls the device from standard input.
    case reply(String)
    /// A text that the scenario prints.
    case said(String, at: Timestamp)
    /// A packet between a host and its controller, packet indicator first; only on `radio:`.
    case packet([UInt8], isSent: Bool, of: Scenario.Event.Source, at: Timestamp)
    /// A message for people: a host has attached, a file cannot be written.
    case warning(String)
    /// The list of keys or the device's display, for people.
    case help(String)
}
