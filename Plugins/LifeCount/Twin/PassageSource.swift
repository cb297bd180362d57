import Bytes
import Glibc

/// People who pass a counter by chance: at a mean rate, and never more of them out than are inside.
struct PassageSource: Sendable {
    private var random: SplitMix64
    /// Mean time from one passage to the next, in seconds; nil while nobody passes.
    private var pause: Double?
    /// When the next one passes; nil while nobody does.
    private(set) var next: Timestamp?

    /// Three years, in seconds.
    private static let longestPause = 1e8

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// From now on so many pass in a minute, on average.
    mutating func setRate(_ perMinute: Double, at now: Timestamp) {
        pause = perMinute > 0 ? min(60 / perMinute, Self.longestPause) : nil
        schedule(after: now)
    }

    /// The one who is due passes: +1 for in, -1 for out.
    mutating func pass(at now: Timestamp, inside: Int) -> Int {
        schedule(after: now)
        return inside > 0 && Bool.random(using: &random) ? -1 : 1
    }

    /// Times between passages that do not depend on each other are distributed exponentially.
    private mutating func schedule(after now: Timestamp) {
        next = pause.map { pause in
            let seconds = -log(1 - Double.random(in: 0..<1, using: &random)) * pause
            return now.advanced(nanoseconds: 1 + Int64(seconds * 1e9))
        }
    }
}
