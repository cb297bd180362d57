import Bluetooth

// Sections `sequences`, `times` and `rules`.

extension Form where Value == SequenceDefinition {
    static var sequence: Self {
        Form(mapping: "a sequence") { keys in
            let name = keys.require("name", .name)
            let title = keys.take("title", .line)
            let type = keys.require("type", .name)
            let state = keys.require("state", .path)
            let initial = keys.list("initial", of: .name)
            let transitions = keys.require(
                "transitions", .entries("next states by state", .name, .list(of: Form<String>.name)))
            let dialect = keys.take("dialect", .name)
            guard let name, let type, let state, let transitions else { return nil }
            var sequence = Value(
                name: name, title: title ?? Form<String>.title(from: name), type: type, state: state,
                transitions: transitions.map { .init(from: $0.key, to: $0.value, place: $0.place) }, place: keys.place)
            sequence.initial = initial
            sequence.dialect = dialect
            return sequence
        }
    }
}

extension Keys {
    /// Section `times`, with the abbreviations of `header` expanded in the sources.
    func times(of header: Profile.Header) -> [TimeDefinition] {
        (take("times", .entries("times by name", .name, .time)) ?? []).map { name, time, place in
            TimeDefinition(
                name: name, seconds: time.seconds, doc: time.doc, source: time.source.map(header.writtenOut),
                place: place)
        }
    }
}

extension Form where Value == (seconds: Double, doc: String, source: String?) {
    fileprivate static var time: Self {
        Form(mapping: "a time and its meaning, like {time: 2 s, doc: limit of a reply}") { keys in
            let seconds = keys.require("time", .duration)
            let doc = keys.require("doc", .line)
            let source = keys.take("source", .line)
            guard let seconds, let doc else { return nil }
            return (seconds: seconds, doc: doc, source: source)
        }
    }
}

extension Form where Value == RuleDefinition {
    static var rule: Self {
        Form(mapping: "a rule") { keys in
            let id = keys.require("id", .identifier)
            let text = keys.require("text", .text)
            let role = keys.require("role", Form<RuleDefinition.Role>.word)
            let severity = keys.require("severity", Form<RuleDefinition.Severity>.word)
            let source = keys.take("source", .text)
            let hint = keys.take("hint", .text)
            let dialect = keys.take("dialect", .name)
            let quirk = keys.take("quirk", .line)
            let assumed = keys.take("assumes", .text)
            let kind = keys.one(of: "what is judged", RuleDefinition.Kind.forms)
            guard let id, let text, let role, let severity, let kind else { return nil }
            var rule = Value(id: id, text: text, role: role, severity: severity, kind: kind, place: keys.place)
            rule.source = source
            rule.hint = hint
            rule.dialect = dialect
            rule.quirk = quirk
            rule.assumed = assumed
            return rule
        }
    }
}

extension Form where Value == String {
    /// Identifier of a rule or a vector: `AQ-031`.
    package static var identifier: Self {
        Form(scalar: "letters, digits, - _ and . without spaces") { scalar in
            let isFine = scalar.text.utf8.allSatisfy {
                Character(Unicode.Scalar($0)).isLetter || Character(Unicode.Scalar($0)).isNumber
                    || "-_.".utf8.contains($0)
            }
            return isFine && !scalar.text.isEmpty && scalar.text.utf8.count <= 64 ? scalar.text : nil
        }
    }
}

// MARK: - Kinds of rules

extension RuleDefinition.Kind {
    /// The forms of the rule kinds, by key.
    fileprivate static var forms: [(key: String, value: Form<Self>)] {
        [
            ("length", length), ("check", check), ("increases", increases), ("reply", reply), ("period", period),
            ("order", order), ("never", never), ("sequence", Form<String>.name.map { .sequence($0) }),
            ("code", .flag(.code)), ("twin", .flag(.twin)), ("oracle", Form<String>.name.map { .oracle($0) }),
        ]
    }

    private static var length: Form<Self> {
        Form(mapping: "an event and the lengths that it may have") { keys in
            let event = keys.event("on", where: "where")
            let lengths = keys.require("is", .lengths)
            guard let event, let lengths else { return nil }
            return .length(on: event, lengths)
        }
    }

    private static var check: Form<Self> {
        Form(mapping: "an event and what holds for it") { keys in
            let event = keys.event("on", where: "where")
            let condition = keys.require("holds", .condition)
            guard let event, let condition else { return nil }
            return .check(on: event, condition)
        }
    }

