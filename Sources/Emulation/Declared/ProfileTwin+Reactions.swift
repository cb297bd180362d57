import Bluetooth
import Bytes
import PluginKit
import Profile

// MARK: - Pending requests

extension ProfileTwin {
    mutating func read(_ name: String, _ client: TwinClient, _ ticket: TwinTicket, at now: Timestamp) {
        let request = Request(characteristic: name, written: nil, ticket: ticket)
        let reactions = due(reactions(to: .read, name, values[name] ?? []))
        if !begin(reactions, answering: request, of: client, at: now) { respond(to: request) }
    }

    mutating func write(
        _ name: String, _ value: [UInt8], _ client: TwinClient, _ ticket: TwinTicket?, at now: Timestamp
    ) {
        let request = Request(characteristic: name, written: value, ticket: ticket)
        let reactions = due(reactions(to: .write, name, value))
        let isAnswered = reactions.contains { emulation.reactions[$0].answers }
        note(value, writtenTo: name)
        if !isAnswered { respond(to: request) }
        begin(reactions, answering: request, of: client, because: decoded(value, .write, name), at: now)
        if !isAnswered { follow(value, writtenTo: name, of: client, at: now) }
    }

    /// Reassembles messages from written values and starts the reactions to them.
    mutating func follow(_ value: [UInt8], writtenTo name: String, of client: TwinClient, at now: Timestamp) {
        for message in messages(in: value, writtenTo: name) {
            let meant = reactions { reaction in
                guard case .event(let pattern) = reaction.trigger, pattern.isMessage,
                    pattern.characteristic == message.name
                else { return false }
                return pattern.condition.map { holds($0, for: message) } ?? true
            }
            begin(meant, of: client, because: message.request, at: now)
        }
    }

    /// Starts reactions to a request; returns whether one of them answers it.
    @discardableResult
    private mutating func begin(
        _ reactions: [Int], answering request: Request, of client: TwinClient, because cause: Value? = nil,
        at now: Timestamp
    ) -> Bool {
        let judge = reactions.first { emulation.reactions[$0].answers }
        for reaction in reactions {
            let answered = reaction == judge ? request : nil
            begin(Run(reaction: reaction, due: now, client: client, request: answered, cause: cause), at: now)
        }
        return judge != nil
    }

    /// Answers a request by default: a write is stored and accepted, a read returns the stored value.
    private mutating func respond(to request: Request) {
        let name = request.characteristic
        if let value = request.written {
            values[name] = value
            if let ticket = request.ticket { actions.append(.answer(ticket, .accepted)) }
        } else if let ticket = request.ticket {
            actions.append(.answer(ticket, .value(values[name] ?? [])))
        }
    }

    mutating func note(_ value: [UInt8], writtenTo name: String) {
        written[name] = value
        if !answered.contains(name) { values[name] = value }
    }
}

// MARK: - Selecting reactions

extension ProfileTwin {
    /// Indices of the reactions that match a predicate.
    func reactions(_ isMeant: (EmulationDefinition.Reaction) -> Bool) -> [Int] {
        emulation.reactions.indices.filter { isMeant(emulation.reactions[$0]) }
    }

    /// Indices of the reactions to an operation on a characteristic.
    func reactions(
        to operation: OperationKind, _ name: String, _ value: [UInt8], isConfiguration: Bool = false
    ) -> [Int] {
        reactions { reaction in
            guard case .event(let pattern) = reaction.trigger, !pattern.isMessage, pattern.characteristic == name,
                pattern.isConfiguration == isConfiguration, pattern.operation == nil || pattern.operation == operation
            else { return false }
            guard let condition = pattern.condition else { return true }
            return holds(condition, operation, isConfiguration ? nil : name, value)
        }
    }

