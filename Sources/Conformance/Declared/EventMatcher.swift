import PluginKit

/// An event that a rule of a profile names, found again in the traffic.
struct EventMatcher {
    let pattern: EventPattern

    init(_ pattern: EventPattern) {
        self.pattern = pattern
    }

    /// What has to be seen for it.
    var interest: ConformanceInterest {
        pattern.isConfiguration ? .subscriptions : .values(of: pattern.characteristic)
    }

    /// What it is, in words: `notify current_state`.
    var title: String {
        let operation = pattern.operation?.rawValue ?? "any operation on"
        return "\(operation) \(pattern.characteristic)\(pattern.isConfiguration ? ".cccd" : "")"
            + (pattern.condition.map { " where \($0.text)" } ?? "")
    }

    /// The value, if the event is the one that the rule names.
    func match(_ event: borrowing ConformanceEvent) -> JudgedValue? {
        let value: JudgedValue
        switch event.content {
        case .value(let told) where !pattern.isConfiguration:
            guard pattern.operation == nil || pattern.operation == told.operation,
                told.characteristic == pattern.characteristic
            else { return nil }
            value = JudgedValue(
                moment: event.moment, bytes: told.bytes, reading: told.reading, context: event.context)
        case .configuration(let access) where pattern.isConfiguration:
            guard pattern.operation == nil || pattern.operation == access.operation,
                access.characteristic == pattern.characteristic
            else { return nil }
            value = JudgedValue(moment: event.moment, bytes: access.bytes, reading: nil, context: event.context)
        default: return nil
        }
        if let condition = pattern.condition, value.evaluate(condition) != .boolean(true) { return nil }
        return value
    }
}

/// A value with all that expressions ask for.
struct JudgedValue {
    let moment: Moment
    let bytes: ValueBytes
    let reading: ValueReading?
    let context: DeviceContext

    func evaluate(_ expression: Expression) -> ExpressionValue {
        expression.evaluate(over: bytes, reading, in: context)
    }
}
