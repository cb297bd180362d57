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

    /// Chunks of the kind that a command asks for.
    func chunks(for kind: PuckCommand.Kind?) -> Int {
        kind == .getMotionChunk ? MotionChunk.chunks(of: motionCount) : BackpackChunk.chunks(of: backpackCount)
    }
}

/// Some of the entries of one kind: as many as it can hold, of the last chunk what is left.
protocol ActivityChunk: Codable {
    /// Entries that it can hold.
    static var capacity: Int { get }

    var chunkIndex: Int { get set }
    var totalChunks: Int { get set }
    /// Entries that it holds.
    var count: Int { get set }
}

extension ActivityChunk {
    /// Chunks that hold so many entries; one that is empty for none.
    static func chunks(of entries: Int) -> Int { max(1, (entries + capacity - 1) / capacity) }
}

/// Answers 0x31 (section 8.3).
struct MotionChunk: ActivityChunk, Hashable, Sendable {
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

    static let capacity = 10
    var count: Int {
        get { eventCount }
        set { eventCount = newValue }
    }
}

/// Answers 0x32 (section 8.4).
struct BackpackChunk: ActivityChunk, Hashable, Sendable {
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

    static let capacity = 5
    var count: Int {
        get { sessionCount }
        set { sessionCount = newValue }
    }
}
