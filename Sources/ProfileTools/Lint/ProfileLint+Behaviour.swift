import Bluetooth
import Profile

// Checks of messages, sequences and rules: whether the names they refer to exist.
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
            checkCarrier(of: sequence)
        }
    }

    /// A sequence can only follow values of a connection, not advertised data.
    private mutating func checkCarrier(of sequence: SequenceDefinition) {
        func carries(_ reading: PayloadChoice) -> Bool { reading.alternatives.contains { $0.type == sequence.type } }
        let isRead = profile.services.flatMap(\.characteristics)
            .contains { $0.readings.values.contains(where: carries) }
        guard !isRead, profile.advertising.contains(where: { carries($0.reading) }) else { return }
        add(
            .impossibleEvent, [sequence.name],
            "\(sequence.name): \(sequence.type) is only advertised, and a sequence needs a connection",
            at: sequence.place)
    }

    /// States must be values of the state field.
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

    /// Every state with outgoing transitions must be reachable.
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
