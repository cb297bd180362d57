import Bluetooth
import Bytes
package import Profile

/// The syntax of a scenario's actions and events, with the vocabulary of one plugin.
package struct ScenarioForms {
    let words: ScenarioVocabulary

    package init(words: ScenarioVocabulary) {
        self.words = words
    }

    package var step: Form<Scenario.Step> {
        Form(mapping: "a step: when, what is done, what is expected") { keys in
            let step = step(keys)
            if !keys.hasAny(Self.stepKeys) { keys.missing("at least one of at, after, say, do, expect and never") }
            return step
        }
    }

    /// Keys of which each step has at least one.
    static let stepKeys = ["at", "after", "say", "do", "expect", "never"]

    /// Reads the step in a mapping.
    func step(_ keys: Keys) -> Scenario.Step {
        var step = Scenario.Step(place: keys.place)
        step.time = keys.take("at", Form<Double>.duration).map { .seconds($0) }
        step.trigger = keys.take("after", event)
        step.text = keys.take("say", .text)
        step.actions = keys.take("do", actions) ?? []
        let expected = keys.take("expect", event).map { Scenario.Expectation(event: $0, isForbidden: false) }
        let forbidden = keys.take("never", event).map { Scenario.Expectation(event: $0, isForbidden: true) }
        if keys.has("expect"), keys.has("never") { keys.report("cannot stand beside \"expect\"", at: "never") }
        step.expectation = expected ?? forbidden
        takeCondition(of: &step, keys)
        if let limit = keys.take("within", Form<Double>.duration) {
            step.limit = .seconds(limit)
            step.isTimed = true
        }
        if !keys.hasAny(["after", "expect", "never"]), keys.has("within") {
            keys.report("no event to wait for", at: "within")
        }
        return step
    }

    /// Applies `where` to the expected event or, without one, to the trigger.
    private func takeCondition(of step: inout Scenario.Step, _ keys: Keys) {
        let condition = keys.take("where", .condition)
        guard keys.has("where") else { return }
        if step.expectation != nil {
            step.expectation?.event.condition = condition
        } else if step.trigger != nil {
            step.trigger?.condition = condition
        } else if !keys.hasAny(["after", "expect", "never"]) {
            keys.report("no event for it", at: "where")
        }
    }
}

// MARK: - Events

extension ScenarioForms {
    /// `NOTE`, or `OPERATION CHARACTERISTIC`, optionally after `client`.
    private var event: Form<Scenario.Event> {
        let expected = "an event, like \"connected\", \"notify current_state\" or \"client synced\""
        return Form(expected) { node, faults in
            let text = node.scalar?.text ?? ""
            var rest = text.split(separator: " ").map(String.init)
            var event = Scenario.Event(source: .device, kind: .note(""), text: text)
            if rest.count > 1, let source = Scenario.Event.Source(rawValue: rest[0]) {
                event.source = source
                rest.removeFirst()
            }
            switch rest.count {
            case 1 where ProfileName.isValid(rest[0]): event.kind = .note(rest[0])
            case 2:
                let operations = OperationKind.allCases.map(\.rawValue) + ["any"]
                guard operations.contains(rest[0]) else {
                    let meant = Advice.meant(rest[0], among: operations)
                    faults.add("expected \(Advice.list(operations)), found \"\(rest[0])\"\(meant)", at: node)
                    return nil
                }
                guard words.characteristics.contains(rest[1]) else {
                    let meant = Advice.meant(rest[1], among: words.characteristics)
                    faults.add("there is no characteristic \"\(rest[1])\"\(meant)", at: node)
                    return nil
                }
                event.kind = .value(OperationKind(rawValue: rest[0]), characteristic: rest[1])
            default:
                faults.add("expected \(expected), found \(node.described)", at: node)
                return nil
            }
            return event
        }
    }
}

// MARK: - Actions

extension ScenarioForms {
    /// Actions common to all scenarios.
    private static let common = [
        "time_passes", "attenuation", "distance", "drop_link", "disconnect", "change_services", "fault", "client",
        "ask",
    ]

