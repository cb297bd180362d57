import Bluetooth
import Bytes
import PluginKit
import Profile

/// Goes through one step: waits until its time has come, says what is to be done, and judges whether what was expected
/// has come.
struct StepPlayer: Sendable {
    /// Where the step stands.
    private enum Phase: Sendable {
        case waiting
        case awaiting(until: Timestamp?)
        case acting(Int, after: Timestamp?)
        case expecting(until: Timestamp?)
        case finished
    }

    private let step: Scenario.Step
    /// Path of the step's file, as messages name it.
    private let file: String
    private var phase = Phase.waiting
    /// When it wants to be told that time has passed; nil when it is finished.
    private(set) var deadline: Timestamp?
    /// What was expected in vain, or came and must not.
    private(set) var failures: [ScenarioPlayer.Failure] = []
    /// Whether what was expected has come.
    private(set) var isFulfilled = false
    /// What came of that which was expected; nil for what must not come.
    private(set) var found: (event: EmulationEvent, time: Timestamp)?
    private(set) var measurement: ScenarioPlayer.Measurement?
    /// When the wait for the expectation began, and when the first of the actions was done.
    private var waitStart: Timestamp?
    private var actionStart: Timestamp?
    /// Number of the first event that can break an expectation of what must not come.
    private var mark = 0

    init(_ step: Scenario.Step, file: String) {
        self.step = step
        self.file = file
    }

    var isFinished: Bool { if case .finished = phase { true } else { false } }

    /// Whose event is expected.
    var source: Scenario.Event.Source { step.expectation?.event.source ?? .device }

    /// Whether it waits for nothing but time, and not for something to happen.
    var onlyTimeIsMissing: Bool {
        guard deadline != nil else { return false }
        switch phase {
        case .waiting, .acting: return true
        case .awaiting, .expecting, .finished: return false
        }
    }

    /// The actions of the step took until now: what it waits for is timed from here.
    mutating func restartWait(at now: Timestamp) {
        guard case .expecting(let until?) = phase, let waitStart, waitStart < now else { return }
        let limit = until + (now - waitStart as Duration)
        phase = .expecting(until: limit)
        deadline = limit
        self.waitStart = now
        actionStart = now
    }

    /// Goes on as far as time and events allow; returns what is to be done now.
    mutating func proceed(_ log: inout EventLog, start: Timestamp, at now: Timestamp) -> [Scenario.Action] {
        var actions: [Scenario.Action] = []
        deadline = nil
        while !isFinished, deadline == nil { go(on: &log, &actions, start: start, at: now) }
        return actions
    }

    /// Brings the step into its next phase, or sets the deadline until which it waits.
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
            // What has come before is no fault.
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

    /// Measures how long a step with a text and a time limit took, from its first action on.
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
