import BluetoothTypes
package import Bytes
import Captures
package import Emulation
import Host
package import PluginKit
import Profile
import Transports

/// An emulated device with its client, scenario, non-volatile memory and keyboard commands.
package struct EmulationSession {
    private let options: EmulateOptions
    private let settings: TwinSettings
    private var player: ScenarioPlayer?
    private var readers: [Scenario.Event.Source: EventReader]

    /// Reads what the device has kept.
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
        let reader = EventReader(options.plugin.profile)
        readers = [.device: reader, .client: reader]
    }

    /// The device on a controller.
    package func makeDevice() throws -> EmulatedDevice {
        var own = EmulatedDevice.Settings()
        own.dialect = settings.dialect
        own.seed = options.seed
        if let address = options.address, options.transport != .radio {
            guard address.randomKind == .static else {
                throw TwinFault(
                    "--address \(address): a host can choose only static random addresses, which begin with c to f; "
                        + "public ones are the controller's")
            }
            own.addressing = .random(address)
        }
        return try EmulatedDevice(options.plugin.profile, twin: options.plugin.makeTwin(settings), own)
    }

    /// A client on a controller.
    package func makeClient() -> ConnectedClient {
        ConnectedClient(
            options.plugin.profile, client: options.plugin.makeClient(settings), seed: options.seed &+ 1)
    }
}

// MARK: - The scenario

extension EmulationSession {
    package var deadline: Timestamp? { player?.deadline }
    /// Whether there was a scenario, and it is over.
    package var isFinished: Bool { player?.isFinished ?? false }
    package var onlyTimeIsMissing: Bool { player?.onlyTimeIsMissing ?? false }
    package var failures: [ScenarioPlayer.Failure] { player?.failures ?? [] }
    package var fulfilled: Int { player?.fulfilled ?? 0 }

    package mutating func begin(at now: Timestamp) -> [Scenario.Action] { player?.begin(at: now) ?? [] }

    package mutating func expire(at now: Timestamp) -> [Scenario.Action] { player?.expire(at: now) ?? [] }

    package mutating func take(
        _ event: EmulationEvent, from source: Scenario.Event.Source, at now: Timestamp
    ) -> [Scenario.Action] {
        player?.take(event, from: source, at: now) ?? []
    }
}

// MARK: - What is told

extension EmulationSession {
    /// An event with what it means.
    package mutating func happening(
        _ event: EmulationEvent, from source: Scenario.Event.Source, at time: Timestamp
    ) -> EmulationLogEntry {
        readers[source]?.follow(event)
        return EmulationLogEntry(
            time: time, source: source, event: event, fields: readers[source]?.fields(of: event) ?? .absent)
    }

    /// Writes down what the device keeps without power.
    package func keep(_ event: EmulationEvent) throws {
        guard case .stored(let storage) = event, let state = options.state else { return }
        try TextFile.write(String(decoding: storage, as: UTF8.self), to: state)
    }
}

// MARK: - Keys

extension EmulationSession {
    /// What a key means.
    package enum KeyMeaning: Sendable {
        case stimulus(Stimulus)
        /// Nothing: what the keys are.
        case help(String)
    }

    package func stimulus(forKey key: Character) -> KeyMeaning {
        guard let definition = stimuli.first(where: { $0.key == key }) else { return .help(keys) }
        return .stimulus(Stimulus(definition.name, definition.amount?.usual))
    }

    /// What the keys do: something to the device, or for the client's user.
    private var stimuli: [StimulusDefinition] {
        options.tasks == nil ? options.plugin.stimuli : options.plugin.tasks
    }

    /// The keys, for people.
    package var keys: String {
        let rows = stimuli.compactMap { one in
            one.key.map { key in
                guard let amount = one.amount, let usual = amount.usual else { return "  \(key)  \(one.title)" }
                return "  \(key)  \(one.title) (\(amount.text(usual)))"
            }
        }
        return ((rows.isEmpty ? ["  there are no keys"] : rows) + ["  ?  this list", "  Ctrl-C  ends"])
            .joined(separator: "\n")
    }
}
