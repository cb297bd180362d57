import Bytes

/// Back-off of a gateway's retries: 1 s, 2 s, 4 s and so on to 60 s, each with a random deviation of up to a fifth.
struct BackOff: Sendable {
    private var random: SplitMix64
    /// The next wait in seconds, without jitter.
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

    /// Restarts with the shortest wait, after a connection that has held.
    mutating func reset() { seconds = Self.shortest }
}