    private static var increases: Form<Self> {
        Form(mapping: "an event and the field that increases") { keys in
            let event = keys.event("on", where: "where")
            let field = keys.require("field", .path)
            let step = keys.take("by", .integer(1...0xFFFF_FFFF))
            guard let event, let field else { return nil }
            return .increases(on: event, field: field, by: step)
        }
    }

    private static var reply: Form<Self> {
        Form(mapping: "an event, what must follow it, and how soon") { keys in
            let after = keys.event("after", where: "where")
            let expected = keys.event("expect", where: "expect_where")
            let within = keys.require("within", .duration)
            guard let after, let expected, let within else { return nil }
            keys.refuseMixture(after, expected, at: "expect")
            return .reply(after: after, expect: expected, within: within)
        }
    }

    private static var period: Form<Self> {
        Form(mapping: "an event and how often it comes") { keys in
            let event = keys.event("on", where: "where")
            let seconds = keys.require("every", .duration)
            let tolerance = keys.require("tolerance", .duration)
            guard let event, let seconds, let tolerance else { return nil }
            if tolerance >= seconds { keys.report("expected less than \"every\"", at: "tolerance") }
            return .period(on: event, seconds: seconds, tolerance: tolerance)
        }
    }

    private static var order: Form<Self> {
        Form(mapping: "an event and the one that it needs before it") { keys in
            let event = keys.event("on", where: "where")
            let needed = keys.event("needs", where: "needs_where")
            guard let event, let needed else { return nil }
            keys.refuseMixture(event, needed, at: "needs")
            return .order(on: event, needs: needed)
        }
    }

    private static var never: Form<Self> {
        Form(mapping: "an event and the one after which it never comes") { keys in
            let event = keys.event("on", where: "where")
            let after = keys.event("after", where: "after_where")
            guard let event, let after else { return nil }
            keys.refuseMixture(event, after, at: "after")
            return .never(on: event, after: after)
        }
    }
}

extension Form {
    /// The word `true`, for keys that carry no other value.
    static func flag(_ value: Value) -> Self {
        Form(plain: "true") { $0 == "true" ? value : nil }
    }
}

// MARK: - Events

extension Keys {
    /// An event under `key`, with the condition on its value under `condition`.
    func event(_ key: String, where condition: String) -> EventPattern? {
        let event = require(key, .event)
        let condition = take(condition, .condition)
        guard var event else { return nil }
        event.condition = condition
        return event
    }

    /// Reports an advertisement combined with a connection event: no connection relates the two.
    fileprivate func refuseMixture(_ one: EventPattern, _ other: EventPattern, at key: String) {
        if one.isAdvertisement == other.isAdvertisement { return }
        report("expected two advertisements or two events of a connection", at: key)
    }
}

extension Form where Value == EventPattern {
    /// `<operation> <characteristic>`, `<operation> <characteristic>.cccd`, `message <message>`, `advertise` or
    /// `advertise <type>`.
    static var event: Self {
        let expected =
            "an operation and a characteristic, like \"notify current_state\", a message, like \"message reply\","
            + " or \"advertise\""
        return Form(expected) { node, faults in
            let words = (node.scalar?.text ?? "").split(separator: " ").map(String.init)
            if words.first == "advertise", words.count <= 2 {
                return EventPattern(
                    .advertisement, operation: nil, characteristic: words.count == 2 ? words[1] : "",
                    place: node.place)
            }
            guard words.count == 2 else {
                faults.add("expected \(expected), found \(node.described)", at: node)
                return nil
            }
            if words[0] == "message" {
                return EventPattern(.message, operation: nil, characteristic: words[1], place: node.place)
            }
            let operations = OperationKind.allCases.map(\.rawValue) + ["any", "message"]
            guard operations.contains(words[0]) else {
                let meant = Advice.meant(words[0], among: operations + ["advertise"])
                faults.add("expected \(Advice.list(operations)), found \"\(words[0])\"\(meant)", at: node)
                return nil
            }
            let isConfiguration = words[1].hasSuffix(".cccd")
            return EventPattern(
                isConfiguration ? .configuration : .value, operation: OperationKind(rawValue: words[0]),
                characteristic: isConfiguration ? String(words[1].dropLast(5)) : words[1], place: node.place)
        }
    }
}
