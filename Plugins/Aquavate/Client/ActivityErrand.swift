import Bytes
import PluginKit

/// Fetches the activity statistics (section 8.5): the summary, then each chunk, one after the other.
struct ActivityErrand: Errand {
    let name = "activity"
    private(set) var deadline: Timestamp?
    /// Chunks still to be asked for, the next one last.
    private var due: [PuckCommand] = []
    /// What was asked for last: nothing in an answer tells its kind.
    private var asked = PuckCommand.Kind.getActivitySummary
    private var events = 0
    private var sessions = 0

    private static let timeout = Duration.seconds(5)

    mutating func begin(at now: Timestamp, _ visit: inout Visit) -> ErrandStep {
        ask(PuckCommand(opcode: asked), at: now, visit)
    }

    mutating func take(_ input: ClientInput, at now: Timestamp, _ visit: inout Visit) -> ErrandStep {
        if let fault = input.fault(at: .command) { return .done([TwinNote.failure(of: name, "\(fault)")]) }
        if let bytes = input.value(toldOf: .activityStats) {
            take(bytes, visit)
            guard let next = due.popLast() else {
                return .done([
                    .tell(TwinNote("activity", ["wake_events": .number(events), "sessions": .number(sessions)]))
                ])
            }
            return ask(next, at: now, visit)
        }
        guard input == .time, let deadline, now >= deadline else { return .goOn() }
        return .done([TwinNote.failure(of: name, "no answer came")])
    }

    private mutating func ask(_ command: PuckCommand, at now: Timestamp, _ visit: Visit) -> ErrandStep {
        deadline = now + Self.timeout
        asked = command.kind ?? asked
        return .goOn([visit.command(command)])
    }

    private mutating func take(_ bytes: [UInt8], _ visit: Visit) {
        switch asked {
        case .getMotionChunk:
            events += visit.wire.value(of: bytes, as: .motionChunk, MotionChunk.self)?.events.count ?? 0
        case .getBackpackChunk:
            sessions += visit.wire.value(of: bytes, as: .backpackChunk, BackpackChunk.self)?.sessions.count ?? 0
        default:
            if let summary = visit.wire.value(of: bytes, as: .activitySummary, ActivitySummary.self) { plan(summary) }
        }
    }

    private mutating func plan(_ summary: ActivitySummary) {
        func commands(_ kind: PuckCommand.Kind, _ entries: Int, of size: Int) -> [PuckCommand] {
            (0..<(entries + size - 1) / size).map { PuckCommand(opcode: kind, chunk: $0) }
        }
        due =
            (commands(.getMotionChunk, summary.motionCount, of: MotionChunk.capacity)
            + commands(.getBackpackChunk, summary.backpackCount, of: BackpackChunk.capacity)).reversed()
    }
}
