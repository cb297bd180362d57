/// Pairs of elements of two sequences that are in the same order in both, with losses on either side: the heaviest
/// increasing subsequence of the pairs that are possible.
enum OrderedMatching {
    struct Pair: Sendable, Hashable {
        /// Indices in the two sequences.
        let base: Int
        let other: Int
        /// Above zero.
        let weight: Int
    }

    /// The pairs with the largest sum of weights in which no element occurs twice and no two cross.
    static func best(_ possible: [Pair]) -> [Pair] {
        // With the same base, the later partner first: neither can follow the other.
        let pairs = possible.sorted { ($0.base, $1.other) < ($1.base, $0.other) }
        let others = Array(Set(pairs.map(\.other))).sorted()
        var ranks: [Int: Int] = [:]
        for (rank, other) in others.enumerated() { ranks[other] = rank }
        // A Fenwick tree of prefix maxima: the best chain that ends at a rank or below, by the index of its last pair.
        var tree = [Int](repeating: -1, count: others.count + 1)
        var sums = [Int](repeating: 0, count: pairs.count)
        var previous = [Int](repeating: -1, count: pairs.count)
        for index in pairs.indices {
            let rank = ranks[pairs[index].other, default: 0]
            var place = rank
            var before = -1
            while place > 0 {
                if tree[place] >= 0, before < 0 || sums[tree[place]] > sums[before] { before = tree[place] }
                place -= place & -place
            }
            previous[index] = before
            sums[index] = pairs[index].weight + (before < 0 ? 0 : sums[before])
            place = rank + 1
            while place < tree.count {
                if tree[place] < 0 || sums[index] > sums[tree[place]] { tree[place] = index }
                place += place & -place
            }
        }
        var chain: [Pair] = []
        var last = sums.indices.max { (sums[$0], $1) < (sums[$1], $0) } ?? -1
        while last >= 0 {
            chain.append(pairs[last])
            last = previous[last]
        }
        return chain.reversed()
    }
}
