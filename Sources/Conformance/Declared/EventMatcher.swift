import PluginKit
import Profile

/// An event that a rule of a profile names, found again in the traffic.
struct EventMatcher {
    let pattern: EventPattern
    /// The characteristic that the pattern names; nil where it is about another subject.
    let characteristic: CharacteristicIndex?

    /// `names` are those of the profile's characteristics.
    init(_ pattern: EventPattern, _ names: [String]) {
        self.pattern = pattern
        characteristic =
            switch pattern.subject {
            case .value, .configuration: CharacteristicIndex(pattern.characteristic, among: names)
            case .message, .advertisement: nil
            }
    }

    /// What has to be seen for it.
    var interest: RuleInterest {
        switch pattern.subject {
        case .value: characteristic.map { .values(of: $0) } ?? .link
        case .configuration: .subscriptions
        case .message: .messages
        case .advertisement: .advertisedContent
        }
    }

    /// What it is, in words: `notify current_state`.
    var title: String {
        let words = pattern.words
        let event = words.hasPrefix("any ") ? "any operation on" + words.dropFirst(3) : words
        return event + (pattern.condition.map { " where \($0.text)" } ?? "")
    }

    /// The value, if the event is the one that the rule names; `request` is what it must answer, where the rule says
    /// that.
    func match(_ event: borrowing RuleEvent, answering request: Value? = nil) -> CheckedValue? {
        guard var value = value(of: event) else { return nil }
        if let request {
            value.context = value.context.copy()
            value.context.request = request
        }
        if let condition = pattern.condition, value.evaluate(condition) != .boolean(true) { return nil }
        return value
    }

    /// Whether the event is of the kind that the rule names, whatever its value.
    func isOfKind(_ event: borrowing RuleEvent) -> Bool { value(of: event) != nil }

    /// The value of an event of the kind that the rule names.
    private func value(of event: borrowing RuleEvent) -> CheckedValue? {
        switch pattern.subject {
        case .value:
            guard let told = event.value, told.characteristic == characteristic,
                pattern.operation == nil || pattern.operation == told.operation
            else { return nil }
            return CheckedValue(
                moment: event.moment, bytes: told.bytes, reading: told.reading, context: event.context)
        case .configuration:
            guard case .configuration(let access) = event.content, access.characteristic == characteristic,
                pattern.operation == nil || pattern.operation == access.operation
            else { return nil }
            return CheckedValue(moment: event.moment, bytes: access.bytes, reading: nil, context: event.context)
        case .message:
            guard case .message(let content) = event.content, pattern.characteristic == content.message else {
                return nil
            }
            return CheckedValue(
                moment: event.moment, bytes: content.bytes, reading: content.reading, context: event.context)
        case .advertisement:
            guard case .advertisedContent(let content) = event.content, pattern.takes(content.reading) else {
                return nil
            }
            return CheckedValue(
                moment: event.moment, bytes: content.bytes, reading: content.reading, context: event.context)
        }
    }
}

/// A value with all that expressions ask for.
struct CheckedValue {
    let moment: FrameReference
    let bytes: ValueBytes
    let reading: ValueReading?
    var context: DeviceContext
    /// Whether a request that came just before it asks for another type, and the one before that for one which reads it:
    /// it may have been on its way.
    var mayAnswerEarlier = false

    /// The whole value; nil where it has no form.
    var value: Value? { reading?.value }

    func evaluate(_ expression: Expression) -> ExpressionValue {
        expression.evaluate(over: bytes, reading, in: context)
    }

    func finding(expected: String, observed: String) -> Finding {
        Finding(moments: [moment], bytes: bytes.array, expected: expected, observed: observed)
    }
}

extension EventMatcher {
    /// Whether its condition asks for fields of the request.
    var asksRequest: Bool { pattern.condition?.program.asksRequest ?? false }
}

extension EventPattern {
    /// Whether it is about advertised data of this type.
    func takes(_ reading: ValueReading?) -> Bool {
        characteristic.isEmpty || characteristic == reading?.layout.name
    }
}

extension CharacteristicIndex {
    /// Nil where no characteristic has the name.
    init?(_ name: String, among names: [String]) {
        guard let place = names.firstIndex(of: name) else { return nil }
        self.init(place)
    }
}
