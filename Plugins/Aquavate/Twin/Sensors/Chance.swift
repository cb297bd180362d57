import Bytes

/// Random numbers of a puck, from its seed.
struct Chance: Sendable {
    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// Noise with a mean of 0 and this standard deviation. The sum of four uniform numbers is close to a normal
    /// distribution and never more than 3.5 deviations off.
    mutating func noise(_ deviation: Double) -> Double {
        guard deviation > 0 else { return 0 }
        var sum = -2.0
        for _ in 0..<4 { sum += Double.random(in: 0..<1, using: &random) }
        return sum * deviation * 3.0.squareRoot()
    }

    mutating func happens(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &random) < probability
    }

    mutating func number(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
}
