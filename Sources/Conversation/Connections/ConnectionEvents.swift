import Bytes
import Captures

/// The connection events of a connection on the air, as they are captured.
///
/// The central sends in each event (Vol 6, Part B, 4.5.1). A pause longer than the interval means that packets are
/// missing, even where the sequence numbers show no gap: an even number of lost PDUs of each side leaves them
/// unchanged.
struct ConnectionEvents: Sendable {
    /// The shortest interval that may be in force; nil where it is not known.
    private(set) var shortestInterval: TimeSpan?
    /// The longest interval that may be in force: a new interval is announced before it takes effect.
    private var longestInterval: TimeSpan?
    /// The interval announced last, and the time from which it must be in force, which is not always known.
    private var announced: (interval: TimeSpan, time: Timestamp?)?
    /// Time of event 0, by the interval in force; nil where the beginning was not captured.
    private var origin: Timestamp?
    /// The shortest time between events so far.
    private var shortestSpacing = TimeSpan.longest
    /// Times of the last packet and of the first packet of its event; nil before the first packet.
    private var last: (packet: Timestamp, event: Timestamp)?
    /// Time of the central's first packet in the last event in which one was captured.
    private var lastOfCentral: Timestamp?
    /// The last time between two packets of the central that begin events, and how often in a row it was the same.
    private var spacing: (time: TimeSpan, count: UInt8) = (.zero, 0)

    /// Packets of an event begin within this time of each other: the longest packet on LE 1M and the inter
    /// frame space, rounded up (Vol 6, Part B, 2.4 and 4.1).
    private static let longestTurn = TimeSpan(milliseconds: 3)
    /// Longest time from CONNECT_IND to the end of the transmit window beyond the interval (Vol 6, Part B, 4.5.3).
    private static let transmitWindow = TimeSpan(milliseconds: 13)
    /// Equal spacings in a row that establish the interval.
    private static let equalSpacings: UInt8 = 3
    /// Tolerance for capture timestamps.
    private static let jitter = TimeSpan(microseconds: 200)

    /// Begins the connection with its interval, in units of 1.25 ms.
    mutating func begin(interval: UInt16, at time: Timestamp) {
        shortestInterval = .intervalUnit * Int64(interval)
        longestInterval = shortestInterval
        let first = time + Self.transmitWindow
        last = (first, first)
        origin = time
    }

    /// Records an announced interval, which takes effect with the event that has the number `instant`.
    mutating func update(interval: UInt16, instant: UInt16, at time: Timestamp) {
        let interval = .intervalUnit * Int64(interval)
        announced = (interval, nil)
        if let origin, let former = longestInterval, former > .zero {
            let sinceOrigin: TimeSpan = time - origin
            let number = UInt16(truncatingIfNeeded: sinceOrigin.nanoseconds / former.nanoseconds)
            let events = instant &- number
            if events < 0x7FFF {
                let change = time + former * Int64(events)
                // The number of this event is known only to within one or two.
                announced = (interval, change + former * 3)
                self.origin = change - interval * Int64(instant)
            }
        }
        if let shortestInterval { self.shortestInterval = min(shortestInterval, interval) }
        let former = longestInterval ?? (shortestSpacing < .longest ? shortestSpacing : interval)
        longestInterval = max(former, interval)
        spacing.count = 0
    }

    /// Observes a packet and returns whether an event before it was missed.
    mutating func observe(_ direction: Direction, at time: Timestamp) -> Bool {
        guard let last else {
            last = (time, time)
            lastOfCentral = direction == .sent ? time : nil
            return false
        }
        let pause: TimeSpan = time - last.packet
        guard pause > Self.longestTurn else {
            self.last?.packet = time
            if pause < .zero { self.last = (time, time) }
            return false
        }
        self.last = (time, time)
        if let change = announced?.time, time > change { enforceAnnounced() }
        let limit = longestInterval ?? shortestSpacing
        let wait: TimeSpan = time - last.event
        if wait > .zero { shortestSpacing = min(shortestSpacing, wait) }
        if direction == .sent { followSpacing(time) }
        return wait - wait / 3 > limit
    }

    /// Tracks the times at which the central begins events: an update of the interval may not have been captured.
    private mutating func followSpacing(_ time: Timestamp) {
        defer { lastOfCentral = time }
        guard let lastOfCentral else { return }
        let new: TimeSpan = time - lastOfCentral
        guard new > .zero else { return }
        if let announced, Self.areEqual(new, announced.interval) { enforceAnnounced() }
        guard Self.areEqual(new, spacing.time) else {
            spacing = (new, 1)
            return
        }
        spacing.count = min(spacing.count + 1, Self.equalSpacings)
        guard spacing.count == Self.equalSpacings else { return }
        (shortestInterval, longestInterval) = (new, new)
    }

    /// Puts the announced interval in force.
    private mutating func enforceAnnounced() {
        guard let interval = announced?.interval else { return }
        (shortestInterval, longestInterval) = (interval, interval)
        announced = nil
    }

    /// The clocks of the central and of the sniffer may be off by 500 ppm each.
    private static func areEqual(_ one: TimeSpan, _ other: TimeSpan) -> Bool {
        (one - other).magnitude <= jitter + one / 1000
    }
}
