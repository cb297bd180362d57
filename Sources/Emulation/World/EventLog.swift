import ATT
import Bytes
import PluginKit
import Profile

/// What has happened since something was done, and nobody has expected yet.
struct EventLog: Sendable {
    private struct Entry: Sendable {
        var source: Scenario.Event.Source
        var event: EmulationEvent
        var time: Timestamp
        /// Counts all events.
        var number: Int
    }

    private var reader: EventReader
    private var entries: [Entry] = []
    /// The number of the next event.
    private(set) var next = 0

    /// Events that are remembered; of more, the latest.
    private static let capacity = 4096

    init(_ profile: CompiledProfile) {
        reader = EventReader(profile)
    }

    mutating func append(_ event: EmulationEvent, from source: Scenario.Event.Source, at time: Timestamp) {
        reader.follow(event)
        entries.append(Entry(source: source, event: event, time: time, number: next))
        next += 1
        if entries.count > Self.capacity { entries.removeFirst(Self.capacity / 2) }
    }

    mutating func clear() { entries = [] }

    /// Takes an event out of those that have happened from a number on; nil where it has not.
    mutating func take(_ wanted: Scenario.Event, from number: Int = 0) -> (event: EmulationEvent, time: Timestamp)? {
        let index = entries.firstIndex { entry in
            guard entry.number >= number, entry.source == wanted.source, entry.event.matches(wanted.kind) else {
                return false
            }
            return wanted.condition.map { reader.holds($0, for: entry.event) } ?? true
        }
        guard let entry = index.map({ entries.remove(at: $0) }) else { return nil }
        return (entry.event, entry.time)
    }

    /// Names of the latest events, as scenarios call them.
    var latestNames: [String] {
        entries.suffix(5).map { ($0.source == .client ? "client " : "") + $0.event.name }
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
        case .commit: "commit"
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
