import PluginKit

/// What a puck has told of its activity on a connection, where nothing can be added to it as long as the puck is awake
/// (section 8).
struct KnownActivity: Sendable {
    /// Requests that have no answer yet, the oldest first.
    private var asked: [PuckCommand] = []
    private(set) var summary: ActivitySummary?
    private var motion: [Int: MotionChunk] = [:]
    private var backpack: [Int: BackpackChunk] = [:]

    private static let askedLimit = 64

    /// A client asks; before the summary is known, there may be as many entries as fit.
    mutating func ask(_ command: PuckCommand, _ board: inout Board) {
        if asked.count < Self.askedLimit, isAnswered(command) { asked.append(command) }
        board.activity.follow(events: summary?.motionCount ?? .max, sessions: summary?.backpackCount ?? .max)
    }

    private func isAnswered(_ command: PuckCommand) -> Bool {
        let chunks: Int
        switch command.kind {
        case .getMotionChunk:
            chunks = ActivitySummary.chunks(summary?.motionCount ?? 100, of: ActivitySummary.motionChunk)
        case .getBackpackChunk:
            chunks = ActivitySummary.chunks(summary?.backpackCount ?? 20, of: ActivitySummary.backpackChunk)
        default: return true
        }
        return (command.chunk ?? 0) < chunks
    }

    /// The oldest request is not answered: why that may be right.
    mutating func miss() -> String? {
        let command = asked.isEmpty ? nil : asked.removeFirst()
        guard command?.kind != .getSummary, summary == nil else { return nil }
        return "how many chunks there are is not known"
    }

    /// What should have been told in place of a value.
    mutating func adopt(_ bytes: [UInt8], _ wire: PuckWire) -> [UInt8]? {
        guard let command = asked.first else { return nil }
        asked.removeFirst()
        let index = command.chunk ?? 0
        switch command.kind {
        case .getMotionChunk:
            guard let told = wire.value(of: bytes, as: .motionChunk, MotionChunk.self) else { return [] }
            let wanted = motion[index] ?? chunk(told, index)
            motion[index] = wanted
            return wire.bytes(wanted, as: .motionChunk)
        case .getBackpackChunk:
            guard let told = wire.value(of: bytes, as: .backpackChunk, BackpackChunk.self) else { return [] }
            let wanted = backpack[index] ?? chunk(told, index)
            backpack[index] = wanted
            return wire.bytes(wanted, as: .backpackChunk)
        default:
            guard let told = wire.value(of: bytes, as: .activitySummary, ActivitySummary.self) else { return [] }
            var wanted = summary ?? told
            wanted.flags = told.flags
            if !wanted.inBackpack { wanted.sessionStart = 0 }
            summary = wanted
            return wire.bytes(wanted, as: .activitySummary)
        }
    }

    private func chunk(_ told: MotionChunk, _ index: Int) -> MotionChunk {
        var wanted = told
        wanted.chunkIndex = index
        guard let count = summary?.motionCount else { return wanted }
        wanted.totalChunks = ActivitySummary.chunks(count, of: ActivitySummary.motionChunk)
        wanted.eventCount = min(ActivitySummary.motionChunk, max(0, count - index * ActivitySummary.motionChunk))
        return wanted
    }

    private func chunk(_ told: BackpackChunk, _ index: Int) -> BackpackChunk {
        var wanted = told
        wanted.chunkIndex = index
        guard let count = summary?.backpackCount else { return wanted }
        wanted.totalChunks = ActivitySummary.chunks(count, of: ActivitySummary.backpackChunk)
        wanted.sessionCount = min(ActivitySummary.backpackChunk, max(0, count - index * ActivitySummary.backpackChunk))
        return wanted
    }
}

/// Activity Stats.
extension ShippedOracle {
    mutating func adoptActivity(_ shown: ShownValue) -> Expectation {
        guard shown.operation == .notify else { return .value(shown.bytes) }
        guard shown.predicted != nil else { return .nothing("no request asks for it") }
        guard var wanted = known.activity.adopt(shown.bytes, board.wire) else { return .value(shown.bytes) }
        if wanted.isEmpty { wanted = shown.predicted ?? [] }
        return .value(wanted)
    }
}
