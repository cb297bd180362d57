import PluginKit

/// A value of Activity Stats, as the command before it tells what it is.
enum ActivityValue: Sendable {
    case summary(ActivitySummary)
    case motion(MotionChunk)
    case backpack(BackpackChunk)
}

/// Answers 0x30.
struct ActivitySummary: Codable, Hashable, Sendable {
    /// Wake events that are kept.
    var motionCount: Int
    /// Backpack sessions that are kept.
    var backpackCount: Int

    /// Entries that a chunk holds, for each kind.
    static let motionChunk = 10
    static let backpackChunk = 5

    /// Chunks that hold so many entries; one that is empty for none.
    static func chunks(_ entries: Int, of size: Int) -> Int { max(1, (entries + size - 1) / size) }
}

/// Answers 0x31.
struct MotionChunk: Codable, Hashable, Sendable {
    struct Event: Codable, Hashable, Sendable {
        struct Sleep: Codable, Hashable, Sendable {
            var sleepType: Int
        }

        /// When the puck woke up, in seconds of its local epoch.
        var timestamp: Int
        var wakeReason: Int
        var sleep: Sleep
    }

    var chunkIndex: Int
    var totalChunks: Int
    var events: [Event]
}

/// Answers 0x32.
struct BackpackChunk: Codable, Hashable, Sendable {
    struct Session: Codable, Hashable, Sendable {
        /// Seconds of the puck's local epoch.
        var start: Int
        var exitReason: Int
        var flags: Int
    }

    var chunkIndex: Int
    var totalChunks: Int
    var sessions: [Session]
}
