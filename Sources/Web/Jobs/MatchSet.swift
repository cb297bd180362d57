/// Packet numbers in ascending order, one bit per packet: a filter that matches all of ten million packets takes 1.4
/// MB.
struct MatchSet: Sendable {
    private var words: [UInt64] = []
    /// Number of matches before each block of words.
    private var ranks: [Int] = []
    private(set) var count = 0

    private static let block = 64

    /// Appends a number greater than all others.
    mutating func append(_ number: Int) {
        let word = number >> 6
        while words.count <= word {
            if words.count.isMultiple(of: Self.block) { ranks.append(count) }
            words.append(0)
        }
        words[word] |= 1 << UInt64(number & 63)
        count += 1
    }

    /// The number at an index, from 0; nil past the last one.
    subscript(index: Int) -> Int? {
        guard (0..<count).contains(index) else { return nil }
        var (low, high) = (0, ranks.count)
        while low < high {
            let middle = (low + high) / 2
            if ranks[middle] <= index { low = middle + 1 } else { high = middle }
        }
        var left = index - ranks[low - 1]
        for word in ((low - 1) * Self.block)..<words.count {
            let bits = words[word].nonzeroBitCount
            if left < bits {
                var rest = words[word]
                for _ in 0..<left { rest &= rest &- 1 }
                return word << 6 | rest.trailingZeroBitCount
            }
            left -= bits
        }
        return nil
    }

    /// Index of the first number that is `number` or higher; `count` if there is none.
    func index(from number: Int) -> Int {
        let word = max(0, number) >> 6
        guard word < words.count else { return count }
        let block = word / Self.block
        let whole = words[(block * Self.block)..<word].reduce(ranks[block]) { $0 + $1.nonzeroBitCount }
        return whole + (words[word] & ((1 << UInt64(max(0, number) & 63)) - 1)).nonzeroBitCount
    }
}
