package import Bytes
// CBluetooth's headers declare timespec too, and the compiler may attribute it to that module.
import CBluetooth
import Glibc

/// A descriptor to poll.
package struct Interest: Hashable, Sendable {
    package var descriptor: CInt
    package var reading: Bool
    package var writing: Bool

    package init(_ descriptor: CInt, reading: Bool = true, writing: Bool = false) {
        self.descriptor = descriptor
        self.reading = reading
        self.writing = writing
    }
}

/// A descriptor that is ready.
package struct Readiness: Hashable, Sendable {
    package var descriptor: CInt
    package var reading: Bool
    package var writing: Bool
}

enum Polling {
    /// Waits until one of the descriptors is ready, a signal arrives, or the time has elapsed. The time is rounded up
    /// to milliseconds.
    static func wait(_ interests: [Interest], nanoseconds: Int64) -> [Readiness] {
        var requests = interests.map { interest in
            pollfd(
                fd: interest.descriptor,
                events: Int16((interest.reading ? POLLIN : 0) | (interest.writing ? POLLOUT : 0)), revents: 0)
        }
        let milliseconds = (min(max(0, nanoseconds), 3_600_000_000_000) + 999_999) / 1_000_000
        let count = unsafe poll(&requests, nfds_t(requests.count), CInt(milliseconds))
        guard count > 0 else { return [] }
        return requests.compactMap { request in
            let events = Int32(request.revents)
            if events == 0 { return nil }
            let ended = events & (POLLHUP | POLLERR | POLLNVAL) != 0
            return Readiness(
                descriptor: request.fd, reading: ended || events & POLLIN != 0, writing: ended || events & POLLOUT != 0)
        }
    }
}

/// A monotonic clock in nanoseconds since 1970.
package struct SystemClock: Sendable {
    private let start: Timestamp
    private let ticks: Int64

    package init() {
        start = Timestamp(nanoseconds: Self.read(CLOCK_REALTIME))
        ticks = Self.read(CLOCK_MONOTONIC)
    }

    package var now: Timestamp {
        Timestamp(nanoseconds: start.nanoseconds + Self.read(CLOCK_MONOTONIC) - ticks)
    }

    /// Lead of the system's real-time clock over this clock: zero until that clock is set or the machine sleeps.
    package var lag: Duration {
        .nanoseconds(Self.read(CLOCK_REALTIME) - now.nanoseconds)
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
