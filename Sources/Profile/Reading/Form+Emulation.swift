import Bluetooth

/// The forms of section `emulate`. Its values have the types of the characteristics.
struct EmulationForms {
    let values: ValueForms
    let services: [ServiceDefinition]
    let advertising: [AdvertisedValue]
    let messages: [MessageDefinition]

    var emulation: Form<EmulationDefinition> {
        Form(mapping: "what a virtual device does") { keys in
            var emulation = EmulationDefinition(place: keys.place)
            emulation.name = keys.take("name", .text)
            emulation.interval = keys.take("interval", .duration)
            emulation.isConnectable = keys.take("connectable", .boolean)
            emulation.advertising = keys.list("advertising", of: advertisedData)
            emulation.values = keys.list("values", of: initialValue)
            emulation.reactions = keys.list("reactions", of: reaction)
            return emulation
        }
    }

    private var initialValue: Form<EmulationDefinition.InitialValue> {
        Form(mapping: "a characteristic and its value") { keys in
            let characteristic = keys.require("characteristic", .name)
            let source = source(for: characteristic, .read, keys)
            guard let characteristic else { return nil }
            guard let source else {
                if !keys.hasAny(Self.sources) { keys.missing("a value: \"bytes\" or \"value\"") }
                return nil
            }
            return .init(characteristic: characteristic, value: source, place: keys.place)
        }
    }

    private var reaction: Form<EmulationDefinition.Reaction> {
        Form(mapping: "when, and what then") { keys in
            let trigger: EmulationDefinition.Reaction.Trigger?
            if keys.has("every") {
                trigger = keys.take("every", .duration).map { .timer(seconds: $0) }
                keys.refuse(["on", "where"], "cannot stand beside \"every\"")
            } else {
                trigger = keys.trigger()
            }
            let actions = keys.require("do", .list(of: action))
            let limit = keys.take("times", .integer(1...1_000_000))
            let chance = keys.take("chance", .number(0...1, "a number from 0 to 1"))
            guard let trigger, let actions else { return nil }
            var reaction = EmulationDefinition.Reaction(trigger: trigger, actions: actions, place: keys.place)
            reaction.limit = limit
            reaction.chance = chance
            return reaction
        }
    }

    private var advertisedData: Form<EmulationDefinition.AdvertisedData> {
        Form(mapping: "advertised data and their value") { keys in
            let type = Form<Int>.integer(0...0xFF)
            let carrier = keys.one(
                of: "what carries it",
                GAP.DataOwner.forms.map { form in (form.key, form.value.map { .data($0) }) } + [
                    ("structure", type.map { EmulationDefinition.AdvertisedData.Carrier.structure(type: UInt8($0)) })
                ])
            var form: String?
            if case .data(let owner)? = carrier {
                form = advertising.first { $0.carrier == owner }?.reading.alternatives.first?.type
            }
            let source = source(ofType: form, keys)
            guard let carrier else { return nil }
            guard let source else {
                if !keys.hasAny(Self.sources) { keys.missing("a value: \"bytes\", \"value\" or \"generator\"") }
                return nil
            }
            return .init(carrier, value: source, place: keys.place)
        }
    }

    var action: Form<EmulationDefinition.Reaction.Action> {
        Form(mapping: "an action") { keys in
            if keys.has("notify") {
                guard let name = keys.take("notify", .name) else {
                    keys.passOver()
                    return nil
                }
                return .notify(characteristic: name, source(for: name, .notify, keys))
            }
            if keys.has("set") {
                guard let name = keys.take("set", .name) else {
                    keys.passOver()
                    return nil
                }
                if !keys.hasAny(Self.sources) { keys.missing("a value: \"bytes\", \"value\" or \"generator\"") }
                return source(for: name, .read, keys).map { .set(characteristic: name, $0) }
            }
            if keys.has("send") {
                guard let name = keys.take("send", .name) else {
                    keys.passOver()
                    return nil
                }
                if !keys.hasAny(Self.sources) { keys.missing("a value: \"bytes\" or \"value\"") }
                let types = messages.first { $0.name == name }?.types ?? []
                return source(ofType: types.first, keys).map { .send(message: name, $0) }
            }
            return keys.one(
                of: "what is done",
                [
                    ("error", Form<Int>.integer(1...255).map { .error(UInt8($0)) }),
                    ("delay", Form<Double>.duration.map { .delay($0) }),
                    ("respond", Form<Bool>.boolean.map { .respond($0) }),
                    ("disconnect", .flag(.disconnect)),
                    ("pair", .flag(.pair)),
                    ("advertise", advertisedData.map { .advertise($0) }),
                    ("notify", Form<String>.name.map { .notify(characteristic: $0, nil) }),
                    ("set", Form<String>.name.map { .set(characteristic: $0, .bytes([])) }),
                    ("send", Form<String>.name.map { .send(message: $0, .bytes([])) }),
                ])
        }
    }
}

