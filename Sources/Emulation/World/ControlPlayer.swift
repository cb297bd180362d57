package import Bytes
package import PluginKit
package import Profile

/// Goes through the steps that another program asks for, side by side: each begins when it comes, and none waits for
/// another.
package struct ControlPlayer: Sendable {
    /// What came of a request.
    package struct Outcome: Sendable {
        /// As JSON.
        package var id: String
        /// What was expected in vain, or came and must not.
        package var failures: [ScenarioPlayer.Failure]
        /// What was expected and came.
        package var event: (event: EmulationEvent, source: Scenario.Event.Source, time: Timestamp)?
    }

    private var log: EventLog
    private var steps: [(id: String, player: StepPlayer)] = []
    private var start: Timestamp?
    private var outcomes: [Outcome] = []

    package init(_ profile: CompiledProfile) {
        log = EventLog(profile)
    }

    /// Whether every request has its outcome.
    package var isIdle: Bool { steps.isEmpty }

    package var deadline: Timestamp? { steps.compactMap(\.player.deadline).min() }

    /// Whether its steps wait for nothing but time, and not for something to happen.
    package var onlyTimeIsMissing: Bool { !steps.isEmpty && steps.allSatisfy(\.player.onlyTimeIsMissing) }

    /// The device can be found: what was asked for before is done now.
    package mutating func begin(at now: Timestamp) -> [Scenario.Action] {
        start = now
        return proceed(at: now)
    }

    /// Adds a request; returns what is to be done now.
    package mutating func add(_ step: Scenario.Step, id: String, at now: Timestamp) -> [Scenario.Action] {
        steps.append((id, StepPlayer(step, file: "control")))
        return proceed(from: steps.count - 1, at: now)
    }

    /// Something has happened; returns what is to be done now.
    package mutating func take(
        _ event: EmulationEvent, from source: Scenario.Event.Source, at now: Timestamp
    ) -> [Scenario.Action] {
        guard start != nil else { return [] }
        log.append(event, from: source, at: now)
        return proceed(at: now)
    }

    /// Time has passed; returns what is to be done now.
    package mutating func expire(at now: Timestamp) -> [Scenario.Action] {
        guard let deadline, deadline <= now else { return [] }
        return proceed(at: now)
    }

    /// The outcomes since the last call.
    package mutating func takeOutcomes() -> [Outcome] {
        defer { outcomes = [] }
        return outcomes
    }

    private mutating func proceed(from first: Int = 0, at now: Timestamp) -> [Scenario.Action] {
        guard let start else { return [] }
        var actions: [Scenario.Action] = []
        for index in steps.indices.dropFirst(first) {
            actions += steps[index].player.proceed(&log, start: start, at: now)
            let player = steps[index].player
            guard player.isFinished else { continue }
            let event = player.found.map { (event: $0.event, source: player.source, time: $0.time) }
            outcomes.append(Outcome(id: steps[index].id, failures: player.failures, event: event))
        }
        steps.removeAll(where: \.player.isFinished)
        return actions
    }
}
