import Bluetooth
import Bytes
import PluginKit
import Profile

/// The events since the last action, to be matched with expectations.
struct EventLog: Sendable {
    private struct Entry: Sendable {
        var source: Scenario.Event.Source
        var event: EmulationEvent
        var time: Timestamp
        /// Sequence number among all events.
        var number: Int
        /// Whether an expectation has consumed the event; it fulfils no other.
        var isTaken = false
    }

    private var reader: EventReader
    private var entries: [Entry] = []
    private(set) var next = 0

    /// Maximum number of events kept; older ones are dropped.
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

    /// Consumes the first matching event that no expectation has consumed; nil if there is none.
    mutating func take(_ wanted: Scenario.Event) -> (event: EmulationEvent, time: Timestamp)? {
        guard let index = entries.firstIndex(where: { !$0.isTaken && isWanted($0, wanted) }) else { return nil }
        entries[index].isTaken = true
        return (entries[index].event, entries[index].time)
    }

    /// Whether a matching event with this number or a later one has occurred, consumed or not.
    func contains(_ wanted: Scenario.Event, from number: Int) -> Bool {
        entries.contains { $0.number >= number && isWanted($0, wanted) }
    }

    private func isWanted(_ entry: Entry, _ wanted: Scenario.Event) -> Bool {
        guard entry.source == wanted.source, entry.event.matches(wanted.kind) else { return false }
        return wanted.condition.map { reader.holds($0, for: entry.event) } ?? true
    }

    /// Names of the latest unconsumed events, as written in scenarios.
    var latestNames: [String] {
        entries.filter { !$0.isTaken }.suffix(5).map { ($0.source == .client ? "client " : "") + $0.event.name }
    }
}

extension EmulationEvent {
    /// The event's name in scenarios.
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
