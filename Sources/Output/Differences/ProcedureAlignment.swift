/// The procedures of two connections that correspond: a procedure that only one connection has does not shift those after
/// it.
///
/// Corresponding procedures have equal identities. Among them, those with equal values are preferred, so that a
/// notification that is missing in a series does not shift the values after it.
package struct ProcedureAlignment {
    /// A procedure as a number for its identity, and one for its identity with values and outcome.
    package struct Token: Hashable, Sendable {
        var identity: Int
        var content: Int

        package init(identity: Int, content: Int) { (self.identity, self.content) = (identity, content) }
    }

    private let one: [Token]
    private let other: [Token]
    private var matches: [(one: Int, other: Int)] = []

    /// Pairs of procedures up to which the best alignment is computed; it takes a byte for each.
    private static let pairLimit = 1 << 22
    /// Procedures in a row that are equal in all, so that longer sequences can be divided there.
    private static let anchorLength = 4
    /// Weights of two procedures that are equal in all, and of two that differ in values or in the outcome.
    private static let (equal, similar): (Int32, Int32) = (5, 3)

    /// Indices of corresponding procedures, in order.
    package static func matches(of one: [Token], _ other: [Token]) -> [(one: Int, other: Int)] {
        var alignment = ProcedureAlignment(one: one, other: other)
        alignment.align(0..<one.count, 0..<other.count, isDivided: false)
        return alignment.matches
    }

    private init(one: [Token], other: [Token]) {
        (self.one, self.other) = (one, other)
    }

    /// Aligns a part of both sequences, and appends its matches.
    private mutating func align(_ range: Range<Int>, _ otherRange: Range<Int>, isDivided: Bool) {
        var (range, otherRange) = (range, otherRange)
        while let first = range.first, let second = otherRange.first, one[first] == other[second] {
            matches.append((first, second))
            range = (first + 1)..<range.upperBound
            otherRange = (second + 1)..<otherRange.upperBound
        }
        var tail: [(one: Int, other: Int)] = []
        while let last = range.last, let second = otherRange.last, one[last] == other[second] {
            tail.append((last, second))
            range = range.dropLast()
            otherRange = otherRange.dropLast()
        }
        if !range.isEmpty, !otherRange.isEmpty {
            let (pairs, isTooLarge) = range.count.multipliedReportingOverflow(by: otherRange.count)
            if !isTooLarge, pairs <= Self.pairLimit {
                alignBest(range, otherRange)
            } else if isDivided {
                alignIdentities(range, otherRange)
            } else {
                divide(range, otherRange)
            }
        }
        matches += tail.reversed()
    }

    /// Divides a long part at runs of equal procedures.
    private mutating func divide(_ range: Range<Int>, _ otherRange: Range<Int>) {
        let equal = SequenceAlignment.matches(of: one[range].map(\.content), other[otherRange].map(\.content))
        var (next, nextOther) = (range.lowerBound, otherRange.lowerBound)
        var index = 0
        while index < equal.count {
            var end = index + 1
            while end < equal.count, equal[end].one == equal[end - 1].one + 1,
                equal[end].other == equal[end - 1].other + 1
            {
                end += 1
            }
            if end - index >= Self.anchorLength {
                let (first, second) = (range.lowerBound + equal[index].one, otherRange.lowerBound + equal[index].other)
                align(next..<first, nextOther..<second, isDivided: true)
                for place in 0..<(end - index) { matches.append((first + place, second + place)) }
                (next, nextOther) = (first + end - index, second + end - index)
            }
            index = end
        }
        align(next..<range.upperBound, nextOther..<otherRange.upperBound, isDivided: true)
    }

    private mutating func alignIdentities(_ range: Range<Int>, _ otherRange: Range<Int>) {
        let equal = SequenceAlignment.matches(of: one[range].map(\.identity), other[otherRange].map(\.identity))
        matches += equal.map { (range.lowerBound + $0.one, otherRange.lowerBound + $0.other) }
    }

    /// How the best alignment of two beginnings ends.
    private enum Step: UInt8 {
        case match, skipOne, skipOther
    }

    /// Finds the alignment with the largest weight (Needleman and Wunsch, 1970).
    private mutating func alignBest(_ range: Range<Int>, _ otherRange: Range<Int>) {
        let width = otherRange.count
        var steps = [Step](repeating: .skipOne, count: range.count * width)
        var above = [Int32](repeating: 0, count: width + 1)
        var weights = above
        for row in 0..<range.count {
            let token = one[range.lowerBound + row]
            for column in 0..<width {
                let partner = other[otherRange.lowerBound + column]
                var (best, step) = (above[column + 1], Step.skipOne)
                if weights[column] > best { (best, step) = (weights[column], .skipOther) }
                if token.identity == partner.identity {
                    let weight = above[column] + (token.content == partner.content ? Self.equal : Self.similar)
                    if weight >= best { (best, step) = (weight, .match) }
                }
                weights[column + 1] = best
                steps[row * width + column] = step
            }
            swap(&above, &weights)
        }
        var found: [(one: Int, other: Int)] = []
        var (row, column) = (range.count - 1, width - 1)
        while row >= 0, column >= 0 {
            switch steps[row * width + column] {
            case .match:
                found.append((range.lowerBound + row, otherRange.lowerBound + column))
                row -= 1
                column -= 1
            case .skipOne: row -= 1
            case .skipOther: column -= 1
            }
        }
        matches += found.reversed()
    }
}
