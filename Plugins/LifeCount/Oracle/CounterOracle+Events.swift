import Bluetooth
import Bytes
import PluginKit
import Profile

/// Count Event and Counter Status.
extension CounterOracle {
    mutating func adoptEvent(_ shown: ShownValue, at now: Timestamp) -> Expectation {
        guard let observed: CountEvent = twin.profile.value(of: shown.bytes) else {
            return .value(shown.predicted ?? [])
        }
        var expected = observed
        let isOvertaken = overtakenUntil.map { now <= $0 } ?? false
        expected.header.version = 1
        if info != nil {
            expected.deviceId = Int(twin.memory.deviceID)
            let mayBeElsewhere = isOvertaken || observed.header.replayed
            if observed.locationId != 0, !mayBeElsewhere { expected.locationId = Int(twin.memory.locationID) }
        }
        if let predicted: CountEvent = shown.predicted.flatMap({ twin.profile.value(of: $0) }) {
            if contents.contains(predicted.number) { return .value(shown.predicted ?? []) }
            expected.number = predicted.number
            expected.header.replayed = true
            learn(expected)
            return .value(bytes(expected))
        }
        if observed.header.replayed { return adoptReplay(observed, expected, at: now) }
        if isLastKnown, let last = twin.lastNumber {
            expected.number = last &+ 1
            expected.header.firstSinceBoot = false
        }
        if isTimeSet, !isOvertaken { fillTime(&expected, at: now) }
        keepMissing(before: observed.number)
        keep(observed, at: now)
        return .value(bytes(expected))
    }

    /// Keeps events that have happened without a notification.
    private mutating func keepMissing(before number: UInt32) {
        guard isBufferKnown, let last = twin.lastNumber else { return }
        let count = number.distance(after: last) - 1
        guard (1...ReplayBuffer.capacity).contains(count) else { return }
        for place in 1...UInt32(count) {
            _ = twin.buffer.keep(CountEvent(unknown: last &+ place, of: twin.memory), isSent: true)
        }
    }

    /// Adopts an event that was not sent before, or one from a replay of unknown content.
    private mutating func adoptReplay(
        _ observed: CountEvent, _ expected: CountEvent, at now: Timestamp
    ) -> Expectation {
        guard mayReplay, lastReplayed.map({ observed.number.distance(after: $0) > 0 }) ?? true else {
            return .nothing("no REPLAY_FROM asks for it")
        }
        lastReplayed = observed.number
        replaySince = now
        if !isLastKnown || twin.lastNumber.map({ observed.number.distance(after: $0) > 0 }) ?? true {
            keep(observed, at: now)
        }
        return .value(bytes(expected))
    }

    /// Fills in the time: an event is notified when it happens.
    private mutating func fillTime(_ expected: inout CountEvent, at now: Timestamp) {
        expected.header.timestampValid = true
        guard let time = twin.clock.read(at: now) else { return }
        if abs(expected.timestampS - time.seconds) > 2 {
            expected.timestampS = time.seconds
            expected.timestampMs = time.milliseconds
        }
    }

    /// Records an event that has happened.
    private mutating func keep(_ event: CountEvent, at now: Timestamp) {
        twin.lastNumber = event.number
        twin.nextNumber = event.number &+ 1
        isLastKnown = true
        // A new event may come before the last event of a replay, or before the first of one just requested.
        let isUnderWay = lastReplayed.map { event.number.distance(after: $0) > 1 } ?? false
        if !event.header.replayed, !isUnderWay, now - replaySince > Self.crossing { mayReplay = false }
        if isBufferKnown { _ = twin.buffer.keep(event, isSent: true) }
        learn(event)
    }

    private mutating func learn(_ event: CountEvent) {
        var event = event
        event.header.replayed = false
        twin.buffer.replace(by: event)
        if contents.count >= 2 * ReplayBuffer.capacity { contents = [] }
        contents.insert(event.number)
    }

    private func bytes(_ event: CountEvent) -> [UInt8] { twin.profile.bytes(of: event) }

    // MARK: - Counter Status

