/// Delivery of one counter's events since its boot: which were received, which are missing, which can be acknowledged.
struct CounterDelivery: Sendable {
    let deviceID: Int
    let bootCount: Int
    private var tracker = SequenceRuleTracker()
    /// The lowest number that can still come: those before it are not kept any more. Nil where that is not known.
    private var floor: UInt32?
    /// The number from which on events have to be asked for; nil when none has.
    private(set) var wanted: UInt32?
    /// Whether events are under way that were asked for. Until they are there nothing is acknowledged: none of what was
    /// acknowledged may be replayed.
    private var isReplaying = false
    /// The number that was acknowledged last.
    var acknowledged: UInt32?

    init(_ info: CounterInfo) {
        deviceID = info.deviceId
        bootCount = info.bootCount
    }

    /// Takes an event; returns its place in the sequence.
    mutating func take(_ event: CountEvent) -> SequenceRuleTracker.Verdict {
        let verdict = tracker.classify(event)
        // A replay ends with the last event; what comes after it is not one.
        if !event.header.replayed || event.number == tracker.lastNumber { isReplaying = false }
        if case .reset = verdict { (floor, wanted, acknowledged) = (nil, nil, nil) }
        if let next = tracker.firstMissing(from: floor), event.number.distance(after: next) > 0 { wanted = next }
        return verdict
    }

    /// Compares with Counter Status; returns how many events are lost because the counter does not keep them any more.
    mutating func compare(_ status: CounterStatus) -> Int {
        (wanted, isReplaying) = (nil, false)
        // Zeros also mean that there was no event.
        if status.lastNumber == 0, status.bufferedEvents == 0 { return 0 }
        let end = status.lastNumber &+ 1
        let lost = giveUp(before: end &- UInt32(status.bufferedEvents))
        if let next = tracker.firstMissing(from: floor), end.distance(after: next) > 0 { wanted = next }
        return lost
    }

    /// The counter replays what was asked for, or it does not keep that number any more, which makes it one of the lost.
    mutating func settle(_ number: UInt32, isKept: Bool) -> Int {
        (wanted, isReplaying) = (nil, isKept)
        return isKept ? 0 : giveUp(before: number &+ 1)
    }

    /// The last number up to which nothing is missing, if that was not acknowledged before.
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
