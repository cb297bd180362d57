import Bluetooth
import Bytes
import PluginKit
import Profile

/// Runs one step: waits for its time and trigger, returns its actions, and checks whether the expected event occurs.
struct StepPlayer: Sendable {
    private enum Phase: Sendable {
        case waiting
        case awaiting(until: Timestamp?)
        case acting(Int, after: Timestamp?)
        case expecting(until: Timestamp?)
        case finished
    }

    private let step: Scenario.Step
    /// Path of the step's file, for messages.
    private let file: String
    private var phase = Phase.waiting
    /// The time at which `proceed` is to be called; nil when the step is finished.
    private(set) var deadline: Timestamp?
    /// Expected events that did not occur, and forbidden events that did.
    private(set) var failures: [ScenarioPlayer.Failure] = []
    /// Whether the expectation was met.
    private(set) var isFulfilled = false
    /// The event that met the expectation; nil for a forbidden event.
    private(set) var found: (event: EmulationEvent, time: Timestamp)?
    private(set) var measurement: ScenarioPlayer.Measurement?
    /// Start of the wait for the expectation, and time of the first action.
    private var waitStart: Timestamp?
    private var actionStart: Timestamp?
    /// Number of the first event that can violate an expectation of absence.
    private var mark = 0

    init(_ step: Scenario.Step, file: String) {
        self.step = step
        self.file = file
    }

    var isFinished: Bool { if case .finished = phase { true } else { false } }

    var source: Scenario.Event.Source { step.expectation?.event.source ?? .device }

    /// Whether the step waits for time alone, not for an event.
    var onlyTimeIsMissing: Bool {
        guard deadline != nil else { return false }
        switch phase {
        case .waiting, .acting: return true
        case .awaiting, .expecting, .finished: return false
        }
    }

    /// Restarts the wait at `now`, after the step's actions took until then.
    mutating func restartWait(at now: Timestamp) {
        guard case .expecting(let until?) = phase, let waitStart, waitStart < now else { return }
        let limit = until + (now - waitStart as Duration)
        phase = .expecting(until: limit)
        deadline = limit
        self.waitStart = now
        actionStart = now
    }

    /// Proceeds as far as time and events allow; returns the actions to perform now.
    mutating func proceed(_ log: inout EventLog, start: Timestamp, at now: Timestamp) -> [Scenario.Action] {
        var actions: [Scenario.Action] = []
        deadline = nil
        while !isFinished, deadline == nil { go(on: &log, &actions, start: start, at: now) }
        return actions
    }

    /// Enters the next phase, or sets the deadline of the current one.
    private mutating func go(
        on log: inout EventLog, _ actions: inout [Scenario.Action], start: Timestamp, at now: Timestamp
    ) {
        switch phase {
        case .waiting:
            let time = step.time.map { start + $0 } ?? now
            if time > now { deadline = time } else { phase = .awaiting(until: nil) }
        case .awaiting(let until):
            let limit = until ?? now + step.limit
            if let trigger = step.trigger, log.take(trigger) == nil {
                if limit > now {
                    phase = .awaiting(until: limit)
                    deadline = limit
                    return
                }
                fail(trigger, within: step.limit, log)
            }
            phase = .acting(0, after: nil)
            // Earlier events do not violate an expectation of absence.
            mark = log.next
            if let text = step.text { actions.append(.say(text)) }
        case .acting(let index, let after):
            if let after, after > now {
                deadline = after
                return
            }
            guard index < step.actions.count else {
                phase = .expecting(until: nil)
                return
            }
            let action = step.actions[index]
            actionStart = actionStart ?? now
            if case .timePasses(let span) = action {
                phase = .acting(index + 1, after: now + span)
            } else {
                phase = .acting(index + 1, after: nil)
                log.clear()
                actions.append(action)
            }
        case .expecting(let until):
            guard let expectation = step.expectation else { return finish(isFulfilled: false) }
            judge(expectation, &log, until: until ?? now + step.limit, at: now)
        case .finished: break
        }
    }

    private mutating func judge(
        _ expectation: Scenario.Expectation, _ log: inout EventLog, until limit: Timestamp, at now: Timestamp
    ) {
        if waitStart == nil { waitStart = now }
        if expectation.isForbidden {
            if log.contains(expectation.event, from: mark) {
                fail(expectation.event, within: nil, log)
                return finish(isFulfilled: false)
            }
            if limit <= now { return finish(isFulfilled: true) }
        } else if let event = log.take(expectation.event) {
            found = event
            measure(at: event.time)
            return finish(isFulfilled: true)
        } else if limit <= now {
            measure(at: nil)
            fail(expectation.event, within: step.limit, log)
            return finish(isFulfilled: false)
        }
        phase = .expecting(until: limit)
        deadline = limit
    }

    /// Measures a step with a text and a time limit, from its first action on.
    private mutating func measure(at time: Timestamp?) {
        guard step.isTimed, let text = step.text, let expectation = step.expectation,
            let start = actionStart ?? waitStart
        else { return }
        measurement = ScenarioPlayer.Measurement(
            text: "\(text): \(expectation.event.text)", allowed: step.limit,
            measured: time.map { max(.zero, $0 - start) })
    }

    private mutating func finish(isFulfilled: Bool) {
        self.isFulfilled = isFulfilled
        phase = .finished
    }

    private mutating func fail(_ event: Scenario.Event, within limit: Duration?, _ log: EventLog) {
        failures.append(
            ScenarioPlayer.Failure(
                file: file, place: step.place, event: event.described, limit: limit, others: log.latestNames))
    }
}

extension Scenario.Event {
    /// For messages: `"drink_stored" where amount == 50`.
    fileprivate var described: String {
        "\"\(text)\"" + (condition.map { " where \($0.text)" } ?? "")
    }
}
