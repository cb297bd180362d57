import Bytes
import PluginKit

/// What a gateway makes of events and of what a counter says of itself.
extension CounterGateway {
    /// Counters that are remembered; of more, the one with the lowest device ID starts over.
    private static let deliveryLimit = 16

    @discardableResult
    mutating func withDelivery<Result>(_ body: (inout CounterDelivery) -> Result) -> Result? {
        guard let counter, var delivery = deliveries[counter] else { return nil }
        defer { deliveries[counter] = delivery }
        return body(&delivery)
    }

    /// Continues the delivery of the counter, or starts a new one if the counter has restarted.
    mutating func openDelivery(_ info: CounterInfo) -> [ClientAction] {
        counter = info.deviceId
        let former = deliveries[info.deviceId]
        if let former, former.bootCount == info.bootCount { return [] }
        if former == nil, deliveries.count >= Self.deliveryLimit, let lowest = deliveries.keys.min() {
            deliveries[lowest] = nil
        }
        deliveries[info.deviceId] = CounterDelivery(info)
        return former == nil ? [] : [.tell(TwinNote("sequence_reset", ["confirmed": .flag(true)]))]
    }

    /// The counter is alive. An answer may have to wait for its notifications.
    mutating func hear(at now: Timestamp) {
        staleTime = now + Self.patience
        outstanding?.limit = now + Self.responseLimit
    }

    mutating func compare(_ status: CounterStatus) -> [ClientAction] {
        noteLost(withDelivery { $0.compare(status) } ?? 0)
    }

    func noteLost(_ count: Int) -> [ClientAction] {
        count == 0 ? [] : [.tell(TwinNote("events_lost", ["count": .number(count)]))]
    }

    mutating func store(_ event: CountEvent, at now: Timestamp) -> [ClientAction] {
        hear(at: now)
        guard let verdict = withDelivery({ $0.take(event) }) else { return [] }
        switch verdict {
        case .first, .inOrder, .recovered: return [noteStored(event, at: now)]
        case .missing(let count, let number):
            let note = TwinNote("events_missing", ["count": .number(Int(count)), "from": .number(Int(number))])
            return [.tell(note), noteStored(event, at: now)]
        case .reset(_, let isConfirmed):
            let note = TwinNote("sequence_reset", ["confirmed": .flag(isConfirmed)])
            return [.tell(note), noteStored(event, at: now)]
        case .duplicate(isReplayed: true): return []
        case .duplicate(isReplayed: false), .contradiction:
            return [
                .tell(TwinNote("event_refused", ["sequence_number": .number(event.sequenceNumber)]))
            ]
        }
    }

    /// An event has the counter's time, or that of its arrival where the counter has no clock.
    private func noteStored(_ event: CountEvent, at now: Timestamp) -> ClientAction {
        let time =
            event.header.timestampValid
            ? Timestamp(seconds: Int64(event.timestampS), nanoseconds: Int64(event.timestampMs) * 1_000_000) : now
        return .tell(
            TwinNote(
                "event_stored",
                [
                    "device_id": .number(event.deviceId), "sequence_number": .number(event.sequenceNumber),
                    "timestamp_s": .number(event.timestampS), "delta": .number(event.delta),
                    "location_id": .number(event.locationId),
                    "time": .text("\(time)"), "device_time": .flag(event.header.timestampValid),
                ]))
    }
}
