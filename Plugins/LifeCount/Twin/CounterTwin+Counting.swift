import Bytes
import PluginKit
import Profile

/// Stimuli of a counter, and its counting.
extension CounterTwin {
    mutating func happen(_ stimulus: Stimulus, at now: Timestamp) -> [TwinAction] {
        guard let kind = CounterStimulus(rawValue: stimulus.name) else { return [] }
        let amount = kind.definition.taken(stimulus.amount)
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

    /// Counts a passage.
    mutating func count(_ delta: Int, at now: Timestamp) -> [TwinAction] {
        if hasSensorFault { return [.event(TwinNote("not_counted", ["delta": .number(delta)]))] }
        let time = clock.read(at: now)
        let event = CountEvent(
            header: CountEvent.Header(
                timestampValid: time != nil, replayed: false, firstSinceBoot: lastNumber == nil),
            delta: delta, sequenceNumber: Int(nextNumber), timestampS: time?.seconds ?? 0,
            timestampMs: time?.milliseconds ?? 0, deviceId: Int(memory.deviceID), locationId: Int(memory.locationID))
        lastNumber = nextNumber
        nextNumber &+= 1
        inside += delta
        var actions: [TwinAction] = []
        let isSent = gateway?.wantsEvents ?? false
        let dropped = buffer.keep(event, isSent: isSent)
        if isSent { actions.append(.notify(CharacteristicName.countEvent.rawValue, profile.bytes(of: event))) }
        actions.append(.event(TwinNote("counted", event.facts)))
        if let dropped { actions.append(.event(TwinNote("event_dropped", dropped.facts))) }
        return actions
    }

    private mutating func charge(to percent: UInt8) -> [TwinAction] {
        guard percent != memory.batteryPercent else { return [] }
        memory.batteryPercent = percent
        let name = CharacteristicName.batteryLevel.rawValue
        return [.set(name, batteryBytes), .notify(name, batteryBytes), .store]
    }
}

extension CountEvent {
    fileprivate var facts: KeyValuePairs<String, TwinNote.Amount> {
        ["sequence_number": .number(sequenceNumber), "delta": .number(delta)]
    }
}