    /// An action as a name or a mapping, or a list of actions.
    package var actions: Form<[Scenario.Action]> {
        let one = Form<[Scenario.Action]>("what is done, like \"drop_link\" or \"time_passes: 8 h\"") { node, faults in
            if case .mapping(let entries) = node.content {
                if let profile = words.profile, entries.contains(where: { Profile.deviceActions.contains($0.key.text) })
                {
                    return profile.deviceAction.read(node, faults).map { [.act($0)] }
                }
                return entries.compactMap { entry in
                    var value = entry.value
                    value.label = entry.key.text
                    return action(entry.key.text, at: entry.place, value, faults)
                }
            }
            guard let name = node.scalar?.text, !node.isNothing else {
                faults.add("expected what is done, found \(node.described)", at: node)
                return nil
            }
            return action(name, at: node.place, nil, faults).map { [$0] }
        }
        return .either(one, orList: Form<[[Scenario.Action]]>.list(of: one).map { $0.flatMap(\.self) })
    }

    private func action(
        _ name: String, at place: SourcePlace, _ value: YAMLNode?, _ faults: FaultList
    ) -> Scenario.Action? {
        func needed<Value>(_ form: Form<Value>) -> Value? {
            if let value { return form.read(value, faults) }
            faults.add("\(name): expected \(form.expected); it is missing", at: place)
            return nil
        }
        switch name {
        case "time_passes": return needed(Form<Double>.duration).map { .timePasses(.seconds($0)) }
        case "attenuation": return needed(Form<Double>.amount("dB", in: 0...200)).map { .attenuate($0) }
        case "distance": return needed(Form<Double>.amount("m", in: 0.1...10_000)).map { .moveApart($0) }
        case "drop_link", "disconnect", "change_services":
            if let value, !value.isNothing { faults.add("expected nothing, found \(value.described)", at: value) }
            return name == "drop_link" ? .dropLink : name == "disconnect" ? .disconnect : .changeServices
        case "ask": return needed(.text).map { .ask($0) }
        case "fault": return needed(fault).map { .fault($0) }
        case "client": return needed(stimulus(of: words.tasks, "a task of the client")).map { .client($0) }
        default:
            return stimulus(name, at: place, value, of: words.stimuli, others: Self.common, faults).map { .device($0) }
        }
    }

    /// A stimulus as a name, or as a mapping from its name to the amount.
    private func stimulus(of definitions: [StimulusDefinition], _ expected: String) -> Form<Stimulus> {
        Form(expected) { node, faults in
            if case .mapping(let entries) = node.content, entries.count == 1, let entry = entries.first {
                return stimulus(entry.key.text, at: entry.place, entry.value, of: definitions, others: [], faults)
            }
            guard let name = node.scalar?.text, !node.isNothing else {
                faults.add("expected \(expected), found \(node.described)", at: node)
                return nil
            }
            return stimulus(name, at: node.place, nil, of: definitions, others: [], faults)
        }
    }

    private func stimulus(
        _ name: String, at place: SourcePlace, _ value: YAMLNode?, of definitions: [StimulusDefinition],
        others: [String], _ faults: FaultList
    ) -> Stimulus? {
        guard let definition = definitions.first(where: { $0.name == name }) else {
            let declared = words.profile == nil || others.isEmpty ? [] : Profile.deviceActions
            let names = definitions.map(\.name) + others + declared
            let meant = Advice.meant(name, among: names)
            let possible = names.isEmpty ? "the plugin has nothing of the kind" : "possible are \(Advice.list(names))"
            faults.add("there is no \"\(name)\"\(meant.isEmpty ? "; \(possible)" : meant)", at: place)
            return nil
        }
        guard let value, !value.isNothing else {
            guard let amount = definition.amount, amount.usual == nil else {
                return Stimulus(name, definition.amount?.usual)
            }
            faults.add("\(name): expected \(amount.expected); it is missing", at: place)
            return nil
        }
        guard let amount = definition.amount else {
            faults.add("\(name): expected nothing, found \(value.described)", at: value.place)
            return nil
        }
        guard let number = amount.number(in: value) else {
            faults.add("\(name): expected \(amount.expected), found \(value.described)", at: value.place)
            return nil
        }
        return Stimulus(name, number)
    }

