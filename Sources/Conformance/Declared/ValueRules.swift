import PluginKit

/// `length`: values have a length, or one between two.
struct LengthRule: ConformanceJudge {
    let rule: String
    let on: EventMatcher
    let lengths: ClosedRange<Int>

    init(_ rule: String, _ on: EventMatcher, _ lengths: ClosedRange<Int>) {
        self.rule = rule
        self.on = on
        self.lengths = lengths
    }

    var rules: [String] { [rule] }
    var interests: Set<ConformanceInterest> { [on.interest] }

    mutating func see(_ event: borrowing ConformanceEvent, _ report: inout JudgeReport) {
        guard let value = on.match(event) else { return }
        if lengths.contains(value.bytes.count) { return report.pass(rule) }
        let expected =
            lengths.count == 1 ? "\(lengths.lowerBound)" : "\(lengths.lowerBound) to \(lengths.upperBound)"
        report.fail(rule, expected: "\(expected) bytes", observed: "\(value.bytes.count) bytes")
    }
}

/// `check`: something holds for every value.
struct CheckRule: ConformanceJudge {
    let rule: String
    let on: EventMatcher
    let condition: Expression

    init(_ rule: String, _ on: EventMatcher, _ condition: Expression) {
        self.rule = rule
        self.on = on
        self.condition = condition
    }

    var rules: [String] { [rule] }
    var interests: Set<ConformanceInterest> { [on.interest] }

    mutating func see(_ event: borrowing ConformanceEvent, _ report: inout JudgeReport) {
        guard let value = on.match(event) else { return }
        switch value.evaluate(condition) {
        case .boolean(true): report.pass(rule)
        case .boolean(false): report.fail(rule, expected: condition.text, observed: value.account(of: condition))
        default: report.inconclusive(rule, "not known: \(value.account(of: condition))")
        }
    }
}
