import Bytes

/// How long a gateway waits until it tries again: 1 s, 2 s, 4 s and so on to 60 s, each up to a fifth more or less.
struct BackOff: Sendable {
    private var random: SplitMix64
    /// The next wait in seconds, before chance.
    private var seconds = shortest

    private static let shortest = 1.0
    private static let longest = 60.0
    private static let jitter = 0.8...1.2

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    mutating func next() -> Duration {
        defer { seconds = min(seconds * 2, Self.longest) }
        return .seconds(seconds * Double.random(in: Self.jitter, using: &random))
    }

    /// A connection has held: the next wait is the shortest again.
    mutating func reset() { seconds = Self.shortest }
}
