/// A value of Activity Stats, as the command before it tells what it is.
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
    var reserved: Int { get set }
    /// Entries that it holds.
    var count: Int { get set }
}

extension ActivityChunk {
    /// Chunks that hold so many entries; one that is empty for none.
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
