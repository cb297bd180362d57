import PluginKit

/// A value of Activity Stats, as the command before it tells what it is.
enum ActivityValue: Sendable {
    case summary(ActivitySummary)
    case motion(MotionChunk)
    case backpack(BackpackChunk)
}

/// Answers 0x30 (section 8.2).
struct ActivitySummary: Codable, Hashable, Sendable {
    struct Flags: Codable, Hashable, Sendable {
        var timeValid: Bool
    }

    /// Wake events that are kept.
    var motionCount: Int
    /// Backpack sessions that are kept.
    var backpackCount: Int
    /// A session is open.
    var inBackpack: Bool
    var flags: Flags
    /// Seconds of the puck's local epoch; 0 when no session is open.
    var sessionStart: Int
    var timerWakes: Int

    /// Entries that a chunk holds, for each kind.
    static let motionChunk = 10
    static let backpackChunk = 5

    /// Chunks that hold so many entries; one that is empty for none.
    static func chunks(_ entries: Int, of size: Int) -> Int { max(1, (entries + size - 1) / size) }
}

/// Answers 0x31 (section 8.3).
struct MotionChunk: Codable, Hashable, Sendable {
    struct Event: Codable, Hashable, Sendable {
        struct Sleep: Codable, Hashable, Sendable {
            /// 0 normal, 1 extended.
            var sleepType: Int
            var drinkTaken: Bool
        }

        /// When the puck woke up, in seconds of its local epoch.
        var timestamp: Int
        /// Seconds awake, modulo 65536.
        var duration: Int
        /// 0 motion, 1 timer, 2 power-on.
        var wakeReason: Int
        var sleep: Sleep
    }

    var chunkIndex: Int
    var totalChunks: Int
    var eventCount: Int
    var events: [Event]
}

/// Answers 0x32 (section 8.4).
struct BackpackChunk: Codable, Hashable, Sendable {
    struct Session: Codable, Hashable, Sendable {
        /// Seconds of the puck's local epoch.
        var start: Int
        /// Seconds.
        var duration: Int
        var timerWakes: Int
        /// 0 motion.
        var exitReason: Int
        var flags: Int
    }

    var chunkIndex: Int
    var totalChunks: Int
    var sessionCount: Int
    var sessions: [Session]
}
