package import Bytes

/// Waits for several links at once, in one thread, and hands out what happens on them one after the other.
///
/// Everything that a program does with links happens in the thread that calls `wait`: between two calls nothing moves,
/// so machines that own a link need no lock, and what comes in first is dealt with first.
package struct TransportLoop {
    package private(set) var transports: [any Transport] = []
    private let clock = SystemClock()

    /// Longest wait, in nanoseconds: then the caller can look whether it was interrupted.
    private static let longestWait: Int64 = 200_000_000

    package init() {}

    /// Adds a link; returns its index.
    @discardableResult
    package mutating func add(_ transport: any Transport) -> Int {
        transports.append(transport)
        return transports.count - 1
    }

    package var now: Timestamp { clock.now }
    /// Whether the clock that people set was set by over two seconds since this loop was made, or the machine has slept.
    package var isClockSet: Bool { abs(clock.lag / .seconds(1)) > 2 }

    /// Waits until something happens on a link, at most until `deadline`, and at most a fifth of a second.
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
