// Messages, sequences, rules and emulation: whether what they name is there.
extension ProfileLint {
    mutating func checkMessages() {
        for message in profile.messages {
            checkType(message.type, of: message.name, at: message.place)
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
            checkEvent(event, in: dialect, of: id)
            let operations = event.operation.map { [$0] } ?? OperationKind.allCases
            let named = services(of: dialect).flatMap(\.characteristics).filter { $0.name == event.characteristic }
            for characteristic in named where !event.isConfiguration {
                checkLength(length, of: characteristic, operations, at: rule.place)
            }
        case .check(let event, let condition):
            let types = checkEvent(event, in: dialect, of: id)
            checkFields(of: condition, in: types, of: id)
        case .increases(let event, let field, _):
            let types = checkEvent(event, in: dialect, of: id)
            checkField(field, in: types, of: id, at: rule.place)
        case .sequence(let name):
            let known = profile.sequences.map(\.name)
            guard !known.contains(name) else { return }
            let meant = Advice.meant(name, among: known)
            add(.unknownName, [id], "\(id): there is no sequence \"\(name)\"\(meant)", at: rule.place)
        case .reply(let event, let other, _), .order(let event, let other), .never(let event, let other):
            checkEvent(event, in: dialect, of: id)
            checkEvent(other, in: dialect, of: id)
        case .period(let event, _, _): checkEvent(event, in: dialect, of: id)
        case .oracle(let name): checkCharacteristic(name, in: dialect, of: id, at: rule.place)
        case .code, .twin: break
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
            if case .event(let event) = reaction.trigger { checkEvent(event, in: nil, of: "emulate") }
            for action in reaction.actions {
                switch action {
                case .set(let name, let source): check(source, of: name, .read, at: reaction.place)
                case .notify(let name, let source): check(source, of: name, .notify, at: reaction.place)
                case .error, .delay: break
                }
            }
        }
    }

    /// A value of the emulation must be one of its type.
    private mutating func check(
        _ source: EmulationDefinition.ValueSource?, of characteristic: String, _ operation: OperationKind,
        at place: SourcePlace
    ) {
        let found = checkCharacteristic(characteristic, of: "emulate", at: place)
        let possible = possibleTypes(found, operation)
        switch source {
        case .bytes(let bytes)?:
            let layouts = possible.compactMap { compiled?.types[$0] }
            let reads = layouts.contains { layout in
                layout.lengths.contains(bytes.count) && (try? layout.decode(bytes)) != nil
            }
            guard !layouts.isEmpty, !reads else { return }
            add(
                .wrongValue, [characteristic],
                "emulate: \(bytes.count) bytes are no \(Advice.list(possible)) for \(characteristic)", at: place)
        case .value(let value, let type)?:
            guard let layout = compiled?.types[type] else { return }
            do throws(EncodeError) {
                _ = try layout.encode(value)
            } catch {
                add(.wrongValue, [characteristic], "emulate: \(characteristic): \(error)", at: place)
            }
        case .generated(let generator)?:
            checkField(generator.field, in: possible, of: "emulate", at: place)
        case nil: break
        }
    }
}