// MARK: - Value sources

extension EmulationForms {
    private static let sources = ["bytes", "value", "generator"]

    /// The value given by `bytes`, `value` or `generator`; nil if none of these keys is present.
    private func source(
        for characteristic: String?, _ operation: OperationKind, _ keys: Keys
    ) -> EmulationDefinition.ValueSource? {
        source(ofType: characteristic.flatMap { type(of: $0, operation) }, keys)
    }

    /// The same for a value whose type is `usual` unless the key `type` names another.
    private func source(ofType usual: String?, _ keys: Keys) -> EmulationDefinition.ValueSource? {
        let type = keys.take("type", values.knownType) ?? usual
        guard keys.hasAny(Self.sources) else { return nil }
        return keys.one(
            of: "a value",
            [
                ("bytes", Form<[UInt8]>.bytes.map { .bytes($0) }),
                ("value", value(of: type)),
                ("generator", generator(in: type).map { .generated($0) }),
            ])
    }

    /// The type of a characteristic's value in an operation: the first alternative.
    func type(of characteristic: String, _ operation: OperationKind) -> String? {
        let found = services.lazy.flatMap(\.characteristics).first { $0.name == characteristic }
        let reading = found?.readings[operation] ?? found?.readings.min { $0.key.rawValue < $1.key.rawValue }?.value
        return reading?.alternatives.first?.type
    }

    private func value(of type: String?) -> Form<EmulationDefinition.ValueSource> {
        guard let type else {
            return Form("a value") { node, faults in
                faults.add("no type describes this; name one with \"type\"", at: node)
                return nil
            }
        }
        return values.value(of: type).map { .value($0, type: type) }
    }

    private func generator(in type: String?) -> Form<EmulationDefinition.Generator> {
        Form(mapping: "a field, and the row of its values") { keys in
            let field = keys.require("field", .path)
            let element = field.flatMap { field in type.flatMap { values.element(at: field, in: $0) } } ?? .untyped
            let form = keys.one(
                of: "the row of values",
                [
                    ("cycle", Form<[Value]>.list(of: element).map { EmulationDefinition.Generator.Form.cycle($0) }),
                    ("ramp", .ramp),
                    ("random", Form<ClosedRange<Double>>.range(of: .number).map { .random($0) }),
                ])
            guard let field, let form else { return nil }
            return .init(field: field, form: form)
        }
    }
}

extension Keys {
    /// The trigger of a reaction.
    fileprivate func trigger() -> EmulationDefinition.Reaction.Trigger? {
        let trigger = require("on", .trigger)
        let condition = take("where", .condition)
        guard let condition, let trigger else { return trigger }
        guard case .event(var event) = trigger else {
            report("expected beside an operation on a characteristic", at: "where")
            return nil
        }
        event.condition = condition
        return .event(event)
    }
}

extension Form where Value == EmulationDefinition.Reaction.Trigger {
    /// `connect`, `disconnect`, `subscribe <characteristic>`, `unsubscribe <characteristic>`, an operation and a
    /// characteristic, or `message <message>`.
    fileprivate static var trigger: Self {
        Form("connect, disconnect, subscribe or an operation, and a characteristic") { node, faults in
            let words = (node.scalar?.text ?? "").split(separator: " ").map(String.init)
            switch (words.first, words.count) {
            case ("connect", 1): return .connected
            case ("disconnect", 1): return .disconnected
            case ("subscribe", 2): return .subscribed(characteristic: words[1], true)
            case ("unsubscribe", 2): return .subscribed(characteristic: words[1], false)
            case ("advertise", _):
                faults.add("expected what a client does, found \(node.described)", at: node)
                return nil
            default: return Form<EventPattern>.event.read(node, faults).map { .event($0) }
            }
        }
    }
}

extension ValueForms {
    /// The form of the field at a path; nil if there is no such field.
    func element(at path: String, in type: String) -> Form<Value>? {
        switch types.target(of: path, in: type) {
        case .field(let field)?: value(of: field)
        case .part(let part)?: value(of: part)
        case .discriminant?, nil: nil
        }
    }
}

extension Form where Value == Profile::Value {
    /// A number for an unknown field.
    fileprivate static var untyped: Self { Form<Double>.number.map { .real($0) } }
}

extension Form where Value == EmulationDefinition.Generator.Form {
    fileprivate static var ramp: Self {
        Profile::Form(mapping: "from, to and step") { keys in
            let from = keys.require("from", .number)
            let to = keys.require("to", .number)
            let step = keys.require("step", .number)
            if step == 0 { keys.report("expected a number other than 0", at: "step") }
            guard let from, let to, let step else { return nil }
            return .ramp(from: from, to: to, step: step)
        }
    }
}
