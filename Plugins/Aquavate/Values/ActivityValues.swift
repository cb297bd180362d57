/// A value of Activity Stats; its kind follows from the command before it.
enum ActivityValue: Sendable {
    case summary(ActivitySummary)
    case motion(MotionChunk)
    case backpack(BackpackChunk)
}

/// Answers 0x30 (section 8.2).
typealias ActivitySummary = DeviceProfile.ActivitySummary
/// Answers 0x31 (section 8.3).
typealias MotionChunk = DeviceProfile.MotionChunk
/// Answers 0x32 (section 8.4).
typealias BackpackChunk = DeviceProfile.BackpackChunk

extension ActivitySummary {
    /// Number of chunks of the kind that a command requests.
    func chunks(for kind: PuckCommand.Kind?) -> Int {
        kind == .getMotionChunk ? MotionChunk.chunks(of: motionCount) : BackpackChunk.chunks(of: backpackCount)
    }
}

/// Entries of one kind: as many as fit, fewer in the last chunk.
protocol ActivityChunk: Codable {
    /// Maximum number of entries.
    static var capacity: Int { get }

    var chunkIndex: Int { get set }
    var totalChunks: Int { get set }
    var reserved: Int { get set }
    var count: Int { get set }
}

extension ActivityChunk {
    /// Number of chunks for a number of entries; one empty chunk for none.
    static func chunks(of entries: Int) -> Int { max(1, (entries + capacity - 1) / capacity) }
}

extension MotionChunk: ActivityChunk {
    static let capacity = 10
    var count: Int {
        get { eventCount }
        set { eventCount = newValue }
    }
}

extension BackpackChunk: ActivityChunk {
    static let capacity = 5
    var count: Int {
        get { sessionCount }
        set { sessionCount = newValue }
    }
}
