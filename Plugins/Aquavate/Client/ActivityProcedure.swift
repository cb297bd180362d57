import Bytes
import PluginKit

/// Fetches the activity statistics (section 8.5): the summary, then each chunk, one after the other.
struct ActivityProcedure: AppProcedure {
    let name = "activity"
    private(set) var deadline: Timestamp?
    /// Chunk requests still to be sent, the next one last.
    private var due: [PuckCommand] = []
    /// The last request: an answer does not contain its kind.
    private var asked = PuckCommand.Kind.getActivitySummary
    private var events: [DeviceProfile.WakeEvent] = []
    private var sessions: [DeviceProfile.BackpackSession] = []
    /// Whether it waits until all entries are on disk.
    private var isStoring = false

    private static let timeout = Duration.seconds(5)

    mutating func begin(at now: Timestamp, _ session: inout AppSession) -> ProcedureStep {
        ask(PuckCommand(opcode: asked), at: now, session)
    }

    mutating func take(_ input: ClientInput, at now: Timestamp, _ session: inout AppSession) -> ProcedureStep {
        if let fault = input.fault(at: .command) { return .done([TwinNote.failure(of: name, "\(fault)")]) }
        if case .committed(let outcome) = input, isStoring { return finish(outcome) }
        if let bytes = input.value(updateOf: .activityStats), !isStoring {
            take(bytes, session)
            if let next = due.popLast() { return ask(next, at: now, session) }
            isStoring = true
            deadline = nil
            return .goOn([.commit(PuckTables.activity(events, sessions, at: now))])
        }
        guard input == .time, let deadline, now >= deadline else { return .goOn() }
        return .done([TwinNote.failure(of: name, "no answer came")])
    }

    private func finish(_ outcome: Result<Int, StoreFault>) -> ProcedureStep {
        if case .failure(let fault) = outcome { return .done([TwinNote.failure(of: name, "\(fault)")]) }
        return .done([
            .event(TwinNote("activity", ["wake_events": .number(events.count), "sessions": .number(sessions.count)]))
        ])
    }

    private mutating func ask(_ command: PuckCommand, at now: Timestamp, _ session: AppSession) -> ProcedureStep {
        deadline = now + Self.timeout
        asked = command.kind ?? asked
        return .goOn([session.command(command)])
    }

    private mutating func take(_ bytes: [UInt8], _ session: AppSession) {
        switch asked {
        case .getMotionChunk:
            events += session.wire.value(of: bytes, as: .motionChunk, MotionChunk.self)?.events ?? []
        case .getBackpackChunk:
            sessions += session.wire.value(of: bytes, as: .backpackChunk, BackpackChunk.self)?.sessions ?? []
        default:
            if let summary = session.wire.value(of: bytes, as: .activitySummary, ActivitySummary.self) { plan(summary) }
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
