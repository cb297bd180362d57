import Bytes
import PluginKit
import Profile

/// Storage of events and of the state that a counter reports.
extension CounterGateway {
    /// Maximum number of remembered counters; beyond it, the one with the lowest device ID starts over.
    private static let deliveryLimit = 16

    @discardableResult
    mutating func withDelivery<Result>(_ body: (inout CounterDelivery) -> Result) -> Result? {
        guard let counter, let place = deliveries.index(forKey: counter) else { return nil }
        return body(&deliveries.values[place])
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
        return former == nil ? [] : [.event(TwinNote("sequence_reset", ["confirmed": .flag(true)]))]
    }

    /// Extends the time limits: the counter is alive, and a response may have to wait for its notifications.
    mutating func hear(at now: Timestamp) {
        staleTime = now + Self.patience
        outstanding?.limit = now + Self.responseLimit
    }

    mutating func compare(_ status: CounterStatus) -> [ClientAction] {
        noteLost(withDelivery { $0.compare(status) } ?? 0)
    }

    func noteLost(_ count: Int) -> [ClientAction] {
        count == 0 ? [] : [.event(TwinNote("events_lost", ["count": .number(count)]))]
    }

    mutating func store(_ event: CountEvent, at now: Timestamp) -> [ClientAction] {
        hear(at: now)
        guard let verdict = withDelivery({ $0.take(event) }) else { return [] }
        switch verdict {
        case .first, .inOrder, .recovered: return commit(event, at: now)
        case .missing(let count, let number):
            let note = TwinNote("events_missing", ["count": .number(Int(count)), "from": .number(Int(number))])
            return [.event(note)] + commit(event, at: now)
        case .reset(_, let isConfirmed):
            let note = TwinNote("sequence_reset", ["confirmed": .flag(isConfirmed)])
            return [.event(note)] + commit(event, at: now)
        case .duplicate(isReplayed: true): return []
        case .duplicate(isReplayed: false), .contradiction: return refuse(event)
        }
    }

    private func refuse(_ event: CountEvent) -> [ClientAction] {
        [.event(TwinNote("event_refused", ["sequence_number": .number(event.sequenceNumber)]))]
    }

    /// Stores an event. Nothing is acknowledged before it is on disk.
    ///
    /// An event that is not a step of one person (delta 1 or -1) cannot be stored. It is acknowledged all the same,
    /// because a counter that keeps it would send it again after each connection.
    private mutating func commit(_ event: CountEvent, at now: Timestamp) -> [ClientAction] {
        guard abs(event.delta) == 1 else { return refuse(event) }
        unstored.append((event, now))
        let received = now.nanoseconds / 1_000_000
        let hasTime = event.header.timestampValid
        let entry = CountEntry(
            location: Int64(event.locationId == 0 ? assignedLocation ?? 0 : event.locationId),
            device: Int64(event.deviceId),
            time: hasTime ? Int64(event.timestampS) * 1000 + Int64(event.timestampMs) : received,
            isDeviceTime: hasTime, received: received, delta: Int64(event.delta), source: .hardware,
            sequenceNumber: Int64(event.sequenceNumber),
            boot: Int64(counter.flatMap { deliveries[$0]?.bootCount } ?? 0), gatewaySession: session,
            isReplayed: event.header.replayed)
        // A replayed event may be from an earlier location of the counter.
        var counter = seen(location: info?.locationId ?? event.locationId, device: event.deviceId, at: now)
        counter.fields.append((name: "last_event_ms", value: .integer(entry.time)))
        return [.commit([.add([entry.row], to: CounterTables.entries), .set(counter, in: CounterTables.counters)])]
    }

    /// Stores that the counter was seen, or that the connection to it has ended.
    mutating func keep(isActive: Bool = true, at now: Timestamp) -> [ClientAction] {
        guard let info else { return [] }
        unstored.append(nil)
        let counter = seen(location: info.locationId, device: info.deviceId, isActive: isActive, at: now)
        return [.commit([.set(counter, in: CounterTables.counters)])]
    }

    /// The counter's row: when it was last seen, its location, and the session that receives its events.
    private func seen(location: Int, device: Int, isActive: Bool = true, at now: Timestamp) -> Record {
        [
            "device_id": .integer(Int64(device)), "location_id": .integer(Int64(location)),
            "boot_count": .integer(Int64(counter.flatMap { deliveries[$0]?.bootCount } ?? 0)),
            "last_seen_ms": .integer(now.nanoseconds / 1_000_000), "gateway_session": .integer(session),
            "is_active": .boolean(isActive),
        ]
    }

    /// Handles the outcome of the oldest commit. An event that cannot be stored stays with the counter.
    mutating func settle(_ outcome: Result<Int, StoreFault>, at now: Timestamp) -> [ClientAction] {
        guard let entry = unstored.popFirst() else { return [] }
        switch outcome {
        case .success:
            let note = entry.map { [noteStored($0.event, at: $0.arrival)] } ?? []
            return note + (unstored.isEmpty ? askNext(at: now) : [])
        case .failure(let fault):
            forgetUnstored()
            return isConnected ? fail("\(fault)") : []
        }
    }

    /// Forgets the delivery, so that events that may not be on disk are received again: the counter keeps them until
    /// they are acknowledged.
    private mutating func forgetUnstored() {
        if let counter { deliveries[counter] = nil }
        unstored.removeAll()
    }

    /// The note of a stored event, with the counter's time or, if the counter has no clock, the time of arrival.
    private func noteStored(_ event: CountEvent, at now: Timestamp) -> ClientAction {
        let time =
            event.header.timestampValid
            ? Timestamp(seconds: Int64(event.timestampS), nanoseconds: Int64(event.timestampMs) * 1_000_000) : now
        return .event(
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
