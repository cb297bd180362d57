import Bluetooth
package import Bytes
package import PluginKit
package import Profile

/// A device defined by its profile alone: it follows the section `emulate`.
///
/// It advertises as described by its profile whenever no client is connected, holds the values of the section, and runs
/// its reactions. Reactions to a client's action start with that action. Timer reactions run while a client is
/// connected or, if they change the advertising data, while the device has power.
package struct ProfileTwin: DeviceTwin {
    let profile: CompiledProfile
    let emulation: EmulationDefinition
    private let dialect: String?
    /// Layouts of values and operations, by characteristic name.
    let readers: [String: AttributeReader]
    package let answered: Set<String>
    /// Permitted lengths of written values, for characteristics without reactions.
    let lengths: [String: ClosedRange<Int>]
    /// Last known values of the characteristics, by name.
    var values: [String: [UInt8]] = [:]
    /// Data advertised in addition to services and name, in profile order.
    var advertised: [TwinAdvertising.Part] = []
    /// Values last written by clients, by characteristic name.
    var written = WrittenValues()
    /// Reassembly of written messages, by message name.
    var streams: [String: StreamDecoder]
    var generators: [GeneratorKey: ValueGenerator] = [:]
    var random: SplitMix64
    var clients: Set<TwinClient> = []
    /// Deadlines of timer reactions, by reaction index.
    var timers: [Int: Timestamp] = [:]
    /// Number of times each limited reaction has run, by reaction index.
    var counts: [Int: Int] = [:]
    /// Reactions waiting for the end of a delay.
    var pending: [Run] = []
    var actions: [TwinAction] = []

    /// Identifies the generator of one action of one reaction.
    struct GeneratorKey: Hashable, Sendable {
        var reaction: Int
        var action: Int
    }

    /// A running reaction.
    struct Run: Sendable {
        var reaction: Int
        /// Index of the next action.
        var action = 0
        var due: Timestamp
        /// The client concerned; nil for all.
        var client: TwinClient?
        /// The request to answer; nil if the reaction does not answer one.
        var request: Request?
        /// The written value or received message that started the reaction; values of its actions may refer to its
        /// fields.
        var cause: Value?
    }

    /// A read or write waiting for its answer.
    struct Request: Sendable {
        let characteristic: String
        /// The written value; nil for a read.
        let written: [UInt8]?
        /// Nil for a command, which has no answer.
        let ticket: TwinTicket?
    }

    /// Maximum number of waiting reactions; further ones are dropped.
    static let maximumPending = 1024

    /// Creates the device of a profile; the settings' dialect selects its services.
    package init(_ profile: CompiledProfile, _ settings: TwinSettings) {
        let definition = profile.profile
        self.profile = profile
        emulation = definition.emulation ?? EmulationDefinition(place: definition.header.place)
        dialect = settings.dialect
        random = SplitMix64(seed: settings.seed)
        let characteristics = definition.services(of: settings.dialect).flatMap(\.characteristics)
        readers = Dictionary(
            characteristics.compactMap { one in profile.attributes[one.uuid].map { (one.name, $0) } }
        ) { first, _ in first }
        let known = Set(characteristics.map(\.name))
        var answered: Set<String> = []
        var judged: Set<String> = []
        for reaction in emulation.reactions {
            guard case .event(let pattern) = reaction.trigger, !pattern.isConfiguration, !pattern.isMessage else {
                continue
            }
            judged.insert(pattern.characteristic)
            guard known.contains(pattern.characteristic) else { continue }
            if pattern.operation == .read || pattern.operation == nil || reaction.answers {
                answered.insert(pattern.characteristic)
            }
        }
        self.answered = answered
        streams = Dictionary(
            definition.messages.compactMap { message in
                guard case .stream(let framing) = message.framing, message.operation == .write else { return nil }
                return (message.name, StreamDecoder(framing))
            }
        ) { first, _ in first }
        lengths = Dictionary(
            characteristics.compactMap { one in
                judged.contains(one.name) ? nil : one.length.map { (one.name, $0) }
            }
        ) { first, _ in first }
    }

    package var deadline: Timestamp? {
        (Array(timers.values) + pending.map(\.due)).min()
    }

    package mutating func handle(_ input: TwinInput, at now: Timestamp) -> [TwinAction] {
        switch input {
        case .powerOn: powerOn(at: now)
        case .connected(let client): connected(client, at: now)
        case .disconnected(let client): disconnected(client, at: now)
        case .read(let name, let client, let ticket): read(name, client, ticket, at: now)
        case .write(let name, let value, let client, let ticket): write(name, value, client, ticket, at: now)
        case .written(let name, let value, let client):
            note(value, writtenTo: name)
            begin(reactions(to: .write, name, value), of: client, because: decoded(value, .write, name), at: now)
            follow(value, writtenTo: name, of: client, at: now)
        case .subscribed(let name, let subscription, let client):
            let value = [UInt8(truncatingIfNeeded: subscription.rawValue), 0]
            begin(reactions(to: .write, name, value, isConfiguration: true), of: client, at: now)
            let isOn = !subscription.isEmpty
            begin(reactions { $0.isSubscription(to: name, isOn) }, of: client, at: now)
        case .time: expire(at: now)
        case .capacity, .confirmed, .stimulus: break
        }
        defer { actions = [] }
        return actions
    }

    private mutating func powerOn(at now: Timestamp) {
        for initial in emulation.values where readers[initial.characteristic] != nil {
            guard let value = bytes(of: initial.value, for: initial.characteristic, key: nil) else { continue }
            values[initial.characteristic] = value
            actions.append(.set(initial.characteristic, value))
        }
        for data in emulation.advertising { note(data, key: nil) }
        advertise()
        startTimers(at: now) { $0.advertises }
    }

    private mutating func connected(_ client: TwinClient, at now: Timestamp) {
        if clients.isEmpty { startTimers(at: now) { !$0.advertises } }
        clients.insert(client)
        begin(reactions { $0.isConnection }, of: client, at: now)
    }

    private mutating func disconnected(_ client: TwinClient, at now: Timestamp) {
        clients.remove(client)
        if clients.isEmpty {
            timers = timers.filter { emulation.reactions[$0.key].advertises }
            pending.removeAll { !emulation.reactions[$0.reaction].advertises }
            written = WrittenValues()
            for name in streams.keys { streams[name]?.reset() }
            advertise()
        }
        begin(reactions { $0.isDisconnection }, of: client, at: now)
    }

    /// Advertises the current data, if no client is connected.
    mutating func advertise() {
        guard clients.isEmpty else { return }
        actions.append(.advertise(TwinAdvertising(of: profile.profile, dialect: dialect, data: advertised)))
    }

    /// Updates the advertised data of one carrier.
    mutating func note(_ data: EmulationDefinition.AdvertisedData, key: GeneratorKey?) {
        guard let value = bytes(of: data, key: key) else { return }
        if let index = advertised.firstIndex(where: { $0.carrier == data.carrier }) {
            advertised[index].value = value
        } else {
            advertised.append((data.carrier, value))
        }
    }

    private mutating func startTimers(at now: Timestamp, _ isMeant: (EmulationDefinition.Reaction) -> Bool) {
        for (index, reaction) in emulation.reactions.enumerated() where isMeant(reaction) {
            guard case .timer(let seconds) = reaction.trigger else { continue }
            timers[index] = now + Self.period(seconds)
        }
    }

    /// The period of a timer reaction, at least 1 ms.
    static func period(_ seconds: Double) -> Duration { .seconds(max(0.001, seconds)) }
}
