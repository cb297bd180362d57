/// The events that a counter keeps until they are acknowledged; beyond its capacity, the oldest are dropped.
struct ReplayBuffer: Sendable {
    private struct Entry: Sendable {
        var event: CountEvent
        /// Whether it was sent to a gateway, even if it never arrived.
        var isSent: Bool
    }

    static let capacity = 512

    /// In the order in which they happened.
    private var entries: [Entry] = []
    /// Whether events were dropped since the last acknowledgement.
    private(set) var hasOverflowed = false

    var count: Int { entries.count }

    /// Keeps an event; returns the event dropped for it.
    mutating func keep(_ event: CountEvent, isSent: Bool) -> CountEvent? {
        entries.append(Entry(event: event, isSent: isSent))
        guard entries.count > Self.capacity else { return nil }
        hasOverflowed = true
        return entries.removeFirst().event
    }

    /// Marks all unsent events as sent, and returns them.
    mutating func sendRest() -> [CountEvent] {
        var rest: [CountEvent] = []
        for index in entries.indices where !entries[index].isSent {
            entries[index].isSent = true
            rest.append(entries[index].event)
        }
        return rest
    }

    /// Marks the events from this number on as sent, and returns them; nil if the number is not kept.
    mutating func replay(from number: UInt32) -> [CountEvent]? {
        guard let start = index(of: number) else { return nil }
        for index in entries[start...].indices { entries[index].isSent = true }
        return entries[start...].map(\.event)
    }

    /// Drops all events up to this number; none if the number is not kept.
    mutating func acknowledge(_ number: UInt32) {
        guard let last = index(of: number) else { return }
        entries.removeFirst(last + 1)
        hasOverflowed = false
    }

    // MARK: Following a real counter

    var events: [UInt32: CountEvent] {
        Dictionary(entries.map { ($0.event.number, $0.event) }) { _, last in last }
    }

    /// Adopts observed events, all of them sent.
    mutating func follow(_ events: [CountEvent]) {
        entries = events.suffix(Self.capacity).map { Entry(event: $0, isSent: true) }
    }

    /// Replaces an event by its observed content.
    mutating func replace(by event: CountEvent) {
        if let index = index(of: event.number) { entries[index].event = event }
    }

    private func index(of number: UInt32) -> Int? { entries.firstIndex { $0.event.number == number } }
}
