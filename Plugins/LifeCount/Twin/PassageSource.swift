import Bytes
import Glibc

/// People who pass a counter at random: at a mean rate, and never more of them out than are inside.
struct PassageSource: Sendable {
    private var random: SplitMix64
    /// Mean time between passages, in seconds; nil while nobody passes.
    private var pause: Double?
    /// Time of the next passage; nil while nobody passes.
    private(set) var next: Timestamp?

    /// Three years, in seconds.
    private static let longestPause = 1e8

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// Sets the mean number of passages per minute.
    mutating func setRate(_ perMinute: Double, at now: Timestamp) {
        pause = perMinute > 0 ? min(60 / perMinute, Self.longestPause) : nil
        schedule(after: now)
    }

    /// Makes the passage that is due; returns +1 for in, -1 for out.
    mutating func pass(at now: Timestamp, inside: Int) -> Int {
        schedule(after: now)
        return inside > 0 && Bool.random(using: &random) ? -1 : 1
    }

    /// Independent passages have exponentially distributed intervals.
    private mutating func schedule(after now: Timestamp) {
        next = pause.map { pause in
            let seconds = -log(1 - Double.random(in: 0..<1, using: &random)) * pause
            return now.advanced(nanoseconds: 1 + Int64(seconds * 1e9))
        }
    }
}
