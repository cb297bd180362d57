import PluginKit
import Profile

/// A declared rule bound to one type of value.
struct BoundRule {
    /// Index of the rule in the profile.
    let place: Int
    /// Selects the values to check; nil for all values of the type.
    let condition: BoundCondition?
    let demand: any ValueDemand

    func outcome(for value: CheckedValue) -> ValueOutcome {
        condition?.isTrue(of: value) ?? true ? demand.outcome(for: value) : .notApplicable
    }

    /// The finding for a value that breaks the rule.
    func finding(about value: CheckedValue) -> Finding {
        value.finding(expected: demand.expected, observed: demand.observed(in: value))
    }

    /// Why the rule is inconclusive for a value.
    func doubt(about value: CheckedValue) -> String { "not known: \(demand.observed(in: value))" }
}

/// The outcome of a rule for a single value.
enum ValueOutcome {
    case pass, fail, undecided
    /// The rule does not apply to the value.
    case notApplicable
}

/// A requirement for a single value.
protocol ValueDemand: AnyObject {
    func outcome(for value: CheckedValue) -> ValueOutcome
    var expected: String { get }
    func observed(in value: CheckedValue) -> String
}

extension BoundCondition: ValueDemand {
    func outcome(for value: CheckedValue) -> ValueOutcome {
        switch holds(over: value.bytes, in: value.context) {
        case true?: .pass
        case false?: .fail
        case nil: .undecided
        }
    }

    fileprivate func isTrue(of value: CheckedValue) -> Bool { holds(over: value.bytes, in: value.context) == true }

    var expected: String { expression.text }
    func observed(in value: CheckedValue) -> String { value.account(of: expression) }
}

/// Requires a length in bytes.
final class LengthDemand: ValueDemand {
    private let lengths: ClosedRange<Int>

    init(_ lengths: ClosedRange<Int>) {
        self.lengths = lengths
    }

    func outcome(for value: CheckedValue) -> ValueOutcome { lengths.contains(value.bytes.count) ? .pass : .fail }

    var expected: String { Self.text(lengths) }
    func observed(in value: CheckedValue) -> String { "\(value.bytes.count) bytes" }

    /// Lengths in words: `1 byte`, `2 to 4 bytes`, `2 bytes or more`. Does not use `count`, which overflows for a type
    /// without a maximum length.
    static func text(_ lengths: ClosedRange<Int>) -> String {
        let least = "\(lengths.lowerBound) byte\(lengths.lowerBound == 1 ? "" : "s")"
        if lengths.lowerBound == lengths.upperBound { return least }
        if lengths.upperBound == .max { return "\(least) or more" }
        return "\(lengths.lowerBound) to \(lengths.upperBound) bytes"
    }
}

/// Requires correct checksums. Does not apply to bytes that do not match the type.
final class ChecksumDemand: ValueDemand {
    private let layout: Layout

    init(_ layout: Layout) {
        self.layout = layout
    }

    func outcome(for value: CheckedValue) -> ValueOutcome {
        faults(in: value).map { $0.isEmpty ? .pass : .fail } ?? .notApplicable
    }

    var expected: String { "the checksum of the bytes" }
    func observed(in value: CheckedValue) -> String { faults(in: value)?.joined(separator: "; ") ?? "" }

    private func faults(in value: CheckedValue) -> [String]? {
        value.bytes.withBytes { layout.checksumFaults(in: $0) }
    }
}
