import Bluetooth
import PluginKit
import Profile

/// All `length` and `check` rules of a profile: those that look at one value alone and remember nothing. They are many,
/// and values are what a capture has most of, so they are checked together.
final class ValueChecks {
    /// The values that are checked.
    enum Subject: Hashable {
        /// Those of a characteristic, by its index.
        case value(Int, OperationKind)
        /// Those of a characteristic's configuration.
        case configuration(Int, OperationKind)
        /// Messages, by their index.
        case message(Int)
        /// Data in advertisements.
        case advertised

        /// Its place in a list of all subjects.
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

    /// A rule, with its place in the profile.
    private struct Rule {
        let place: Int
        let definition: RuleDefinition
        /// Nil for all values.
        let pattern: EventPattern?
    }

    /// The rules of a subject for each type that its values have had.
    private struct Binding {
        let type: ObjectIdentifier?
        let rules: [BoundRule]
    }

    private var rules: [Subject: [Rule]] = [:]
    /// By the numbers of the subjects.
    private var bindings: [[Binding]] = []

    init() {}

    /// Takes in a rule for a dialect's characteristics; says whether it is one of its kinds.
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

    /// Takes in a rule for all values and messages; of which types it is, shows when they come.
    private func addToAll(_ rule: Rule, _ characteristics: Int, _ messages: Int) {
        for operation in OperationKind.allCases {
            for index in 0..<characteristics { rules[.value(index, operation), default: []].append(rule) }
        }
        for index in 0..<messages { rules[.message(index), default: []].append(rule) }
    }

    /// What `any` is: what a client writes to a characteristic that cannot be written is no value of the device.
    private static func operations(
        on characteristic: CharacteristicDefinition, _ pattern: EventPattern
    ) -> [OperationKind] {
        let isWritable =
            pattern.isConfiguration || !characteristic.properties.isDisjoint(with: [.write, .writeWithoutResponse])
        return OperationKind.allCases.filter { isWritable || $0 != .write }
    }

    /// Whether a rule looks at data in advertisements.
    var looksAtAdvertising: Bool { rules[.advertised] != nil }

    /// The rules for the values of a subject that are of a type.
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
