/// What comes to a controller: from its host, from its clock, from the air.
package enum ControllerInput: Sendable {
    /// A packet of its host, H4 packet indicator first.
    case packet([UInt8])
    /// A time that it asked for has come.
    case alarm(ControllerAlarm)
    /// An advertising set's next event is due.
    case advertisingEvent(set: UInt8)
    case advertisement(Advertisement, Reception)
    case scanRequest(ScanRequest)
    /// The answer to its scan request: the advertisement that it asked about, with the scan response's data.
    case scanResponse(Advertisement, Reception)
    /// Somebody wants to connect to an advertising set of its own.
    case connectRequest(ConnectRequest, LinkID, Reception)
    /// Its own request to connect was sent, or accepted where an answer was waited for.
    case connected(ConnectRequest, LinkID, Reception)
    /// Its own request to connect got no answer.
    case connectFailed
    case pdu(LinkPDU, LinkID, Reception)
    /// The oldest PDU that it sent on a link and that was not confirmed yet has arrived.
    case acknowledged(LinkID)
    /// What was agreed on for a link holds from now on.
    case changed(LinkChange, LinkID)
    /// Nothing was heard on a link for too long.
    case lost(LinkID, wasEstablished: Bool)
}

/// What a controller wants done.
package enum ControllerAction: Sendable {
    /// A packet for its host, H4 packet indicator first.
    case packet([UInt8])
    case wake(ControllerAlarm, after: Int64)
    /// A set begins to advertise, an event each `interval` nanoseconds. Events that nobody hears may be left out unless
    /// each counts.
    case startAdvertising(set: UInt8, interval: Int64, everyEventCounts: Bool, isHighDutyCycle: Bool)
    case stopAdvertising(set: UInt8)
    case advertise(Advertisement)
    /// From now on it listens to advertisers so; nil: no more.
    case listen(Listener, Listening?)
    case requestScan(ScanRequest)
    /// Answers a scan request, with the set's advertisement that carries the response's data.
    case answerScan(Advertisement)
    case connect(ConnectRequest)
    /// Takes the connect request that it was just handed.
    case accept(LinkID)
    case send(LinkPDU, LinkID)
    /// Hears and sends nothing on a link any more.
    case leave(LinkID)
}

/// Who in a controller listens to advertisers.
package enum Listener: Sendable {
    case scanner, initiator
}

/// When and where a controller listens to advertisers.
package struct Listening: Hashable, Sendable {
    /// Nanoseconds from one window's beginning to the next one's.
    package var interval: Int64
    /// Nanoseconds that it listens of each interval.
    package var window: Int64
    /// A bit for each PHY: 0 LE 1M, 2 LE Coded.
    package var phys: UInt8
}

/// What a controller waits for.
package enum ControllerAlarm: Hashable, Sendable {
    /// An advertising set's duration is over; `serial` identifies the start.
    case advertisingEnd(set: UInt8, serial: UInt64)
    case scanEnd(serial: UInt64)
    /// The next period of scanning begins.
    case scanPeriod(serial: UInt64)
    /// A peer does not answer in a link layer procedure.
    case procedureTimeout(LinkID, serial: UInt64)
}
