import Bluetooth
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
        let index = command.chunk ?? 0
        return switch command.kind {
        case .getMotionChunk: index < MotionChunk.chunks(of: summary?.motionCount ?? ActivityLog.eventLimit)
        case .getBackpackChunk: index < BackpackChunk.chunks(of: summary?.backpackCount ?? ActivityLog.sessionLimit)
        default: true
        }
    }

    /// The oldest request is not answered: why that may be right.
    mutating func miss() -> String? {
        let command = asked.isEmpty ? nil : asked.removeFirst()
        guard command?.kind != .getActivitySummary, summary == nil else { return nil }
        return "how many chunks there are is not known"
    }

    /// What should have been told in place of a value.
    mutating func adopt(_ bytes: [UInt8], _ wire: PuckWire) -> [UInt8]? {
        guard let command = asked.first else { return nil }
        asked.removeFirst()
        let index = command.chunk ?? 0
        switch command.kind {
        case .getMotionChunk:
            return Self.adopt(bytes, as: .motionChunk, index, of: summary?.motionCount, &motion, wire)
        case .getBackpackChunk:
            return Self.adopt(bytes, as: .backpackChunk, index, of: summary?.backpackCount, &backpack, wire)
        default:
            guard let told = wire.value(of: bytes, as: .activitySummary, ActivitySummary.self) else { return [] }
            var wanted = summary ?? told
            wanted.flags = told.flags
            wanted.reserved = 0
            if !wanted.inBackpack { wanted.sessionStart = 0 }
            summary = wanted
            return wire.bytes(wanted, as: .activitySummary)
        }
    }

    /// What should have been told in place of a chunk: what was told before, else the same with the numbers that follow
    /// from how many entries there are.
    private static func adopt<Chunk: ActivityChunk>(
        _ bytes: [UInt8], as kind: PuckWire.Kind, _ index: Int, of entries: Int?, _ known: inout [Int: Chunk],
        _ wire: PuckWire
    ) -> [UInt8] {
        guard var told = wire.value(of: bytes, as: kind, Chunk.self) else { return [] }
        told.chunkIndex = index
        told.reserved = 0
        if let entries {
            told.totalChunks = Chunk.chunks(of: entries)
            told.count = min(Chunk.capacity, max(0, entries - index * Chunk.capacity))
        }
        let wanted = known[index] ?? told
        known[index] = wanted
        return wire.bytes(wanted, as: kind)
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
