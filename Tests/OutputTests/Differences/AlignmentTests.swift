import Bytes
import Output
import Testing

/// Sequences are aligned in linear space: the result is a common subsequence, and a longest one unless the cost limit ends
/// the search.
struct AlignmentTests {
    /// The length of a longest common subsequence, by its definition.
    private static func longest(_ one: [Int], _ other: [Int]) -> Int {
        var above = [Int](repeating: 0, count: other.count + 1)
        for element in one {
            var row = [0]
            for (column, partner) in other.enumerated() {
                row.append(element == partner ? above[column] + 1 : max(above[column + 1], row[column]))
            }
            above = row
        }
        return above[other.count]
    }

    private static func random(_ kinds: Int, _ random: inout SplitMix64) -> [Int] {
        (0..<Int.random(in: 0..<16, using: &random)).map { _ in Int.random(in: 0..<kinds, using: &random) }
    }

    @Test(arguments: [1, 2, 3, 5, 20])
    func theCommonSubsequenceIsALongestOne(kinds: Int) {
        var random = SplitMix64(seed: UInt64(kinds))
        for _ in 0..<400 {
            let (one, other) = (Self.random(kinds, &random), Self.random(kinds, &random))
            let matches = SequenceAlignment.matches(of: one, other)
            #expect(matches.count == Self.longest(one, other), "\(one) \(other)")
            #expect(isCommon(matches, one, other), "\(one) \(other)")
        }
    }

    /// A search that is cut short finds a common subsequence, if not a longest one.
    @Test(arguments: [1, 2, 3])
    func aCostLimitEndsTheSearch(limit: Int) {
        var random = SplitMix64(seed: UInt64(limit))
        for _ in 0..<400 {
            let (one, other) = (Self.random(3, &random), Self.random(3, &random))
            #expect(
                isCommon(SequenceAlignment.matches(of: one, other, costLimit: limit), one, other), "\(one) \(other)")
        }
    }

    private func isCommon(_ matches: [(one: Int, other: Int)], _ one: [Int], _ other: [Int]) -> Bool {
        matches.allSatisfy { one[$0.one] == other[$0.other] }
            && zip(matches, matches.dropFirst()).allSatisfy { $0.one < $1.one && $0.other < $1.other }
    }

    /// Tokens of notifications of one characteristic with these values.
    private func series(_ values: [Int], identity: Int = 1) -> [ProcedureAlignment.Token] {
        values.map { ProcedureAlignment.Token(identity: identity, content: 1000 * identity + $0) }
    }

    /// Pairs as text: `0-0 1-2`.
    private func pairs(_ one: [ProcedureAlignment.Token], _ other: [ProcedureAlignment.Token]) -> String {
        ProcedureAlignment.matches(of: one, other).map { "\($0.one)-\($0.other)" }.joined(separator: " ")
    }

    @Test func aMissingNotificationDoesNotShiftTheValuesAfterIt() {
        #expect(pairs(series([1, 2, 3, 4, 5]), series([1, 2, 4, 5])) == "0-0 1-1 3-2 4-3")
    }

    @Test func aChangedValueStaysAtItsPlace() {
        #expect(pairs(series([5, 5]), series([6, 5])) == "0-0 1-1")
        #expect(pairs(series([1, 2, 3]), series([4, 5, 6])) == "0-0 1-1 2-2")
    }

    @Test func proceduresOfDifferentIdentitiesNeverCorrespond() {
        #expect(pairs(series([1, 2], identity: 1), series([1, 2], identity: 2)) == "")
    }

    /// Long sequences are divided at runs that are equal in all; each part is aligned on its own.
    @Test func longSequencesAreDivided() {
        var random = SplitMix64(seed: 7)
        let one = series((0..<6000).map { _ in Int.random(in: 0..<50, using: &random) })
        var other = one
        other.remove(at: 4500)
        other.insert(contentsOf: series([900, 901, 902], identity: 2), at: 3000)
        other[10] = series([999])[0]
        let matches = ProcedureAlignment.matches(of: one, other)
        #expect(matches.count == 5999)
        #expect(matches.count { one[$0.one] != other[$0.other] } == 1)
        #expect(zip(matches, matches.dropFirst()).allSatisfy { $0.one < $1.one && $0.other < $1.other })
    }

    /// Sequences without a run in common: the identities alone are aligned.
    @Test func longSequencesOfOtherValuesAreAlignedByIdentity() {
        let one = (0..<3000).map { ProcedureAlignment.Token(identity: $0 % 7, content: $0) }
        let other = (0..<3000).map { ProcedureAlignment.Token(identity: $0 % 7, content: 10_000 + $0) }
        #expect(ProcedureAlignment.matches(of: one, other).allSatisfy { $0.one == $0.other })
        #expect(ProcedureAlignment.matches(of: one, other).count == 3000)
    }
}
