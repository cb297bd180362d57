import Bytes
import PluginKit
import Profile

/// What happens to a counter, and what it counts.
extension CounterTwin {
    mutating func happen(_ stimulus: Stimulus, at now: Timestamp) -> [TwinAction] {
        guard let kind = CounterStimulus(rawValue: stimulus.name) else { return [] }
        let amount = kind.definition.amount(of: stimulus)
        switch kind {
        case .clickIn: return count(1, at: now)
        case .clickOut: return count(-1, at: now)
        case .rate: passages.setRate(amount, at: now)
        case .reboot: return [.fallSilent] + begin(at: now)
        case .loseClock: clock.lose()
        case .sensorFault: hasSensorFault = amount >= 0.5
        case .battery: return charge(to: UInt8(amount))
        case .nextNumber: nextNumber = UInt32(amount)
        }
        return []
    }

    /// Somebody passed.
    mutating func count(_ delta: Int8, at now: Timestamp) -> [TwinAction] {
        if hasSensorFault { return [.tell(TwinNote("not_counted", ["delta": .number(Int(delta))]))] }
        let time = clock.read(at: now)
        let event = CountEvent(
            header: CountEvent.Header(
                version: 1, isTimestampValid: time != nil, isReplayed: false, isFirstSinceBoot: lastNumber == nil),
            delta: delta, sequenceNumber: nextNumber, seconds: time?.seconds ?? 0,
            milliseconds: time?.milliseconds ?? 0, deviceID: memory.deviceID, locationID: memory.locationID)
        lastNumber = nextNumber
        nextNumber &+= 1
        inside += Int(delta)
        var actions: [TwinAction] = []
        let isSent = gateway?.wantsEvents ?? false
        let dropped = buffer.keep(event, isSent: isSent)
        if isSent { actions.append(.notify("count_event", profile.bytes(of: event, as: "count_event"))) }
        actions.append(.tell(TwinNote("counted", event.facts)))
        if let dropped { actions.append(.tell(TwinNote("event_dropped", dropped.facts))) }
        return actions
    }

    private mutating func charge(to percent: UInt8) -> [TwinAction] {
        guard percent != memory.batteryPercent else { return [] }
        memory.batteryPercent = percent
        return [.set("battery_level", batteryBytes), .notify("battery_level", batteryBytes), .store]
    }
}

extension CountEvent {
    fileprivate var facts: KeyValuePairs<String, TwinNote.Amount> {
        ["sequence_number": .number(Int(sequenceNumber)), "delta": .number(Int(delta))]
    }
}
