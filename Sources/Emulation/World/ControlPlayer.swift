package import Bytes
package import PluginKit
package import Profile

/// Runs steps requested by another program, side by side: each starts on arrival and waits for no other step.
package struct ControlPlayer: Sendable {
    package struct Outcome: Sendable {
        /// The request's identifier, as JSON.
        package var id: String
        /// Expected events that did not occur, and forbidden events that did.
        package var failures: [ScenarioPlayer.Failure]
        /// The expected event; nil if it did not occur, or if the step expects none.
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

    /// Whether every open step waits for time alone, not for an event.
    package var onlyTimeIsMissing: Bool { !steps.isEmpty && steps.allSatisfy(\.player.onlyTimeIsMissing) }

    /// Called when the device can be found. Starts the requests made before; returns the actions to perform now.
    package mutating func begin(at now: Timestamp) -> [Scenario.Action] {
        start = now
        return proceed(at: now)
    }

    /// Adds a request; returns the actions to perform now.
    package mutating func add(_ step: Scenario.Step, id: String, at now: Timestamp) -> [Scenario.Action] {
        steps.append((id, StepPlayer(step, file: "control")))
        return proceed(from: steps.count - 1, at: now)
    }

    /// Handles an event; returns the actions to perform now.
    package mutating func take(
        _ event: EmulationEvent, from source: Scenario.Event.Source, at now: Timestamp
    ) -> [Scenario.Action] {
        guard start != nil else { return [] }
        log.append(event, from: source, at: now)
        return proceed(at: now)
    }

    /// Handles elapsed time; returns the actions to perform now.
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
