package import Bytes
package import PluginKit
package import Profile

/// Runs a scenario: returns the actions to perform at each time, and checks whether expected events occur.
///
/// The player performs nothing itself. Its owner passes in events and elapsed time, and performs the returned actions.
package struct ScenarioPlayer: Sendable {
    /// An expected event that did not occur, or a forbidden event that did.
    package struct Failure: Hashable, Sendable, CustomStringConvertible {
        package var file: String
        package var place: SourcePlace
        var event: String
        /// Time waited for the event; nil for a forbidden event that occurred.
        var limit: Duration?
        /// Names of the latest events that no step expected.
        var others: [String] = []

        package var description: String { "\(file):\(place): \(text)" }

        /// Description of the failure without its source position.
        package var text: String {
            guard let limit else { return "\(event) occurred unexpectedly" }
            let seen = others.isEmpty ? "nothing came" : "last was \(others.joined(separator: ", "))"
            return "\(event) did not occur within \(limit.described); \(seen)"
        }

        /// The expected and the observed behavior of a client or device under test.
        package var expected: String { limit.map { "\(event) within \($0.described)" } ?? "no \(event)" }
        package var observed: String {
            if limit == nil { return "it occurred" }
            return others.isEmpty ? "nothing" : "last was \(others.joined(separator: ", "))"
        }
    }

    /// The measured duration of a step with a text and a time limit.
    package struct Measurement: Hashable, Sendable {
        /// Description of the step and its expected event.
        package var text: String
        package var allowed: Duration
        /// nil if the event did not occur.
        package var measured: Duration?
    }

    private let scenario: Scenario
    private var start: Timestamp?
    private var index = 0
    /// The step at `index`.
    private var step: StepPlayer?
    private var log: EventLog
    package private(set) var failures: [Failure] = []
    /// Number of fulfilled expectations.
    package private(set) var fulfilled = 0
    package private(set) var measurements: [Measurement] = []

    package init(_ scenario: Scenario, _ profile: CompiledProfile) {
        self.scenario = scenario
        log = EventLog(profile)
    }

    /// Sum of the pauses in all steps.
    package var pauses: Duration {
        scenario.steps.flatMap(\.actions).reduce(.zero) { sum, action in
            if case .timePasses(let span) = action { sum + span } else { sum }
        }
    }

    /// The time at which `expire` is to be called; nil if the player waits for no time.
    package var deadline: Timestamp? { step?.deadline }

    /// Whether the player waits for time alone, not for an event.
    package var onlyTimeIsMissing: Bool { step?.onlyTimeIsMissing ?? false }

    package var isFinished: Bool { start != nil && index >= scenario.steps.count }

    /// Starts the scenario; returns the actions to perform now.
    package mutating func begin(at now: Timestamp) -> [Scenario.Action] {
        start = now
        return proceed(from: now, at: now)
    }

    /// Handles an event; returns the actions to perform now.
    package mutating func take(
        _ event: EmulationEvent, from source: Scenario.Event.Source, at now: Timestamp
    ) -> [Scenario.Action] {
        guard let start, !isFinished else { return [] }
        log.append(event, from: source, at: now)
        return proceed(from: start, at: now)
    }

    /// Handles elapsed time; returns the actions to perform now.
    package mutating func expire(at now: Timestamp) -> [Scenario.Action] {
        guard let start, let deadline, deadline <= now else { return [] }
        return proceed(from: start, at: now)
    }

    /// Restarts the current step's wait at `now`, after its actions took until then.
    package mutating func restartWait(at now: Timestamp) { step?.restartWait(at: now) }

    private mutating func proceed(from start: Timestamp, at now: Timestamp) -> [Scenario.Action] {
        var actions: [Scenario.Action] = []
        while !isFinished {
            var current = step ?? StepPlayer(scenario.steps[index], file: scenario.file)
            actions += current.proceed(&log, start: start, at: now)
            guard current.isFinished else {
                step = current
                break
            }
            failures += current.failures
            if current.isFulfilled { fulfilled += 1 }
            if let measurement = current.measurement { measurements.append(measurement) }
            step = nil
            index += 1
        }
        return actions
    }
}

extension Duration {
    /// For messages: `30 s`.
    fileprivate var described: String {
        let seconds = self / .seconds(1)
        return Int(exactly: seconds).map { "\($0) s" } ?? "\(seconds) s"
    }
}
