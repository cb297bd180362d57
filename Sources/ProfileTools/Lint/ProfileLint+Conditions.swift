import Bluetooth
import Profile

// Checks for impossible events and for comparisons with a constant result.
extension ProfileLint {
    /// The characteristic of an event must support the event's operation.
    mutating func checkOperation(
        of event: EventPattern, _ characteristics: [CharacteristicDefinition], of owner: String
    ) {
        guard let operation = event.operation, !event.isConfiguration, !characteristics.isEmpty,
            !characteristics.contains(where: { $0.has(operation) })
        else { return }
        let has = OperationKind.allCases.filter { kind in characteristics.contains { $0.has(kind) } }.map(\.rawValue)
        add(
            .impossibleEvent, [owner],
            "\(owner): \(event.characteristic) has no \(operation.rawValue): this never happens",
            fix: has.isEmpty ? nil : "it has \(Advice.list(has))", at: event.place)
    }

    /// Reports comparisons of a field with a number that the field cannot have.
    mutating func checkComparisons(of expression: Expression, in possible: [String], of owner: String) {
        check(expression.root, in: possible, owner, at: expression.place)
    }

    private mutating func check(
        _ node: Expression.Node, in possible: [String], _ owner: String, at place: SourcePlace
    ) {
        switch node {
        case .binary(let operation, let one, let other):
            check(one, in: possible, owner, at: place)
            check(other, in: possible, owner, at: place)
            if case .number(let number) = other {
                compare(one, operation, number, in: possible, owner, at: place)
            } else if case .number(let number) = one, let mirrored = operation.mirrored {
                compare(other, mirrored, number, in: possible, owner, at: place)
            }
        case .not(let node), .negate(let node), .isIn(let node, _): check(node, in: possible, owner, at: place)
        case .call(_, let arguments): for argument in arguments { check(argument, in: possible, owner, at: place) }
        case .number, .real, .boolean, .text, .field, .length, .load, .written, .has: break
        }
    }

    private mutating func compare(
        _ node: Expression.Node, _ operation: Expression.Operator, _ number: Int64, in possible: [String],
        _ owner: String, at place: SourcePlace
    ) {
        guard let (name, ranges) = ranges(of: node, in: possible), !ranges.isEmpty else { return }
        let outcomes = Set(ranges.map { operation.outcome(over: $0, with: number) })
        guard outcomes.count == 1, let outcome = outcomes.first, let outcome else { return }
        let low = ranges.map(\.lowerBound).min() ?? 0
        let high = ranges.map(\.upperBound).max() ?? 0
        add(
            .constantCondition, [owner],
            "\(owner): \(name) \(operation.rawValue) \(number) is \(outcome ? "always" : "never") true: "
                + "\(name) is \(low) to \(high)", at: place)
    }

    /// Ranges of a term, one for each type that the value may have; nil if unknown.
    private func ranges(
        of node: Expression.Node, in possible: [String]
    ) -> (name: String, ranges: [ClosedRange<Int64>])? {
        switch node {
        case .load(let bytes, .number(let offset)) where bytes < 8:
            return ("u\(8 * bytes)(\(offset))", [0...(1 << Int64(8 * bytes) - 1)])
        case .written(let name, .number(let offset)): return ("written(\(name), \(offset))", [0...255])
        case .field(let path):
            var ranges: [ClosedRange<Int64>] = []
            for type in possible {
                guard let target = types.target(of: path, in: type) else { continue }
                guard let range = range(of: target) else { return nil }
                ranges.append(range)
            }
            return (path, ranges)
        default: return nil
        }
    }

    private func range(of target: TypeIndex.Target) -> ClosedRange<Int64>? {
        switch target {
        case .part(let part):
            let bits = part.bits.count
            if bits > 62 || part.scale != nil { return nil }
            return part.isSigned ? -(1 << Int64(bits - 1))...(1 << Int64(bits - 1) - 1) : 0...(1 << Int64(bits) - 1)
        case .discriminant(let choice): return range(of: .field(choice.discriminant))
        case .field(let field):
            // A list evaluates to its count, a scaled field to a real number.
            guard field.count == nil, field.scale == nil, let resolved = types.resolved(field), resolved.scale == nil
            else { return nil }
            switch resolved.kind {
            case .unsigned(let bytes) where bytes < 8, .enumeration(let bytes, _) where bytes < 8,
                .bits(let bytes, _, _) where bytes < 8:
                return 0...(1 << Int64(8 * bytes) - 1)
            case .signed(let bytes) where bytes < 8:
                return -(1 << Int64(8 * bytes - 1))...(1 << Int64(8 * bytes - 1) - 1)
            default: return nil
            }
        }
    }
}

extension CharacteristicDefinition {
    /// Whether the characteristic's properties allow an operation.
    func has(_ operation: OperationKind) -> Bool {
        switch operation {
        case .read: properties.contains(.read)
        case .write: !properties.isDisjoint(with: [.write, .writeWithoutResponse])
        case .notify: properties.contains(.notify)
        case .indicate: properties.contains(.indicate)
        }
    }
}

extension Expression.Operator {
    /// The operator with its operands exchanged; nil for operators other than comparisons.
    fileprivate var mirrored: Self? {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: nil
        }
    }

    /// The result of comparing every number of a range with `number`; nil if it depends on the number.
    fileprivate func outcome(over range: ClosedRange<Int64>, with number: Int64) -> Bool? {
        switch self {
        case .equal: range.contains(number) ? range.lowerBound == range.upperBound ? true : nil : false
        case .notEqual: range.contains(number) ? range.lowerBound == range.upperBound ? false : nil : true
        case .less: range.upperBound < number ? true : range.lowerBound >= number ? false : nil
        case .lessOrEqual: range.upperBound <= number ? true : range.lowerBound > number ? false : nil
        case .greater: range.lowerBound > number ? true : range.upperBound <= number ? false : nil
        case .greaterOrEqual: range.lowerBound >= number ? true : range.upperBound < number ? false : nil
        default: nil
        }
    }
}
