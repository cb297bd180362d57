import Bytes
import PluginKit

/// What a gateway makes of events and of what a counter says of itself.
extension CounterGateway {
    /// Books that are kept; of more counters, the one with the lowest device ID begins anew.
    private static let bookLimit = 16

    @discardableResult
    mutating func withBook<Result>(_ body: (inout CounterBook) -> Result) -> Result? {
        guard let counter, var book = books[counter] else { return nil }
        defer { books[counter] = book }
        return body(&book)
    }

    /// Goes on with the book of the counter, or with a new one if that has begun anew.
    mutating func openBook(_ info: CounterInfo) -> [ClientAction] {
        counter = info.deviceId
        let former = books[info.deviceId]
        if let former, former.bootCount == info.bootCount { return [] }
        if former == nil, books.count >= Self.bookLimit, let lowest = books.keys.min() { books[lowest] = nil }
        books[info.deviceId] = CounterBook(info)
        return former == nil ? [] : [.tell(TwinNote("sequence_reset", ["confirmed": .flag(true)]))]
    }

    /// The counter lives. What it was asked for may have to wait for what it tells.
    mutating func hear(at now: Timestamp) {
        staleTime = now + Self.patience
        outstanding?.limit = now + Self.responseLimit
    }

    mutating func compare(_ status: CounterStatus) -> [ClientAction] {
        tellLost(withBook { $0.compare(status) } ?? 0)
    }

    func tellLost(_ count: Int) -> [ClientAction] {
        count == 0 ? [] : [.tell(TwinNote("events_lost", ["count": .number(count)]))]
    }

    mutating func store(_ event: CountEvent, at now: Timestamp) -> [ClientAction] {
        hear(at: now)
        guard let verdict = withBook({ $0.take(event) }) else { return [] }
        switch verdict {
        case .first, .inOrder, .recovered: return [tellStored(event, at: now)]
        case .missing(let count, let number):
            let note = TwinNote("events_missing", ["count": .number(Int(count)), "from": .number(Int(number))])
            return [.tell(note), tellStored(event, at: now)]
        case .reset(_, let isConfirmed):
            let note = TwinNote("sequence_reset", ["confirmed": .flag(isConfirmed)])
            return [.tell(note), tellStored(event, at: now)]
        case .duplicate(isReplayed: true): return []
        case .duplicate(isReplayed: false), .contradiction:
            return [
                .tell(TwinNote("event_refused", ["sequence_number": .number(event.sequenceNumber)]))
            ]
        }
    }

    /// An event has the counter's time, or that of its arrival where the counter has no clock.
    private func tellStored(_ event: CountEvent, at now: Timestamp) -> ClientAction {
        let time =
            event.header.timestampValid
            ? Timestamp(seconds: Int64(event.timestampS), nanoseconds: Int64(event.timestampMs) * 1_000_000) : now
        return .tell(
            TwinNote(
                "event_stored",
                [
                    "device_id": .number(event.deviceId), "sequence_number": .number(event.sequenceNumber),
                    "delta": .number(event.delta), "location_id": .number(event.locationId),
                    "time": .text("\(time)"), "device_time": .flag(event.header.timestampValid),
                ]))
    }
}