    /// A fault as its kind, or as a mapping of its kind and parameters.
    var fault: Form<ValueFault> {
        let kind = Form<ValueFault.Kind>.word
        return Form(kind.expected) { node, faults in
            guard case .mapping = node.content else { return kind.read(node, faults).map { ValueFault($0) } }
            return Form<ValueFault>(mapping: "a fault", faultKeys).read(node, faults)
        }
    }

    private func faultKeys(_ keys: Keys) -> ValueFault? {
        guard let kind = keys.require("kind", Form<ValueFault.Kind>.word) else { return nil }
        let name = Form<String>.word(words.characteristics.map { ($0, $0) })
        let characteristic = keys.take("of", name) ?? keys.take("on", name)
        if keys.has("of"), keys.has("on") { keys.report("cannot stand beside \"of\"", at: "on") }
        var fault = ValueFault(kind, of: characteristic, count: keys.take("count", .integer(1...1_000_000)) ?? 1)
        switch kind {
        case .replace:
            fault.bytes = keys.require("bytes", .bytes) ?? []
            fault.offset = keys.take("at", .integer(0...511))
        case .refuse: fault.code = keys.take("error", .attributeError) ?? fault.code
        case .delay: fault.delay = .seconds(keys.require("by", Form<Double>.duration) ?? 0)
        default: break
        }
        return fault
    }
}

extension Form where Value == UInt8 {
    /// An ATT error as its name in lower case with underscores, such as `write_not_permitted`, or as its code.
    package static var attributeError: Self {
        Form("the name of an ATT error, or its code") { node, faults in
            let text = node.scalar?.text ?? ""
            let known = (1...UInt8.max).first { code in
                ATT.ErrorCode(rawValue: code).name.map { $0.lowercased().map { $0 == " " ? "_" : $0 } } == Array(text)
            }
            return known ?? Form<Int>.integer(1...255).read(node, faults).map { UInt8($0) }
        }
    }
}

extension Form where Value == Double {
    /// An amount with its unit.
    fileprivate static func amount(_ unit: String, in range: ClosedRange<Double>) -> Self {
        let amount = StimulusDefinition.Amount(unit, in: range)
        return Form(amount.expected) { node, faults in
            if let number = amount.number(in: node) { return number }
            faults.add("expected \(amount.expected), found \(node.described)", at: node)
            return nil
        }
    }
}

extension StimulusDefinition.Amount {
    /// Description of the permitted amount: `1 to 830 ml`.
    fileprivate var expected: String {
        let least = Self.digits(range.lowerBound)
        let bounds = "\(least) to \(Self.digits(range.upperBound))"
        return unit.isEmpty ? "a number from \(bounds)" : "\(bounds) \(unit), like \"\(least) \(unit)\""
    }

    /// A number within the range, with its unit as a suffix or as a key: `50 ml`, `{ml: 50}`; nil for anything else.
    fileprivate func number(in node: YAMLNode) -> Double? {
        guard case .mapping(let entries) = node.content, !unit.isEmpty else {
            return number(in: node.scalar?.text ?? "")
        }
        guard entries.count == 1, entries[0].key.text == unit, let text = entries[0].value.scalar?.text else {
            return nil
        }
        return number(in: text + unit)
    }

    private func number(in text: String) -> Double? {
        guard text.hasSuffix(unit) else { return nil }
        var digits = text.dropLast(unit.count)
        while digits.last == " " { digits.removeLast() }
        return Form<Double>.decimal(String(digits)).flatMap { range.contains($0) ? $0 : nil }
    }
}
