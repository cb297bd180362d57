import Bluetooth
import PluginKit

/// Activity that a puck has reported on a connection. Its log does not grow while the puck is awake (section 8).
struct KnownActivity: Sendable {
    /// Requests without an answer yet, oldest first.
    private var asked: [PuckCommand] = []
    private(set) var summary: ActivitySummary?
    private var motion: [Int: MotionChunk] = [:]
    private var backpack: [Int: BackpackChunk] = [:]

    private static let askedLimit = 64

    /// Records a client's request. Until the summary is known, the log is assumed to be full.
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

    /// Drops the oldest request, which was not answered; returns a reason if that may be correct.
    mutating func miss() -> String? {
        let command = asked.isEmpty ? nil : asked.removeFirst()
        guard command?.kind != .getActivitySummary, summary == nil else { return nil }
        return "how many chunks there are is not known"
    }

    /// The expected value of a notification; nil without a pending request, empty if it cannot be decoded.
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
            guard let reported = wire.value(of: bytes, as: .activitySummary, ActivitySummary.self) else { return [] }
            var wanted = summary ?? reported
            wanted.flags = reported.flags
            wanted.reserved = 0
            if !wanted.inBackpack { wanted.sessionStart = 0 }
            summary = wanted
            return wire.bytes(wanted, as: .activitySummary)
        }
    }

    /// The expected chunk: the one notified before, else the notified one with the counts that follow from the number
    /// of entries; empty if it cannot be decoded.
    private static func adopt<Chunk: ActivityChunk>(
        _ bytes: [UInt8], as kind: PuckWire.Kind, _ index: Int, of entries: Int?, _ known: inout [Int: Chunk],
        _ wire: PuckWire
    ) -> [UInt8] {
        guard var reported = wire.value(of: bytes, as: kind, Chunk.self) else { return [] }
        reported.chunkIndex = index
        reported.reserved = 0
        if let entries {
            reported.totalChunks = Chunk.chunks(of: entries)
            reported.count = min(Chunk.capacity, max(0, entries - index * Chunk.capacity))
        }
        let wanted = known[index] ?? reported
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
