import Bytes

/// Priority queue of scheduled events, earliest first; events at the same time keep their order of insertion.
struct EventQueue<Event: Sendable>: Sendable {
    private struct Entry {
        var time: Timestamp
        var number: UInt64
        var event: Event

        func precedes(_ other: Entry) -> Bool {
            time == other.time ? number < other.number : time < other.time
        }
    }

    /// A binary heap: no entry precedes its parent.
    private var heap: [Entry] = []
    private var lastNumber: UInt64 = 0

    /// Number of scheduled events.
    var count: Int { heap.count }

    /// Time of the next event; nil if there is none.
    var nextTime: Timestamp? { heap.first?.time }

    mutating func insert(_ event: Event, at time: Timestamp) {
        lastNumber += 1
        heap.append(Entry(time: time, number: lastNumber, event: event))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].precedes(heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the next event if it is scheduled at `limit` or earlier.
    mutating func removeFirst(notAfter limit: Timestamp) -> (time: Timestamp, event: Event)? {
        guard let first = heap.first, first.time <= limit else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink(from: 0)
        }
        return (first.time, first.event)
    }

    /// Removes the events that satisfy `condition`.
    mutating func removeAll(where condition: (Event) -> Bool) {
        heap.removeAll { condition($0.event) }
        for parent in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(from: parent) }
    }

    private mutating func sink(from start: Int) {
        var parent = start
        while true {
            var first = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].precedes(heap[first])
            {
                first = child
            }
            if first == parent { return }
            heap.swapAt(parent, first)
            parent = first
        }
    }
}

/// Durations in nanoseconds.
enum Span {
    static let microsecond: Int64 = 1_000
    static let millisecond: Int64 = 1_000_000
    static let second: Int64 = 1_000_000_000
    /// The unit of advertising intervals and scan windows, 0.625 ms.
    static let slot: Int64 = 625_000
    /// The unit of connection intervals, 1.25 ms.
    static let doubleSlot: Int64 = 1_250_000
    /// The unit of supervision timeouts and of advertising durations, 10 ms.
    static let centisecond: Int64 = 10_000_000
}
