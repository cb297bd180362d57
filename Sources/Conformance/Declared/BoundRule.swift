import PluginKit
import Profile

/// A rule for values of one type.
struct BoundRule {
    /// Its place in the profile.
    let place: Int
    /// Which values it is about; nil for all of the type.
    let condition: BoundCondition?
    let demand: any ValueDemand

    /// What comes of the rule for a value.
    func outcome(for value: CheckedValue) -> ValueOutcome {
        condition?.isTrue(of: value) ?? true ? demand.outcome(for: value) : .notApplicable
    }

    /// How a value breaks the rule.
    func finding(about value: CheckedValue) -> Finding {
        value.finding(expected: demand.expected, observed: demand.observed(in: value))
    }

    /// Why it cannot be decided for a value.
    func doubt(about value: CheckedValue) -> String { "not known: \(demand.observed(in: value))" }
}

/// What came of a rule that looks at one value.
enum ValueOutcome {
    case pass, fail, undecided
    /// It says nothing about the value.
    case notApplicable
}

/// What a rule demands of one value.
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

/// A number of bytes.
final class LengthDemand: ValueDemand {
    private let lengths: ClosedRange<Int>

    init(_ lengths: ClosedRange<Int>) {
        self.lengths = lengths
    }

    func outcome(for value: CheckedValue) -> ValueOutcome { lengths.contains(value.bytes.count) ? .pass : .fail }

    var expected: String { Self.text(lengths) }
    func observed(in value: CheckedValue) -> String { "\(value.bytes.count) bytes" }

    /// Lengths in words: `1 byte`, `2 to 4 bytes`, `2 bytes or more`. A type without an end has more lengths than `count` can
    /// count.
    static func text(_ lengths: ClosedRange<Int>) -> String {
        let least = "\(lengths.lowerBound) byte\(lengths.lowerBound == 1 ? "" : "s")"
        if lengths.lowerBound == lengths.upperBound { return least }
        if lengths.upperBound == .max { return "\(least) or more" }
        return "\(lengths.lowerBound) to \(lengths.upperBound) bytes"
    }
}

/// The right checksums. Of bytes that are none of the type, nothing is said.
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
