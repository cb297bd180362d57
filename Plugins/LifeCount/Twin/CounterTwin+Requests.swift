import Bytes
import PluginKit
import Profile

/// The Control Point of a counter.
extension CounterTwin {
    /// ATT error codes (Vol 3, Part F, 3.4.1.1; CSS, Part B, 1.2).
    private enum Refusal {
        static let invalidAttributeValueLength: UInt8 = 0x0D
        static let cccdImproperlyConfigured: UInt8 = 0xFD
    }

    /// Answers the write of a request, then the request with an indication.
    mutating func answer(
        _ bytes: [UInt8], from client: TwinClient, _ ticket: TwinTicket, at now: Timestamp
    ) -> [TwinAction] {
        guard let gateway, gateway.client == client, gateway.takesResponses else {
            return [.answer(ticket, .refused(Refusal.cccdImproperlyConfigured))]
        }
        guard let request: ControlRequest = profile.value(of: bytes) else {
            return [.answer(ticket, .refused(Refusal.invalidAttributeValueLength))]
        }
        let outcome = perform(request, at: now)
        let response = ControlResponse(opcode: .init(rawValue: request.opcode.rawValue), status: outcome.status)
        return [
            .answer(ticket, .accepted),
            .indicate(CharacteristicName.controlPoint.rawValue, profile.bytes(of: response), to: client),
        ] + outcome.actions
    }

    private typealias Outcome = (status: ControlResponse.Status, actions: [TwinAction])

    private mutating func perform(_ request: ControlRequest, at now: Timestamp) -> Outcome {
        // A request whose length does not match its opcode has `parameters` only.
        switch (request.opcode, request.number) {
        case (.unnamed, _): return (.unknownOpcode, [])
        case (.setTime, _): return setTime(request, at: now)
        case (.replayFrom, let number?): return replay(from: number)
        case (.ack, let number?): return acknowledge(number)
        case (.setLocation, _): return setLocation(request)
        case (.identify, _) where request.parameters == nil: return (.done, [.event(TwinNote("identified"))])
        case (.replayFrom, nil), (.ack, nil), (.identify, _): return (.badValue, [])
        }
    }

    private mutating func setTime(_ request: ControlRequest, at now: Timestamp) -> Outcome {
        guard let seconds = request.time, let milliseconds = request.milliseconds, milliseconds <= 999 else {
            return (.badValue, [])
        }
        clock.set(to: CounterClock.Reading(seconds: seconds, milliseconds: milliseconds), at: now)
        return (.done, [.event(TwinNote("time_set", ["seconds": .number(seconds)]))])
    }

    private mutating func replay(from number: UInt32) -> Outcome {
        guard let events = buffer.replay(from: number) else { return (.notAvailable, []) }
        return (.done, send(events) + [.event(TwinNote("replayed", ["events": .number(events.count)]))])
    }

    /// Events that are no longer kept need no acknowledgement; events that have not happened cannot be acknowledged.
    private mutating func acknowledge(_ number: UInt32) -> Outcome {
        guard let lastNumber, number.distance(after: lastNumber) <= 0 else { return (.badValue, []) }
        buffer.acknowledge(number)
        return (.done, [])
    }

    private mutating func setLocation(_ request: ControlRequest) -> Outcome {
        guard let locationID = request.locationId else { return (.badValue, []) }
        memory.locationID = UInt16(truncatingIfNeeded: locationID)
        let note = TwinNote("location_set", ["location_id": .number(locationID)])
        return (.done, [.set(CharacteristicName.counterInfo.rawValue, infoBytes), .store, .event(note)])
    }
}
