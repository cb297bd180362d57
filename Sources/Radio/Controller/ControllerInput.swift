/// An input of a controller: from its host, its clock or the air.
package enum ControllerInput: Sendable {
    /// A packet from the host, beginning with the H4 packet indicator.
    case packet([UInt8])
    /// A requested alarm has expired.
    case alarm(ControllerAlarm)
    /// The time of an advertising set's next event.
    case advertisingEvent(set: UInt8)
    case advertisement(Advertisement, Reception)
    case scanRequest(ScanRequest)
    /// The response to the controller's scan request: the advertisement in question, with the scan response's data.
    case scanResponse(Advertisement, Reception)
    /// A connection request to one of the controller's advertising sets.
    case connectRequest(ConnectRequest, LinkID, Reception)
    /// The controller's own connection request was sent, or accepted if a response was expected.
    case connected(ConnectRequest, LinkID, Reception)
    /// The controller's own connection request was not answered.
    case connectFailed
    case pdu(LinkPDU, LinkID, Reception)
    /// The oldest unacknowledged PDU sent on a link has arrived.
    case acknowledged(LinkID)
    /// An agreed change of a link takes effect.
    case changed(LinkChange, LinkID)
    /// Supervision timeout of a link.
    case lost(LinkID, wasEstablished: Bool)
}

/// An action requested by a controller.
package enum ControllerAction: Sendable {
    /// A packet to the host, beginning with the H4 packet indicator.
    case packet([UInt8])
    case wake(ControllerAlarm, after: Int64)
    /// Starts an advertising set with an event every `interval` nanoseconds. Events without a listener may be skipped
    /// unless `everyEventCounts`.
    case startAdvertising(set: UInt8, interval: Int64, everyEventCounts: Bool, isHighDutyCycle: Bool)
    case stopAdvertising(set: UInt8)
    case advertise(Advertisement)
    /// Starts listening to advertisers, or changes it; nil stops.
    case listen(Listener, Listening?)
    case requestScan(ScanRequest)
    /// Responds to a scan request with the set's advertisement and the scan response's data.
    case answerScan(Advertisement)
    case connect(ConnectRequest)
    /// Accepts the connection request just received.
    case accept(LinkID)
    case send(LinkPDU, LinkID)
    /// Stops receiving and sending on a link.
    case leave(LinkID)
}

/// The part of a controller that listens to advertisers.
package enum Listener: Sendable {
    case scanner, initiator
}

/// Scan timing and PHYs of a listener.
package struct Listening: Hashable, Sendable {
    /// Scan interval, in nanoseconds.
    package var interval: Int64
    /// Scan window, in nanoseconds.
    package var window: Int64
    /// PHYs as bits: bit 0 LE 1M, bit 2 LE Coded.
    package var phys: UInt8
}

/// Alarm of a controller.
package enum ControllerAlarm: Hashable, Sendable {
    /// End of an advertising set's duration; `serial` identifies the start.
    case advertisingEnd(set: UInt8, serial: UInt64)
    case scanEnd(serial: UInt64)
    /// Start of the next scan period.
    case scanPeriod(serial: UInt64)
    /// Response timeout of a link layer procedure.
    case procedureTimeout(LinkID, serial: UInt64)
}
