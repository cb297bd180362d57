import PluginKit
import Profile

/// Matches events with the pattern of a declared rule.
struct EventMatcher {
    let pattern: EventPattern
    /// The characteristic that the pattern names; nil for messages and advertisements.
    let characteristic: CharacteristicIndex?

    /// `names` are the names of the profile's characteristics.
    init(_ pattern: EventPattern, _ names: [String]) {
        self.pattern = pattern
        characteristic =
            switch pattern.subject {
            case .value, .configuration: CharacteristicIndex(pattern.characteristic, among: names)
            case .message, .advertisement: nil
            }
    }

    /// The events to handle for the pattern.
    var interest: RuleInterest {
        switch pattern.subject {
        case .value: characteristic.map { .values(of: $0) } ?? .link
        case .configuration: .subscriptions
        case .message: .messages
        case .advertisement: .advertisedContent
        }
    }

    /// Advertisements belong to the device, all other events to one of its connections.
    var scope: RuleScope { pattern.isAdvertisement ? .device : .connection }

    /// Whether an event belongs to the pattern's traffic. Rules about advertisements also receive openings, closings and
    /// gaps of the device's connections, which do not concern them.
    func covers(_ event: Event) -> Bool { !pattern.isAdvertisement || event.moment.connection == 0 }

    /// The pattern in words: `notify current_state`.
    var title: String {
        let words = pattern.words
        let event = words.hasPrefix("any ") ? "any operation on" + words.dropFirst(3) : words
        return event + (pattern.condition.map { " where \($0.text)" } ?? "")
    }

    /// The value of an event that matches the pattern. `request` is the request that it must answer, if the rule
    /// requires that.
    func match(_ event: Event, answering request: Value? = nil) -> CheckedValue? {
        guard var value = value(of: event) else { return nil }
        if let request {
            value.context = value.context.copy()
            value.context.request = request
        }
        if let condition = pattern.condition, value.evaluate(condition) != .boolean(true) { return nil }
        return value
    }

    /// Whether the event is of the pattern's kind, regardless of its value.
    func isOfKind(_ event: Event) -> Bool { value(of: event) != nil }

    /// The value of an event of the pattern's kind.
    private func value(of event: Event) -> CheckedValue? {
        switch pattern.subject {
        case .value:
            guard let update = event.value, update.characteristic == characteristic,
                pattern.operation == nil || pattern.operation == update.operation
            else { return nil }
            return CheckedValue(
                moment: event.moment, bytes: update.bytes, reading: update.reading, context: event.context)
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

/// A value with the context that expressions refer to.
struct CheckedValue {
    let moment: FrameReference
    let bytes: ValueBytes
    let reading: ValueReading?
    var context: DeviceContext
    /// Whether the value does not match the type that the last request asks for, but matches the type that the request
    /// before it asks for: it may have been sent before the last request arrived.
    var mayAnswerEarlier = false

    /// The whole value; nil if the profile has no type for it or the bytes do not match.
    var value: Value? { reading?.value }

    func evaluate(_ expression: Expression) -> ExpressionValue {
        expression.evaluate(over: bytes, reading, in: context)
    }

    func finding(expected: String, observed: String) -> Finding {
        Finding(moments: [moment], bytes: bytes.array, expected: expected, observed: observed)
    }
}

extension EventMatcher {
    /// Whether the condition refers to fields of the request.
    var asksRequest: Bool { pattern.condition?.program.asksRequest ?? false }
}

extension EventPattern {
    /// Whether the pattern covers advertised data of this type.
    func takes(_ reading: ValueReading?) -> Bool {
        characteristic.isEmpty || characteristic == reading?.layout.name
    }
}

extension CharacteristicIndex {
    /// Nil if no characteristic has the name.
    init?(_ name: String, among names: [String]) {
        guard let place = names.firstIndex(of: name) else { return nil }
        self.init(place)
    }
}
