// Sections `vectors` and `emulate`.

extension ValueForms {
    /// An element of section `vectors`.
    var vector: Form<Vector> {
        Form(mapping: "a vector") { keys in
            let id = keys.require("id", .identifier)
            let type = keys.require("type", knownType)
            let bytes = keys.require("hex", .vectorBytes)
            let doc = keys.take("doc", .text)
            guard let type else {
                keys.passOver()
                return nil
            }
            let value = value(of: type)
            let expectation = keys.one(
                of: "what the bytes mean",
                [
                    ("value", value.map { Vector.Expectation.value($0) }),
                    ("decodes_to", value.map { .decoded($0) }),
                    ("error", Form<String>.text.map { .error($0) }),
                ])
            guard let id, let bytes, let expectation else { return nil }
            var vector = Vector(id: id, type: type, bytes: bytes, expectation: expectation, place: keys.place)
            vector.doc = doc
            return vector
        }
    }

    /// The name of one of the profile's types.
    var knownType: Form<String> {
        Form("the name of a type") { node, faults in
            guard let name = Form<String>.name.read(node, faults) else { return nil }
            if types[name] != nil || faults.wrongTypes.contains(name) { return name }
            let meant = Advice.meant(name, among: types.allNames)
            faults.add("expected the name of a type, found \(node.described)\(meant)", at: node)
            return nil
        }
    }
}

extension Form where Value == [UInt8] {
    fileprivate static var vectorBytes: Self {
        Form(bytes.expected) { node, faults in
            if let scalar = node.scalar, !scalar.isPlain, scalar.text.isEmpty { return [] }
            return bytes.read(node, faults)
        }
    }
}

/// The forms of section `emulate`, whose values are of the types of characteristics.
struct EmulationForms {
    let values: ValueForms
    let services: [ServiceDefinition]
    let messages: [MessageDefinition]

    var emulation: Form<EmulationDefinition> {
        Form(mapping: "what a virtual device does") { keys in
            var emulation = EmulationDefinition(place: keys.place)
            emulation.name = keys.take("name", .text)
            emulation.interval = keys.take("interval", .duration)
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
                trigger = keys.event("on", where: "where").map { .event($0) }
            }
            let actions = keys.require("do", .list(of: action))
            guard let trigger, let actions else { return nil }
            return .init(trigger: trigger, actions: actions, place: keys.place)
        }
    }

    private var action: Form<EmulationDefinition.Reaction.Action> {
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
                return source(named: types.first, keys).map { .send(message: name, $0) }
            }
            return keys.one(
                of: "what is done",
                [
                    ("error", Form<Int>.integer(1...255).map { .error(UInt8($0)) }),
                    ("delay", Form<Double>.duration.map { .delay($0) }),
                    ("notify", Form<String>.name.map { .notify(characteristic: $0, nil) }),
                    ("set", Form<String>.name.map { .set(characteristic: $0, .bytes([])) }),
                    ("send", Form<String>.name.map { .send(message: $0, .bytes([])) }),
                ])
        }
    }
}

// MARK: - Where values come from

extension EmulationForms {
    private static let sources = ["bytes", "value", "generator"]

    /// What stands there of `bytes`, `value` and `generator`; nil for none of them.
    private func source(
        for characteristic: String?, _ operation: OperationKind, _ keys: Keys
    ) -> EmulationDefinition.ValueSource? {
        source(named: characteristic.flatMap { self.type(of: $0, operation) }, keys)
    }

    /// The same; `usual` is the type of values where no other is named.
    private func source(named usual: String?, _ keys: Keys) -> EmulationDefinition.ValueSource? {
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

    /// The type that a characteristic's value has in an operation: the first alternative.
    private func type(of characteristic: String, _ operation: OperationKind) -> String? {
        let found = services.lazy.flatMap(\.characteristics).first { $0.name == characteristic }
        let reading = found?.readings[operation] ?? found?.readings.min { $0.key.rawValue < $1.key.rawValue }?.value
        return reading?.alternatives.first?.type
    }

    private func value(of type: String?) -> Form<EmulationDefinition.ValueSource> {
        guard let type else {
            return Form("a value") { node, faults in
                faults.add("there is no type that says what this is; name one with \"type\"", at: node)
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

extension ValueForms {
    /// The form of the field that a path leads to; nil where there is none.
    fileprivate func element(at path: String, in type: String) -> Form<Value>? {
        switch types.target(of: path, in: type) {
        case .field(let field)?: value(of: field)
        case .part(let part)?: value(of: part)
        case .discriminant?, nil: nil
        }
    }
}

extension Form where Value == PluginKit.Value {
    /// A number, where the field that it is for is not known.
    fileprivate static var untyped: Self { Form<Double>.number.map { .real($0) } }
}

extension Form where Value == EmulationDefinition.Generator.Form {
    fileprivate static var ramp: Self {
        PluginKit.Form(mapping: "from, to and step") { keys in
            let from = keys.require("from", .number)
            let to = keys.require("to", .number)
            let step = keys.require("step", .number)
            if step == 0 { keys.report("expected a number other than 0", at: "step") }
            guard let from, let to, let step else { return nil }
            return .ramp(from: from, to: to, step: step)
        }
    }
}
