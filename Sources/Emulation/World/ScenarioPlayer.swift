import ATT
package import Bytes
package import PluginKit
package import Profile

/// Goes through a scenario: says what is to be done when, and judges whether what was expected has come.
///
/// It does nothing itself: the owner tells it of events and of time that has passed, and does what it says.
package struct ScenarioPlayer: Sendable {
    /// Something that was expected and did not come, or came and must not.
    package struct Failure: Hashable, Sendable, CustomStringConvertible {
        package var file: String
        package var place: SourcePlace
        /// The event, in words.
        var event: String
        /// How long it was waited for; nil for an event that must not occur and did.
        var limit: Duration?
        /// Names of the latest events that nobody waited for.
        var others: [String] = []

        package var description: String { "\(file):\(place): \(text)" }

        private var text: String {
            guard let limit else { return "\(event) occurred unexpectedly" }
            let seen = others.isEmpty ? "nothing came" : "last was \(others.joined(separator: ", "))"
            return "\(event) did not occur within \(limit.described); \(seen)"
        }

        /// What a client or device under test should have done, and what it did.
        package var expected: String { limit.map { "\(event) within \($0.described)" } ?? "no \(event)" }
        package var observed: String {
            if limit == nil { return "it occurred" }
            return others.isEmpty ? "nothing" : "last was \(others.joined(separator: ", "))"
        }
    }

    /// How long something took: of a step with a text and a time limit.
    package struct Measurement: Hashable, Sendable {
        /// What was done or expected, in words.
        package var text: String
        package var allowed: Duration
        /// nil where it did not come.
        package var measured: Duration?
    }

    /// Where a step stands.
    private enum Phase: Sendable {
        case waiting
        case awaiting(until: Timestamp?)
        case acting(Int, after: Timestamp?)
        case expecting(until: Timestamp?)
    }

    private let scenario: Scenario
    private var reader: EventReader
    private var start: Timestamp?
    private var step = 0
    private var phase = Phase.waiting
    /// What has happened since something was done, and nobody has expected yet.
    private var log: [(source: Scenario.Event.Source, event: EmulationEvent, time: Timestamp)] = []
    /// When the player wants to be told that time has passed.
    package private(set) var deadline: Timestamp?
    package private(set) var failures: [Failure] = []
    /// Expectations that were fulfilled.
    package private(set) var fulfilled = 0
    package private(set) var measurements: [Measurement] = []
    /// When the wait for the step's expectation began, and when the first of its actions was done.
    private var waitStart: Timestamp?
    private var actionStart: Timestamp?

    /// Events that are remembered; of more, the latest.
    private static let capacity = 4096

    package init(_ scenario: Scenario, _ profile: CompiledProfile) {
        self.scenario = scenario
        reader = EventReader(profile)
    }

    /// The time that all its steps let pass.
    package var pauses: Duration {
        scenario.steps.flatMap(\.actions).reduce(.zero) { sum, action in
            if case .timePasses(let span) = action { sum + span } else { sum }
        }
    }

    /// Whether it waits for nothing but time, and not for something to happen.
    package var onlyTimeIsMissing: Bool {
        guard deadline != nil else { return false }
        switch phase {
        case .waiting, .acting: return true
        case .awaiting, .expecting: return false
        }
    }

    /// Whether all steps are done.
    package var isFinished: Bool { start != nil && step >= scenario.steps.count }

    /// The scenario begins; returns what is to be done now.
    package mutating func begin(at now: Timestamp) -> [Scenario.Action] {
        start = now
        return proceed(at: now)
    }

    /// Something has happened; returns what is to be done now.
    package mutating func take(
        _ event: EmulationEvent, from source: Scenario.Event.Source, at now: Timestamp
    ) -> [Scenario.Action] {
        guard start != nil, !isFinished else { return [] }
        reader.follow(event)
        log.append((source, event, now))
        if log.count > Self.capacity { log.removeFirst(Self.capacity / 2) }
        return proceed(at: now)
    }

    /// Time has passed; returns what is to be done now.
    package mutating func expire(at now: Timestamp) -> [Scenario.Action] {
        guard start != nil, let deadline, deadline <= now else { return [] }
        return proceed(at: now)
    }

    /// The actions of the step took until now: what it waits for is timed from here.
    package mutating func restartWait(at now: Timestamp) {
        guard case .expecting(let until?) = phase, let waitStart, waitStart < now else { return }
        let limit = until + (now - waitStart)
        phase = .expecting(until: limit)
        deadline = limit
        self.waitStart = now
        actionStart = now
    }

    private mutating func proceed(at now: Timestamp) -> [Scenario.Action] {
        var actions: [Scenario.Action] = []
        deadline = nil
        while !isFinished, deadline == nil { go(on: scenario.steps[step], &actions, at: now) }
        return actions
    }

    /// Brings the step into its next phase, or sets the deadline until which it waits.
    private mutating func go(on step: Scenario.Step, _ actions: inout [Scenario.Action], at now: Timestamp) {
        switch phase {
        case .waiting:
            let time = step.time.flatMap { span in start.map { $0 + span } } ?? now
            if time > now { deadline = time } else { phase = .awaiting(until: nil) }
        case .awaiting(let until):
            let limit = until ?? now + step.limit
            if let trigger = step.trigger, find(trigger) == nil {
                if limit > now {
                    phase = .awaiting(until: limit)
                    deadline = limit
                    return
                }
                fail(step, trigger, within: step.limit)
            }
            phase = .acting(0, after: nil)
            // What has come before is no fault.
            if step.expectation?.isForbidden == true { log = [] }
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
                log = []
                actions.append(action)
            }
        case .expecting(let until):
            guard let expectation = step.expectation else { return next() }
            judge(expectation, of: step, until: until ?? now + step.limit, at: now)
        }
    }

    private mutating func judge(
        _ expectation: Scenario.Expectation, of step: Scenario.Step, until limit: Timestamp, at now: Timestamp
    ) {
        if waitStart == nil { waitStart = now }
        let found = find(expectation.event)
        switch (found != nil, expectation.isForbidden) {
        case (true, false):
            measure(step, at: found)
            fulfil()
        case (true, true):
            fail(step, expectation.event, within: nil)
            next()
        case (false, let isForbidden) where limit <= now:
            if isForbidden { return fulfil() }
            measure(step, at: nil)
            fail(step, expectation.event, within: step.limit)
            next()
        case (false, _):
            phase = .expecting(until: limit)
            deadline = limit
        }
    }

    /// Measures how long a step with a text and a time limit took, from its first action on.
    private mutating func measure(_ step: Scenario.Step, at time: Timestamp?) {
        guard step.isTimed, let text = step.text, let expectation = step.expectation,
            let start = actionStart ?? waitStart
        else { return }
        measurements.append(
            Measurement(
                text: "\(text): \(expectation.event.text)", allowed: step.limit,
                measured: time.map { max(.zero, $0 - start) }))
    }

    private mutating func fulfil() {
        fulfilled += 1
        next()
    }

    private mutating func next() {
        step += 1
        phase = .waiting
        waitStart = nil
        actionStart = nil
    }

    private mutating func fail(_ step: Scenario.Step, _ event: Scenario.Event, within limit: Duration?) {
        let others = log.suffix(5).map { source, event, _ in (source == .client ? "client " : "") + event.name }
        failures.append(
            Failure(file: scenario.file, place: step.place, event: event.described, limit: limit, others: others))
    }

    /// Takes an event out of those that have happened; its time, nil where it has not.
    private mutating func find(_ wanted: Scenario.Event) -> Timestamp? {
        let index = log.firstIndex { source, event, _ in
            guard source == wanted.source, event.matches(wanted.kind) else { return false }
            return wanted.condition.map { reader.holds($0, for: event) } ?? true
        }
        return index.map { log.remove(at: $0).time }
    }
}

extension EmulationEvent {
    /// As scenarios call it.
    package var name: String {
        switch self {
        case .advertising: "advertising"
        case .note(let note): note.name
        case .value(let operation, let name, _): "\(operation.rawValue) \(name)"
        case .stored: "stored"
        case .failed: "failed"
        }
    }

    fileprivate func matches(_ kind: Scenario.Event.Kind) -> Bool {
        switch (self, kind) {
        case (.value(let operation, let name, _), .value(let wanted, let characteristic)):
            name == characteristic && (wanted == nil || wanted == operation)
        case (.value, .note), (_, .value): false
        case (_, .note(let name)): self.name == name
        }
    }
}

extension Scenario.Event {
    /// For messages: `"drink_stored" where amount == 50`.
    fileprivate var described: String {
        "\"\(text)\"" + (condition.map { " where \($0.text)" } ?? "")
    }
}

extension Duration {
    /// For messages: `30 s`.
    fileprivate var described: String {
        let seconds = self / .seconds(1)
        return Int(exactly: seconds).map { "\($0) s" } ?? "\(seconds) s"
    }
}
