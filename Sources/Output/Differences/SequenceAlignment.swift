/// A longest common subsequence of two sequences of numbers, in linear space, by Myers' algorithm: "An O(ND) Difference
/// Algorithm and Its Variations", 1986.
///
/// Sequences that differ much are split where the search has come furthest, so that time is bounded too: then the common
/// subsequence may not be the longest one.
package struct SequenceAlignment {
    private let one: [Int]
    private let other: [Int]
    /// The largest number of differences that the search for one split looks for.
    private let costLimit: Int
    /// The furthest places of paths from the beginning and from the end, by diagonal.
    private var forward: [Int]
    private var backward: [Int]
    private let origin: Int
    private var matches: [(Int, Int)] = []

    /// Differences that a search for one split looks for, by default.
    package static let usualCostLimit = 2048

    /// The indices of the elements that the sequences have in common, in order.
    package static func matches(
        of one: [Int], _ other: [Int], costLimit: Int = usualCostLimit
    ) -> [(one: Int, other: Int)] {
        var alignment = SequenceAlignment(one, other, max(1, costLimit))
        alignment.alignAll()
        return alignment.matches.map { (one: $0.0, other: $0.1) }
    }

    private init(_ one: [Int], _ other: [Int], _ costLimit: Int) {
        (self.one, self.other, self.costLimit) = (one, other, costLimit)
        let diagonals = one.count + other.count + 3
        forward = [Int](repeating: -1, count: diagonals)
        backward = [Int](repeating: -1, count: diagonals)
        origin = other.count + 1
    }

    /// A part of both sequences.
    private struct Box {
        var one: Range<Int>
        var other: Range<Int>
    }

    private mutating func alignAll() {
        // The parts that are still to be aligned; the next one is last.
        var boxes = [Box(one: 0..<one.count, other: 0..<other.count)]
        // Ends of boxes are aligned at once, so matches come out of order.
        while let box = boxes.popLast() {
            let rest = trim(box)
            guard !rest.one.isEmpty, !rest.other.isEmpty else { continue }
            let (x, y) = split(rest)
            boxes.append(Box(one: x..<rest.one.upperBound, other: y..<rest.other.upperBound))
            boxes.append(Box(one: rest.one.lowerBound..<x, other: rest.other.lowerBound..<y))
        }
        matches.sort { $0.0 < $1.0 }
    }

    /// Matches the equal elements at the beginning and at the end of a box, and returns the box between them.
    private mutating func trim(_ box: Box) -> Box {
        var (low, lowOther) = (box.one.lowerBound, box.other.lowerBound)
        var (high, highOther) = (box.one.upperBound, box.other.upperBound)
        while low < high, lowOther < highOther, one[low] == other[lowOther] {
            matches.append((low, lowOther))
            low += 1
            lowOther += 1
        }
        while low < high, lowOther < highOther, one[high - 1] == other[highOther - 1] {
            high -= 1
            highOther -= 1
            matches.append((high, highOther))
        }
        return Box(one: low..<high, other: lowOther..<highOther)
    }

    /// A point on a shortest path through a box, or on one that has come far when the cost limit is reached. Neither the
    /// first nor the last elements of the box are equal.
    private mutating func split(_ box: Box) -> (Int, Int) {
        let (left, right) = (box.one.lowerBound, box.one.upperBound)
        let (top, bottom) = (box.other.lowerBound, box.other.upperBound)
        // Diagonals inside the box; a diagonal is the index in one sequence minus that in the other.
        let (least, most) = (left - bottom, right - top)
        let (first, last) = (left - top, right - bottom)
        let isOdd = (first - last) & 1 != 0
        var (forwardLow, forwardHigh) = (first, first)
        var (backwardLow, backwardHigh) = (last, last)
        forward[origin + first] = left
        backward[origin + last] = right
        var cost = 0
        while true {
            cost += 1
            // Forward by one difference.
            if forwardLow > least {
                forwardLow -= 1
                forward[origin + forwardLow - 1] = -1
            } else {
                forwardLow += 1
            }
            if forwardHigh < most {
                forwardHigh += 1
                forward[origin + forwardHigh + 1] = -1
            } else {
                forwardHigh -= 1
            }
            for diagonal in stride(from: forwardHigh, through: forwardLow, by: -2) {
                let (before, after) = (forward[origin + diagonal - 1], forward[origin + diagonal + 1])
                var x = before >= after ? before + 1 : after
                var y = x - diagonal
                while x < right, y < bottom, one[x] == other[y] {
                    x += 1
                    y += 1
                }
                forward[origin + diagonal] = x
                if isOdd, diagonal >= backwardLow, diagonal <= backwardHigh,
                    backward[origin + diagonal] <= x
                {
                    return (x, y)
                }
            }
            // Backward by one difference.
            if backwardLow > least {
                backwardLow -= 1
                backward[origin + backwardLow - 1] = Int.max
            } else {
                backwardLow += 1
            }
            if backwardHigh < most {
                backwardHigh += 1
                backward[origin + backwardHigh + 1] = Int.max
            } else {
                backwardHigh -= 1
            }
            for diagonal in stride(from: backwardHigh, through: backwardLow, by: -2) {
                let (before, after) = (backward[origin + diagonal - 1], backward[origin + diagonal + 1])
                var x = before < after ? before : after - 1
                var y = x - diagonal
                while x > left, y > top, one[x - 1] == other[y - 1] {
                    x -= 1
                    y -= 1
                }
                backward[origin + diagonal] = x
                if !isOdd, diagonal >= forwardLow, diagonal <= forwardHigh,
                    x <= forward[origin + diagonal]
                {
                    return (x, y)
                }
            }
            if cost >= costLimit {
                return furthest(box, (forwardLow, forwardHigh), (backwardLow, backwardHigh))
            }
        }
    }

    /// The place that a path has come to furthest, from the beginning or from the end.
    private func furthest(
        _ box: Box, _ forwards: (low: Int, high: Int), _ backwards: (low: Int, high: Int)
    ) -> (Int, Int) {
        let (left, right) = (box.one.lowerBound, box.one.upperBound)
        let (top, bottom) = (box.other.lowerBound, box.other.upperBound)
        var (best, bestBack) = ((left, top), (right, bottom))
        for diagonal in stride(from: forwards.high, through: forwards.low, by: -2) {
            var x = min(forward[origin + diagonal], right)
            var y = x - diagonal
            if y > bottom { (x, y) = (bottom + diagonal, bottom) }
            if x >= left, y >= top, x + y > best.0 + best.1 { best = (x, y) }
        }
        for diagonal in stride(from: backwards.high, through: backwards.low, by: -2) {
            var x = max(backward[origin + diagonal], left)
            var y = x - diagonal
            if y < top { (x, y) = (top + diagonal, top) }
            if x <= right, y <= bottom, x + y < bestBack.0 + bestBack.1 { bestBack = (x, y) }
        }
        let (way, wayBack) = (best.0 + best.1 - left - top, right + bottom - bestBack.0 - bestBack.1)
        return way >= wayBack ? best : bestBack
    }
}