    /// The reactions that run this time: those within their limit that also pass their chance.
    private mutating func due(_ reactions: [Int]) -> [Int] {
        var due: [Int] = []
        for index in reactions {
            let reaction = emulation.reactions[index]
            if let chance = reaction.chance, Double.random(in: 0..<1, using: &random) >= chance { continue }
            if let limit = reaction.limit {
                guard counts[index, default: 0] < limit else { continue }
                counts[index, default: 0] += 1
            }
            due.append(index)
        }
        return due
    }

    mutating func begin(
        _ reactions: [Int], of client: TwinClient, because cause: Value? = nil, at now: Timestamp
    ) {
        for reaction in due(reactions) {
            begin(Run(reaction: reaction, due: now, client: client, cause: cause), at: now)
        }
    }
}

// MARK: - Carrying reactions out

extension ProfileTwin {
    mutating func expire(at now: Timestamp) {
        let waiting = pending.filter { $0.due <= now }
        pending.removeAll { $0.due <= now }
        for run in waiting { begin(run, at: now) }
        for (index, time) in timers.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) where time <= now {
            guard case .timer(let seconds) = emulation.reactions[index].trigger else { continue }
            timers[index] = max(time + Self.period(seconds), now)
            for reaction in due([index]) { begin(Run(reaction: reaction, due: now), at: now) }
        }
    }

    /// Performs a reaction's actions up to its next delay.
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
                if let ticket = run.request?.ticket { actions.append(.answer(ticket, .refused(code))) }
                run.request = nil
            case .respond(let isAnswered):
                if isAnswered, let request = run.request { respond(to: request) }
                run.request = nil
            default: perform(action, key, because: run.cause, of: run.client)
            }
        }
    }

    /// Performs an action outside any reaction; returns the resulting twin actions.
    mutating func act(_ action: EmulationDefinition.Reaction.Action) -> [TwinAction] {
        let key = GeneratorKey(reaction: -1, action: 0)
        perform(action, key, because: nil, of: nil)
        generators[key] = nil
        defer { actions = [] }
        return actions
    }

    /// Performs an action that needs neither time nor a request. `client` is the client concerned; nil means all.
    private mutating func perform(
        _ action: EmulationDefinition.Reaction.Action, _ key: GeneratorKey, because cause: Value?,
        of client: TwinClient?
    ) {
        switch action {
        case .set(let name, let source):
            guard let value = bytes(of: source, for: name, key: key, answering: cause) else { return }
            values[name] = value
            actions.append(.set(name, value))
        case .notify(let name, let source):
            let value = source.flatMap { bytes(of: $0, for: name, key: key, answering: cause) }
            if source == nil || value != nil { emit(name, value) }
        case .send(let name, let source):
            guard let content = bytes(of: source, for: name, key: nil, answering: cause) else { return }
            actions += values(of: content, in: name)
        case .advertise(let data):
            note(data, key: key)
            advertise()
        case .disconnect: actions += targets(client).map { .disconnect($0) }
        case .pair: actions += targets(client).map { .secure($0) }
        case .error, .respond, .delay: break
        }
    }

    /// The connected clients that an action concerns.
    private func targets(_ client: TwinClient?) -> [TwinClient] {
        let all = clients.sorted { $0.number < $1.number }
        return client.map { client in all.filter { $0 == client } } ?? all
    }

    /// Notifies or indicates a value, as the characteristic's properties permit. Without a value, sends the current
    /// one.
    private mutating func emit(_ name: String, _ value: [UInt8]?) {
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
    /// Whether the reaction decides how a request is answered.
    var answers: Bool {
        actions.contains { action in
            switch action {
            case .error, .respond: true
            default: false
            }
        }
    }

    /// Whether the reaction changes the advertising data.
    var advertises: Bool { actions.contains { if case .advertise = $0 { true } else { false } } }

    var isConnection: Bool { if case .connected = trigger { true } else { false } }
    var isDisconnection: Bool { if case .disconnected = trigger { true } else { false } }

    func isSubscription(to name: String, _ isOn: Bool) -> Bool {
        if case .subscribed(name, isOn) = trigger { true } else { false }
    }
}
