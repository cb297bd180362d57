/// Delivery of one counter's events since its boot: received, missing and acknowledgeable ones.
struct CounterDelivery: Sendable {
    let deviceID: Int
    let bootCount: Int
    private var tracker = SequenceRuleTracker()
    /// The lowest number that can still arrive: the counter no longer keeps earlier events. Nil if not known.
    private var floor: UInt32?
    /// The number from which events have to be requested; nil if none have to be.
    private(set) var wanted: UInt32?
    /// Whether requested events are still arriving. Until they are complete, nothing is acknowledged: an acknowledged
    /// event must not be replayed.
    private var isReplaying = false
    /// The last acknowledged number.
    var acknowledged: UInt32?

    init(_ info: CounterInfo) {
        deviceID = info.deviceId
        bootCount = info.bootCount
    }

    /// Handles an event; returns its place in the sequence.
    mutating func take(_ event: CountEvent) -> SequenceRuleTracker.Verdict {
        let verdict = tracker.classify(event)
        // A replay ends with the last event; later ones are not part of it.
        if !event.header.replayed || event.number == tracker.lastNumber { isReplaying = false }
        if case .reset = verdict { (floor, wanted, acknowledged) = (nil, nil, nil) }
        if let next = tracker.firstMissing(from: floor), event.number.distance(after: next) > 0 { wanted = next }
        return verdict
    }

    /// Compares with Counter Status; returns the number of events lost because the counter no longer keeps them.
    mutating func compare(_ status: CounterStatus) -> Int {
        (wanted, isReplaying) = (nil, false)
        // Zeros also mean that there was no event.
        if status.lastNumber == 0, status.bufferedEvents == 0 { return 0 }
        let end = status.lastNumber &+ 1
        let lost = giveUp(before: end &- UInt32(status.bufferedEvents))
        if let next = tracker.firstMissing(from: floor), end.distance(after: next) > 0 { wanted = next }
        return lost
    }

    /// Handles the response to a replay request: the counter replays the events or, if it no longer keeps the number,
    /// the event is lost. Returns the number of lost events.
    mutating func settle(_ number: UInt32, isKept: Bool) -> Int {
        (wanted, isReplaying) = (nil, isKept)
        return isKept ? 0 : giveUp(before: number &+ 1)
    }

    /// The last number up to which nothing is missing; nil during a replay, or if it was acknowledged before.
    var acknowledgeable: UInt32? {
        guard !isReplaying, let next = tracker.firstMissing(from: floor), next != floor, next &- 1 != acknowledged
        else {
            return nil
        }
        return next &- 1
    }

    private mutating func giveUp(before number: UInt32) -> Int {
        let missing = tracker.firstMissing(from: floor)
        if floor.map({ number.distance(after: $0) > 0 }) ?? true { floor = number }
        return missing.map { max(0, number.distance(after: $0)) } ?? 0
    }
}
