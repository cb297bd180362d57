import Bytes

/// All that is left to chance in a puck, from its seed.
struct Chance: Sendable {
    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// Noise of a mean of 0 and this standard deviation: a sum of four even ones, which is near enough to a normal one and
    /// never further off than 3.5 of them.
    mutating func noise(_ deviation: Double) -> Double {
        guard deviation > 0 else { return 0 }
        var sum = -2.0
        for _ in 0..<4 { sum += Double.random(in: 0..<1, using: &random) }
        return sum * deviation * 3.0.squareRoot()
    }

    /// Whether something of this probability happens.
    mutating func happens(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &random) < probability
    }

    /// A number of a range.
    mutating func number(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
}
