// Messages, sequences, rules and emulation: whether what they name is there.
extension ProfileLint {
    mutating func checkMessages() {
        for message in profile.messages {
            for type in message.types { checkType(type, of: message.name, at: message.place) }
            checkAlternatives(message.reading, of: message.name)
            checkRequests(in: message.reading, to: message.request, of: message.name, at: message.place)
            let found = checkCharacteristic(message.characteristic, of: message.name, at: message.place)
            guard case .chunks(let index, let total, let content) = message.framing else { continue }
            let possible = possibleTypes(found, message.operation)
            for path in [index, total, content] {
                checkField(path, in: possible, of: message.name, at: message.place)
            }
        }
    }

    mutating func checkSequences() {
        for sequence in profile.sequences {
            checkDialect(sequence.dialect, of: sequence.name, at: sequence.place)
            checkStates(of: sequence)
            checkReach(of: sequence)
        }
    }

    /// States must be values of the field that tells them.
    private mutating func checkStates(of sequence: SequenceDefinition) {
        guard checkType(sequence.type, of: sequence.name, at: sequence.place) else { return }
        let states: [String]
        switch types.target(of: sequence.state, in: sequence.type) {
        case .field(let field)?:
            guard case .enumeration(_, let cases)? = types.resolved(field)?.kind else { fallthrough }
            states = cases.map(\.name)
        case nil:
            checkField(sequence.state, in: [sequence.type], of: sequence.name, at: sequence.place)
            return
        case .part(let part)?: states = part.cases.map(\.name)
        case .discriminant(let choice)?: states = choice.cases.map(\.name)
        }
        var named = sequence.initial.map { ($0, sequence.place) }
        for transition in sequence.transitions {
            named += ([transition.from] + transition.to).map { ($0, transition.place) }
        }
        for (name, place) in named where !states.contains(name) {
            add(
                .unknownName, [sequence.name],
                "\(sequence.name): \(sequence.state) has no value \"\(name)\"\(Advice.meant(name, among: states))",
                at: place)
        }
    }

    /// Something must lead to every state that has transitions.
    private mutating func checkReach(of sequence: SequenceDefinition) {
        guard !sequence.initial.isEmpty else { return }
        let next = Dictionary(sequence.transitions.map { ($0.from, $0.to) }) { $0 + $1 }
        var reached: Set<String> = []
        var pending = sequence.initial
        while let state = pending.popLast() {
            if reached.insert(state).inserted { pending += next[state] ?? [] }
        }
        for transition in sequence.transitions where !reached.contains(transition.from) {
            add(
                .unreachableState, ["\(sequence.name).\(transition.from)", sequence.name],
                "\(sequence.name): nothing leads from \(Advice.list(sequence.initial)) to \(transition.from)",
                at: transition.place)
        }
    }
}

// MARK: - Rules

extension ProfileLint {
    mutating func checkRules() {
        for rule in profile.rules {
            checkDialect(rule.dialect, of: rule.id, at: rule.place)
            check(rule)
        }
    }

    private mutating func check(_ rule: RuleDefinition) {
        let (id, dialect) = (rule.id, rule.dialect)
        switch rule.kind {
        case .length(let event, let length):
            let types = checkEvent(event, in: dialect, of: id)
            if event.isAdvertisement { return checkLength(length, of: "advertising", types, at: rule.place) }
            let operations = event.operation.map { [$0] } ?? OperationKind.allCases
            let named = services(of: dialect).flatMap(\.characteristics).filter { $0.name == event.characteristic }
            for characteristic in named where !event.isConfiguration && !event.isMessage {
                checkLength(length, of: characteristic, operations, at: rule.place)
            }
        case .check(let event, let condition):
            let types = checkEvent(event, in: dialect, of: id)
            checkFields(of: condition, in: types, of: id)
            checkRequest(in: condition, requestTypes(of: event), of: id)
        case .increases(let event, let field, _):
            let types = checkEvent(event, in: dialect, of: id)
            checkField(field, in: types, of: id, at: rule.place)
        case .sequence(let name):
            let known = profile.sequences.map(\.name)
            guard !known.contains(name) else { return }
            let meant = Advice.meant(name, among: known)
            add(.unknownName, [id], "\(id): there is no sequence \"\(name)\"\(meant)", at: rule.place)
        case .reply(let event, let other, _):
            let asked = checkEvent(event, in: dialect, of: id)
            checkEvent(other, in: dialect, of: id, request: asked)
        case .order(let event, let other), .never(let event, let other):
            checkEvent(event, in: dialect, of: id)
            checkEvent(other, in: dialect, of: id)
        case .period(let event, _, _): checkEvent(event, in: dialect, of: id)
        case .oracle(let name): checkCharacteristic(name, in: dialect, of: id, at: rule.place)
        case .code, .twin, .checksums: break
        }
    }
}