    /// How early a heartbeat may be, and how long after the subscription the first may come.
    private static let tolerance = Duration.seconds(3)
    /// Maximum time between two events of a replay.
    private static let replayPause = Duration.seconds(10)

    mutating func adoptStatus(_ shown: ShownValue, at now: Timestamp) -> Expectation {
        guard let observed: CounterStatus = twin.profile.value(of: shown.bytes) else {
            return .value(shown.predicted ?? [])
        }
        // The read was answered before the last event.
        let predicted: CounterStatus? = shown.predicted.flatMap { twin.profile.value(of: $0) }
        if shown.operation == .read, let predicted, let last = twin.lastNumber,
            observed.lastNumber == predicted.lastNumber, observed.lastNumber.distance(after: last) < 0
        {
            return .value(shown.bytes)
        }
        if shown.operation == .notify {
            let isDue = twin.gateway?.heartbeat.map { $0 - now <= Self.tolerance } ?? true
            let isFirst = statusSince.map { now - $0 <= Self.tolerance } ?? true
            guard shown.predicted != nil || isDue || isFirst else {
                return .nothing("a heartbeat comes every 30 s")
            }
            twin.gateway?.heartbeat = now + CounterTwin.heartbeat
        }
        var expected = observed
        let uptime = twin.uptime(at: now)
        if isUptimeKnown, abs(observed.uptimeS - uptime) > 2 { expected.uptimeS = uptime }
        if isTimeSet { expected.flags.timeValid = true }
        fillNumbers(&expected, at: now)
        follow(observed, at: now)
        return .value(twin.profile.bytes(of: expected))
    }

    /// The last number, and the number of kept events: one more for each new event, and fewer after an acknowledgement.
    private func fillNumbers(_ expected: inout CounterStatus, at now: Timestamp) {
        guard isLastKnown, let last = twin.lastNumber else { return }
        let events = expected.lastNumber.distance(after: last)
        let isReplaying = mayReplay && now - replaySince <= Self.replayPause
        let isFine = events == 0 || events == 1 || events > 0 && (!isWatching || isReplaying)
        if !isFine { expected.lastNumber = last }
        guard isBufferKnown else { return }
        let count = min(twin.buffer.count + (isFine ? events : 0), ReplayBuffer.capacity)
        if let formerCount, formerCount.until >= now, expected.bufferedEvents == formerCount.count { return }
        expected.bufferedEvents = count
    }

    private mutating func follow(_ observed: CounterStatus, at now: Timestamp) {
        if !isUptimeKnown { twin.start = now.advanced(nanoseconds: -Int64(observed.uptimeS) * 1_000_000_000) }
        isUptimeKnown = true
        twin.memory.batteryPercent = UInt8(truncatingIfNeeded: observed.batteryPercent)
        // 0 also stands for no event.
        guard observed.lastNumber != 0 || observed.bufferedEvents > 0 else { return }
        if let formerCount, formerCount.until >= now, formerCount.count == observed.bufferedEvents { return }
        guard !isBufferKnown || twin.buffer.count != observed.bufferedEvents || twin.lastNumber != observed.lastNumber
        else { return }
        let former = twin.buffer.events
        twin.lastNumber = observed.lastNumber
        twin.nextNumber = observed.lastNumber &+ 1
        isLastKnown = true
        isBufferKnown = true
        let count = UInt32(min(observed.bufferedEvents, ReplayBuffer.capacity))
        twin.buffer.follow(
            (0..<count).map { place in
                let number = observed.lastNumber &- (count - 1 - place)
                return former[number] ?? CountEvent(unknown: number, of: twin.memory)
            })
    }
}

extension CountEvent {
    /// An event of which only the number is known.
    fileprivate init(unknown number: UInt32, of memory: CounterMemory) {
        self.init(
            header: Header(timestampValid: false, replayed: false, firstSinceBoot: false), delta: 1,
            sequenceNumber: Int(number), timestampS: 0, timestampMs: 0, deviceId: Int(memory.deviceID),
            locationId: Int(memory.locationID))
    }
}
