import BluetoothTypes
package import Bytes
import GATT
package import PluginKit

/// A device that is nothing but its profile: it does what the section `emulate` says.
///
/// It advertises as the profile describes it whenever no client is connected, holds the values of the section, and carries
/// out its reactions. Reactions to reads and writes begin when these come; those of a timer run while a client is
/// connected.
package struct ProfileTwin: DeviceTwin {
    let profile: CompiledProfile
    private let emulation: EmulationDefinition
    private let advertising: TwinAdvertising
    /// Layouts of values and operations, by the characteristics' names.
    let readers: [String: AttributeReader]
    package let answered: Set<String>
    /// Lengths of values that may be written, of characteristics to whose writing nothing reacts.
    let lengths: [String: ClosedRange<Int>]
    /// What the characteristics hold, as far as it is known here.
    var values: [String: [UInt8]] = [:]
    /// What clients wrote last, by the characteristics' names.
    var written = WrittenValues()
    /// Finds the messages that clients write, by the messages' names.
    var streams: [String: StreamDecoder]
    /// Rows of values, by reaction and action.
    var generators: [GeneratorKey: ValueGenerator] = [:]
    var random: SplitMix64
    private var clients: Set<TwinClient> = []
    /// When the timers of reactions are due, by their index.
    private var timers: [Int: Timestamp] = [:]
    /// Reactions that go on after a delay.
    private var pending: [Run] = []
    private var actions: [TwinAction] = []

    /// A row of values belongs to one action of one reaction.
    struct GeneratorKey: Hashable, Sendable {
        var reaction: Int
        var action: Int
    }

    /// A reaction that is being carried out.
    private struct Run: Sendable {
        var reaction: Int
        /// The action that comes next.
        var action = 0
        var due: Timestamp
        /// The request that it answers.
        var ticket: TwinTicket?
        /// What was written, or the message that came: the values of its actions may have fields of it.
        var request: Value?
    }

    /// Reactions that wait at the same time; later ones are passed over.
    private static let maximumPending = 1024

    /// The device of a profile; `dialect` says which services it has.
    package init(_ profile: CompiledProfile, _ settings: TwinSettings) {
        let definition = profile.profile
        self.profile = profile
        emulation = definition.emulation ?? EmulationDefinition(place: definition.header.place)
        advertising = TwinAdvertising(of: definition, dialect: settings.dialect)
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
            if pattern.operation == .read || pattern.operation == nil || reaction.refuses {
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
        case .powerOn: powerOn()
        case .connected(let client): connected(client, at: now)
        case .disconnected(let client): disconnected(client)
        case .read(let name, _, let ticket): read(name, ticket, at: now)
        case .write(let name, let value, _, let ticket): write(name, value, ticket, at: now)
        case .written(let name, let value, _):
            note(value, writtenTo: name)
            for reaction in reactions(to: .write, name, value) {
                begin(Run(reaction: reaction, due: now, request: decoded(value, .write, name)), at: now)
            }
            follow(value, writtenTo: name, at: now)
        case .subscribed(let name, let subscription, _):
            let value = [UInt8(truncatingIfNeeded: subscription.rawValue), 0]
            for reaction in reactions(to: .write, name, value, isConfiguration: true) {
                begin(Run(reaction: reaction, due: now), at: now)
            }
        case .time: expire(at: now)
        case .capacity, .confirmed, .stimulus: break
        }
        defer { actions = [] }
        return actions
    }

    private mutating func powerOn() {
        for initial in emulation.values where readers[initial.characteristic] != nil {
            guard let value = bytes(of: initial.value, for: initial.characteristic, key: nil) else { continue }
            values[initial.characteristic] = value
            actions.append(.set(initial.characteristic, value))
        }
        actions.append(.advertise(advertising))
    }

    private mutating func connected(_ client: TwinClient, at now: Timestamp) {
        if clients.isEmpty {
            for (index, reaction) in emulation.reactions.enumerated() {
                guard case .timer(let seconds) = reaction.trigger else { continue }
                timers[index] = now + Self.period(seconds)
            }
        }
        clients.insert(client)
    }

    private mutating func disconnected(_ client: TwinClient) {
        clients.remove(client)
        guard clients.isEmpty else { return }
        timers = [:]
        pending = []
        written = WrittenValues()
        for name in streams.keys { streams[name]?.reset() }
        actions.append(.advertise(advertising))
    }

    /// A timer of the profile; none is shorter than a millisecond.
    private static func period(_ seconds: Double) -> Duration { .seconds(max(0.001, seconds)) }
}

// MARK: - Requests that wait for an answer