// MARK: - Emulation

extension ProfileLint {
    mutating func checkEmulation() {
        guard let emulation = profile.emulation else { return }
        for initial in emulation.values {
            check(initial.value, of: initial.characteristic, .read, at: initial.place)
        }
        for reaction in emulation.reactions {
            var asked: [String]?
            if case .event(let event) = reaction.trigger {
                asked = checkEvent(event, in: nil, of: "emulate")
                checkTrigger(event)
            }
            for action in reaction.actions {
                switch action {
                case .set(let name, let source): check(source, of: name, .read, request: asked, at: reaction.place)
                case .notify(let name, let source):
                    check(source, of: name, .notify, request: asked, at: reaction.place)
                case .send(let name, let source): check(source, message: name, request: asked, at: reaction.place)
                case .error, .delay: break
                }
            }
        }
    }

    /// A virtual device finds messages in what clients write, if they stand in a stream.
    private mutating func checkTrigger(_ event: EventPattern) {
        guard event.isMessage, let message = profile.messages.first(where: { $0.name == event.characteristic }) else {
            return
        }
        if case .stream = message.framing, message.operation == .write { return }
        add(
            .wrongValue, [message.name], "emulate: \(message.name) is no message that a client writes in a stream",
            at: event.place)
    }

    /// A value of the emulation must be one of its type.
    private mutating func check(
        _ source: EmulationDefinition.ValueSource?, of characteristic: String, _ operation: OperationKind,
        request: [String]? = nil, at place: SourcePlace
    ) {
        let found = checkCharacteristic(characteristic, of: "emulate", at: place)
        check(source, of: characteristic, possibleTypes(found, operation), request, at: place)
    }

    /// So must the content of a message, which the stream must be able to carry.
    private mutating func check(
        _ source: EmulationDefinition.ValueSource, message name: String, request: [String]?, at place: SourcePlace
    ) {
        guard let message = checkMessage(name, of: "emulate", at: place) else { return }
        guard case .stream(let framing) = message.framing, [.notify, .indicate].contains(message.operation) else {
            add(
                .wrongValue, [name], "emulate: \(name) is no message that the device tells in a stream",
                at: place)
            return
        }
        check(source, of: name, message.types, request, framing, at: place)
    }

    private mutating func check(
        _ source: EmulationDefinition.ValueSource?, of name: String, _ possible: [String], _ request: [String]?,
        _ framing: StreamFraming? = nil, at place: SourcePlace
    ) {
        switch source {
        case .bytes(let bytes)?:
            let layouts = possible.compactMap { compiled?.types[$0] }
            let reads = layouts.contains { layout in
                layout.lengths.contains(bytes.count) && (try? layout.decode(bytes)) != nil
            }
            guard !layouts.isEmpty, !reads else { return }
            add(
                .wrongValue, [name], "emulate: \(bytes.count) bytes are no \(Advice.list(possible)) for \(name)",
                at: place)
        case .value(let value, let type)?:
            let paths = value.requestPaths
            for path in paths {
                if let request {
                    checkField(path, in: request, of: "emulate", at: place)
                } else {
                    add(.unknownName, [name], "emulate: request.\(path): there is no request", at: place)
                }
            }
            guard let layout = compiled?.types[type], paths.isEmpty else { return }
            do throws(EncodeError) {
                let bytes = try layout.encode(value)
                _ = try framing?.encode(bytes)
            } catch {
                add(.wrongValue, [name], "emulate: \(name): \(error)", at: place)
            }
        case .generated(let generator)?:
            checkField(generator.field, in: possible, of: "emulate", at: place)
        case nil: break
        }
    }
}
