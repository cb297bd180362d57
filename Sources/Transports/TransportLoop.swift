package import Bytes

/// Waits for several links at once, in one thread, and returns their events in sequence.
///
/// All work on links happens in the thread that calls `wait`, so state machines that own a link need no lock, and
/// events are handled in order of arrival.
package struct TransportLoop {
    package private(set) var transports: [any Transport] = []
    private let clock = SystemClock()

    /// Maximum wait in nanoseconds, after which the caller can check for an interruption.
    private static let longestWait: Int64 = 200_000_000

    package init() {}

    /// Adds a link; returns its index.
    @discardableResult
    package mutating func add(_ transport: any Transport) -> Int {
        transports.append(transport)
        return transports.count - 1
    }

    package var now: Timestamp { clock.now }
    /// Whether the system's real-time clock has changed by more than two seconds since this loop was created, or the
    /// machine has slept.
    package var isClockSet: Bool { abs(clock.lag / .seconds(1)) > 2 }

    /// Waits for an event on a link, at most until `deadline` and at most a fifth of a second.
    package func wait(until deadline: Timestamp?) -> [(link: Int, event: TransportEvent)] {
        let now = clock.now
        let due = (transports.compactMap(\.nextEvent) + [deadline].compactMap { $0 }).min()
        let wait =
            due.map { $0 <= now ? 0 : min(Self.longestWait, $0.nanoseconds - now.nanoseconds) } ?? Self.longestWait
        let ready = Polling.wait(transports.flatMap(\.interests), nanoseconds: wait)
        let time = clock.now
        return transports.indices.flatMap { index in
            transports[index].advance(ready, to: time).map { (index, $0) }
        }
    }

    /// Closes all links.
    package func close() {
        for transport in transports { transport.close() }
    }
}
