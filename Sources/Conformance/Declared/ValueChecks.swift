import Bluetooth
import PluginKit
import Profile

/// All `length`, `check` and `checksums` rules of a profile: rules that depend on a single value and keep no state.
/// Most rules are of these kinds, and most events carry a value, so they are checked together.
final class ValueChecks {
    /// The values that a rule checks.
    enum Subject: Hashable {
        /// Values of a characteristic, by its index.
        case value(Int, OperationKind)
        /// Values of a characteristic's configuration.
        case configuration(Int, OperationKind)
        /// Messages, by their index.
        case message(Int)
        /// Advertised data.
        case advertised

        /// Index in a list of all subjects.
        var number: Int {
            switch self {
            case .advertised: 0
            case .value(let characteristic, let operation): 3 * (characteristic * Self.operations + operation.index) + 1
            case .configuration(let characteristic, let operation):
                3 * (characteristic * Self.operations + operation.index) + 2
            case .message(let message): 3 * message + 3
            }
        }

        private static let operations = OperationKind.allCases.count
    }

    /// A rule with its index in the profile.
    private struct Rule {
        let place: Int
        let definition: RuleDefinition
        /// Nil for all values.
        let pattern: EventPattern?
    }

    /// The rules of a subject for one type of value.
    private struct Binding {
        let type: ObjectIdentifier?
        let rules: [BoundRule]
    }

    private var rules: [Subject: [Rule]] = [:]
    /// By `Subject.number`.
    private var bindings: [[Binding]] = []

    init() {}

    /// Adds a rule for the characteristics of a dialect. Returns false for rules of other kinds.
    func add(
        _ definition: RuleDefinition, place: Int, _ characteristics: [CharacteristicDefinition],
        _ messages: [String: Int]
    ) -> Bool {
        let pattern: EventPattern
        switch definition.kind {
        case .length(let event, _), .check(let event, _): pattern = event
        case .checksums:
            addToAll(Rule(place: place, definition: definition, pattern: nil), characteristics.count, messages.count)
            return true
        default: return false
        }
        let rule = Rule(place: place, definition: definition, pattern: pattern)
        switch pattern.subject {
        case .message:
            guard let index = messages[pattern.characteristic] else { return true }
            rules[.message(index), default: []].append(rule)
            return true
        case .advertisement:
            rules[.advertised, default: []].append(rule)
            return true
        case .value, .configuration: break
        }
        for index in characteristics.indices where characteristics[index].name == pattern.characteristic {
            for operation in pattern.operation.map({ [$0] }) ?? Self.operations(on: characteristics[index], pattern) {
                let subject: Subject =
                    pattern.isConfiguration ? .configuration(index, operation) : .value(index, operation)
                rules[subject, default: []].append(rule)
            }
        }
        return true
    }

    /// Adds a rule for all values and messages; `bind` selects those with a suitable type when values arrive.
    private func addToAll(_ rule: Rule, _ characteristics: Int, _ messages: Int) {
        for operation in OperationKind.allCases {
            for index in 0..<characteristics { rules[.value(index, operation), default: []].append(rule) }
        }
        for index in 0..<messages { rules[.message(index), default: []].append(rule) }
    }

    /// The operations of the pattern `any`. It excludes writes to a characteristic that is not writable, which carry no
    /// value of the device.
    private static func operations(
        on characteristic: CharacteristicDefinition, _ pattern: EventPattern
    ) -> [OperationKind] {
        let isWritable =
            pattern.isConfiguration || !characteristic.properties.isDisjoint(with: [.write, .writeWithoutResponse])
        return OperationKind.allCases.filter { isWritable || $0 != .write }
    }

    /// Whether a rule checks advertised data.
    var looksAtAdvertising: Bool { rules[.advertised] != nil }

    /// The rules for a subject's values of one type.
    func rules(for subject: Subject, _ reading: ValueReading?) -> [BoundRule] {
        let number = subject.number
        while bindings.count <= number { bindings.append([]) }
        let type = reading?.typeID
        if let known = bindings[number].first(where: { $0.type == type }) { return known.rules }
        let bound = bind(rules[subject] ?? [], reading)
        bindings[number].append(Binding(type: type, rules: bound))
        return bound
    }

    private func bind(_ rules: [Rule], _ reading: ValueReading?) -> [BoundRule] {
        rules.compactMap { rule in
            if let pattern = rule.pattern, pattern.isAdvertisement, !pattern.takes(reading) { return nil }
            let demand: any ValueDemand
            switch rule.definition.kind {
            case .length(_, let lengths): demand = LengthDemand(lengths)
            case .checksums:
                guard let layout = reading?.layout, layout.hasChecksums else { return nil }
                demand = ChecksumDemand(layout)
            case .check(_, let condition): demand = BoundCondition(condition, reading)
            default: return nil
            }
            let condition = rule.pattern?.condition.map { BoundCondition($0, reading) }
            return BoundRule(place: rule.place, condition: condition, demand: demand)
        }
    }
}
