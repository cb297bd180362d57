package import Bluetooth
package import Bytes
import Captures
package import Emulation
import Host
package import PluginKit
import Profile
import Transports

/// An emulated device with its client, scenario, control, non-volatile memory and keyboard commands.
package struct EmulationSession {
    private let options: EmulateOptions
    private let settings: TwinSettings
    private var player: ScenarioPlayer?
    /// The requests of a controlling program; nil without one.
    package var control: ControlSession?
    private var readers: [Scenario.Event.Source: EventReader]

    /// Reads the device's non-volatile memory.
    package init(_ options: EmulateOptions) throws {
        self.options = options
        let scenario = options.scenario
        var settings = TwinSettings(seed: options.seed, quirks: scenario?.quirks ?? options.quirks)
        settings.address = options.address
        settings.dialect = try options.plugin.dialect(options.dialect ?? scenario?.dialect)
        if let state = options.state, Folder.exists(state) {
            settings.storage = Array(try TextFile.read(state).utf8)
        }
        self.settings = settings
        player = scenario.map { ScenarioPlayer($0, options.plugin.profile) }
        control = options.control == nil ? nil : ControlSession(options.plugin)
        let reader = EventReader(options.plugin.profile)
        readers = [.device: reader, .client: reader]
    }

    /// The emulated device of a number. Only the first has the given address and non-volatile memory.
    package func makeDevice(_ number: Int = 0) throws -> EmulatedDevice {
        var own = EmulatedDevice.Settings()
        own.dialect = settings.dialect
        own.seed = options.seed &+ UInt64(number)
        var settings = settings
        settings.seed = own.seed
        if number > 0 { (settings.address, settings.storage) = (nil, nil) }
        if number == 0, let address = options.address, options.transport != .radio {
            guard address.randomKind == .static else {
                throw TwinFault(
                    "--address \(address): a host can choose only static random addresses, which begin with c to f; "
                        + "public ones are the controller's")
            }
            own.addressing = .random(address)
        }
        let device = try EmulatedDevice(options.plugin.profile, twin: options.plugin.makeTwin(settings), own)
        if options.state != nil, device.storage == nil {
            throw TwinFault("\(options.plugin.id) has no non-volatile memory: omit --state")
        }
        return device
    }

    /// The plugin's client, with one instance per device.
    ///
    /// - Parameter isContinuous: whether it receives until it is stopped, and so outlives changes of its devices.
    package func makeClient(hasStore: Bool = false, isContinuous: Bool = false) -> ConnectedClient {
        var client = ConnectedClient(
            options.plugin.profile, client: options.client ?? options.plugin.makeClient(settings),
            seed: options.pairing == nil || options.transport == .radio ? options.seed &+ 1 : nil,
            pairing: options.pairing)
        for number in 1..<max(options.deviceLimit, 1) {
            var settings = settings
            settings.seed &+= UInt64(number)
            client.add(options.plugin.makeClient(settings))
        }
        client.hasStore = hasStore
        client.watchesServices = isContinuous
        if options.recognizesDialect {
            client.recognizeDialects(assuming: settings.dialect, tasks: options.dialectTasks)
        }
        client.deviceTasks = options.deviceTasks
        if options.tasks != nil {
            client.look(
                for: (options.address.map { [$0] } ?? []) + options.furtherAddresses, namePrefix: options.peerName,
                peers: options.peers)
        }
        return client
    }
}

// MARK: - The scenario

extension EmulationSession {
    package var deadline: Timestamp? { [player?.deadline, control?.player.deadline].compactMap(\.self).min() }
    /// Whether the scenario is over; false without a scenario. With control, whether the controlling program is done.
    package var isFinished: Bool { control?.isOver ?? player?.isFinished ?? false }
    package var onlyTimeIsMissing: Bool {
        guard let control else { return player?.onlyTimeIsMissing ?? false }
        return control.player.onlyTimeIsMissing && (player.map { $0.isFinished || $0.onlyTimeIsMissing } ?? true)
    }
    /// Whether nothing happens until the controlling program sends a request.
    package var isAwaitingRequest: Bool {
        guard let control else { return false }
        return control.isIdle && (player?.isFinished ?? true)
    }
    package var failures: [ScenarioPlayer.Failure] { (player?.failures ?? []) + (control?.failures ?? []) }
    package var fulfilled: Int { player?.fulfilled ?? 0 }

    package mutating func begin(at now: Timestamp) -> [Scenario.Action] {
        (player?.begin(at: now) ?? []) + (control?.player.begin(at: now) ?? [])
    }

    package mutating func expire(at now: Timestamp) -> [Scenario.Action] {
        (player?.expire(at: now) ?? []) + (control?.player.expire(at: now) ?? [])
    }

    package mutating func take(
        _ event: EmulationEvent, from source: Scenario.Event.Source, at now: Timestamp
    ) -> [Scenario.Action] {
        (player?.take(event, from: source, at: now) ?? []) + (control?.player.take(event, from: source, at: now) ?? [])
    }
}

// MARK: - Events

extension EmulationSession {
    /// A decoded log entry for an event. With several devices, `peer` is the device of the client's `session`. Nil for
    /// events that are not logged: commits, and those of further sessions that have found no device yet.
    package mutating func logEntry(
        _ event: EmulationEvent, from source: Scenario.Event.Source, session: Int = 0, peer: Address? = nil,
        at time: Timestamp
    ) -> EmulationLogEntry? {
        if case .commit = event { return nil }
        if session > 0, peer == nil { return nil }
        readers[source]?.follow(event)
        control?.follow(event)
        return EmulationLogEntry(
            time: time, source: source, peer: options.deviceLimit > 1 ? peer : nil, event: event,
            fields: readers[source]?.fields(of: event) ?? .absent)
    }

    /// Writes the device's non-volatile memory to its file.
    package func keep(_ event: EmulationEvent) throws {
        guard case .stored(let storage) = event, let state = options.state else { return }
        try TextFile.write(String(decoding: storage, as: UTF8.self), to: state)
    }
}

// MARK: - Keys

extension EmulationSession {
    /// The effect of a key.
    package enum KeyMeaning: Sendable {
        case stimulus(Stimulus)
        /// Shows the device's display.
        case display
        /// An unknown key: the list of keys.
        case help(String)
    }

    package func stimulus(forKey key: Character) -> KeyMeaning {
        if let definition = stimuli.first(where: { $0.key == key }) {
            return .stimulus(Stimulus(definition.name, definition.amount?.usual))
        }
        return key == Self.displayKey && hasDisplay ? .display : .help(keys)
    }

    private static let displayKey: Character = "v"

    private var hasDisplay: Bool { options.tasks == nil && (try? options.plugin.makeTwin(settings))?.display != nil }

    /// The stimuli that keys trigger: on the device, or as tasks of the client.
    private var stimuli: [StimulusDefinition] {
        options.tasks == nil ? options.plugin.stimuli : options.plugin.tasks
    }

    /// The list of keys, for people.
    package var keys: String {
        let rows = stimuli.compactMap { one in
            one.key.map { key in
                guard let amount = one.amount, let usual = amount.usual else { return "  \(key)  \(one.title)" }
                return "  \(key)  \(one.title) (\(amount.text(usual)))"
            }
        }
        let display = hasDisplay ? ["  \(Self.displayKey)  Shows the display."] : []
        return ((rows.isEmpty ? ["  there are no keys"] : rows) + display + ["  ?  this list", "  Ctrl-C  ends"])
            .joined(separator: "\n")
    }
}
