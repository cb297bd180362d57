/// The events that a counter keeps until they are acknowledged; of more than its capacity, the oldest are dropped.
struct ReplayBuffer: Sendable {
    private struct Entry: Sendable {
        var event: CountEvent
        /// Whether it went out to a gateway, be it that it never arrived.
        var isSent: Bool
    }

    /// Events that are kept at most.
    static let capacity = 512

    /// In the order in which they happened.
    private var entries: [Entry] = []
    /// Whether events were dropped since the last acknowledgement.
    private(set) var hasOverflowed = false

    var count: Int { entries.count }

    /// Keeps an event; gives the one that had to go for it.
    mutating func keep(_ event: CountEvent, isSent: Bool) -> CountEvent? {
        entries.append(Entry(event: event, isSent: isSent))
        guard entries.count > Self.capacity else { return nil }
        hasOverflowed = true
        return entries.removeFirst().event
    }

    /// The events that were never sent, which now are.
    mutating func sendRest() -> [CountEvent] {
        var rest: [CountEvent] = []
        for index in entries.indices where !entries[index].isSent {
            entries[index].isSent = true
            rest.append(entries[index].event)
        }
        return rest
    }

    /// The events from this number on; nil when it is not kept.
    mutating func replay(from number: UInt32) -> [CountEvent]? {
        guard let start = index(of: number) else { return nil }
        for index in entries[start...].indices { entries[index].isSent = true }
        return entries[start...].map(\.event)
    }

    /// Lets go of all events up to this number; of none when it is not kept.
    mutating func acknowledge(_ number: UInt32) {
        guard let last = index(of: number) else { return }
        entries.removeFirst(last + 1)
        hasOverflowed = false
    }

    // MARK: Of a counter that is followed

    /// The events that are kept, by their numbers.
    var events: [UInt32: CountEvent] {
        Dictionary(entries.map { ($0.event.number, $0.event) }) { _, last in last }
    }

    /// These events are kept, of which it is known that they were sent.
    mutating func follow(_ events: [CountEvent]) {
        entries = events.suffix(Self.capacity).map { Entry(event: $0, isSent: true) }
    }

    /// An event turns out to be this one.
    mutating func replace(by event: CountEvent) {
        if let index = index(of: event.number) { entries[index].event = event }
    }

    private func index(of number: UInt32) -> Int? { entries.firstIndex { $0.event.number == number } }
}