extension ProfileTwin {
    private mutating func read(_ name: String, _ ticket: TwinTicket, at now: Timestamp) {
        let value = values[name] ?? []
        let matching = reactions(to: .read, name, value)
        let judge = matching.first { emulation.reactions[$0].refuses }
        for reaction in matching {
            begin(Run(reaction: reaction, due: now, ticket: reaction == judge ? ticket : nil), at: now)
        }
        if judge == nil { actions.append(.answer(ticket, .value(values[name] ?? []))) }
    }

    private mutating func write(_ name: String, _ value: [UInt8], _ ticket: TwinTicket?, at now: Timestamp) {
        let matching = reactions(to: .write, name, value)
        let judge = matching.first { emulation.reactions[$0].refuses }
        note(value, writtenTo: name)
        if judge == nil {
            values[name] = value
            if let ticket { actions.append(.answer(ticket, .accepted)) }
        }
        for reaction in matching {
            let ticket = reaction == judge ? ticket : nil
            begin(
                Run(reaction: reaction, due: now, ticket: ticket, request: decoded(value, .write, name)), at: now)
        }
        if judge == nil { follow(value, writtenTo: name, at: now) }
    }

    /// Looks for messages in what a client writes, and reacts to them.
    private mutating func follow(_ value: [UInt8], writtenTo name: String, at now: Timestamp) {
        for message in messages(in: value, writtenTo: name) {
            for index in emulation.reactions.indices {
                guard case .event(let pattern) = emulation.reactions[index].trigger, pattern.isMessage,
                    pattern.characteristic == message.name, pattern.condition.map({ holds($0, for: message) }) ?? true
                else { continue }
                begin(Run(reaction: index, due: now, request: message.request), at: now)
            }
        }
    }

    private mutating func note(_ value: [UInt8], writtenTo name: String) {
        written.note(value, to: name)
        if !answered.contains(name) { values[name] = value }
    }

    /// The reactions to something that was done with a value, by their indices.
    private func reactions(
        to operation: OperationKind, _ name: String, _ value: [UInt8], isConfiguration: Bool = false
    ) -> [Int] {
        emulation.reactions.indices.filter { index in
            guard case .event(let pattern) = emulation.reactions[index].trigger, !pattern.isMessage,
                pattern.characteristic == name, pattern.isConfiguration == isConfiguration,
                pattern.operation == nil || pattern.operation == operation
            else { return false }
            guard let condition = pattern.condition else { return true }
            return holds(condition, operation, isConfiguration ? nil : name, value)
        }
    }
}

// MARK: - Carrying reactions out

extension ProfileTwin {
    private mutating func expire(at now: Timestamp) {
        let due = pending.filter { $0.due <= now }
        pending.removeAll { $0.due <= now }
        for run in due { begin(run, at: now) }
        for (index, time) in timers.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) where time <= now {
            guard case .timer(let seconds) = emulation.reactions[index].trigger else { continue }
            timers[index] = max(time + Self.period(seconds), now)
            begin(Run(reaction: index, due: now), at: now)
        }
    }

    /// Does what a reaction says, up to its next delay.
    private mutating func begin(_ run: Run, at now: Timestamp) {
        var run = run
        let list = emulation.reactions[run.reaction].actions
        while run.action < list.count {
            let action = list[run.action]
            let key = GeneratorKey(reaction: run.reaction, action: run.action)
            run.action += 1
            switch action {
            case .delay(let seconds):
                run.due = now + .seconds(max(0, seconds))
                if pending.count < Self.maximumPending { pending.append(run) }
                return
            case .error(let code):
                if let ticket = run.ticket { actions.append(.answer(ticket, .refused(code))) }
                run.ticket = nil
            case .set(let name, let source):
                guard let value = bytes(of: source, for: name, key: key, answering: run.request) else { continue }
                values[name] = value
                actions.append(.set(name, value))
            case .notify(let name, let source):
                let value = source.flatMap { bytes(of: $0, for: name, key: key, answering: run.request) }
                if source == nil || value != nil { tell(name, value) }
            case .send(let name, let source):
                guard let content = bytes(of: source, for: name, key: nil, answering: run.request) else { continue }
                actions += values(of: content, in: name)
            }
        }
    }

    /// Tells a value by whatever the characteristic has; the value that it has, where no other is given.
    private mutating func tell(_ name: String, _ value: [UInt8]?) {
        if let value {
            values[name] = value
            actions.append(.set(name, value))
        }
        let value = values[name] ?? []
        let properties = profile.profile.services.lazy.flatMap(\.characteristics).first { $0.name == name }?.properties
        guard let properties else { return }
        if properties.contains(.notify) { actions.append(.notify(name, value)) }
        if properties.contains(.indicate) { actions.append(.indicate(name, value)) }
    }
}

extension EmulationDefinition.Reaction {
    /// Whether it answers with an error.
    fileprivate var refuses: Bool { actions.contains { if case .error = $0 { true } else { false } } }
}
