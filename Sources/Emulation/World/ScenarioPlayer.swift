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

        /// What failed, without its place.
        package var text: String {
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

    private let scenario: Scenario
    private var start: Timestamp?
    private var index = 0
    /// The step at `index`.
    private var step: StepPlayer?
    private var log: EventLog
    package private(set) var failures: [Failure] = []
    /// Expectations that were fulfilled.
    package private(set) var fulfilled = 0
    package private(set) var measurements: [Measurement] = []

    package init(_ scenario: Scenario, _ profile: CompiledProfile) {
        self.scenario = scenario
        log = EventLog(profile)
    }

    /// The time that all its steps let pass.
    package var pauses: Duration {
        scenario.steps.flatMap(\.actions).reduce(.zero) { sum, action in
            if case .timePasses(let span) = action { sum + span } else { sum }
        }
    }

    /// When the player wants to be told that time has passed.
    package var deadline: Timestamp? { step?.deadline }

    /// Whether it waits for nothing but time, and not for something to happen.
    package var onlyTimeIsMissing: Bool { step?.onlyTimeIsMissing ?? false }

    /// Whether all steps are done.
    package var isFinished: Bool { start != nil && index >= scenario.steps.count }

    /// The scenario begins; returns what is to be done now.
    package mutating func begin(at now: Timestamp) -> [Scenario.Action] {
        start = now
        return proceed(from: now, at: now)
    }

    /// Something has happened; returns what is to be done now.
    package mutating func take(
        _ event: EmulationEvent, from source: Scenario.Event.Source, at now: Timestamp
    ) -> [Scenario.Action] {
        guard let start, !isFinished else { return [] }
        log.append(event, from: source, at: now)
        return proceed(from: start, at: now)
    }

    /// Time has passed; returns what is to be done now.
    package mutating func expire(at now: Timestamp) -> [Scenario.Action] {
        guard let start, let deadline, deadline <= now else { return [] }
        return proceed(from: start, at: now)
    }

    /// The actions of the step took until now: what it waits for is timed from here.
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
