import Bluetooth
import Bytes

/// Next step on a link.
enum LinkStep: Sendable {
    /// Start of a connection event: the central sends.
    case begin
    /// End of the central's PDU.
    case centralSent
    /// End of the peripheral's PDU.
    case peripheralSent
}

/// A link between two controllers: its connection events and the queued PDUs (Vol 6, Part B, 4.5).
struct Link: Sendable {
    /// One end of the link.
    struct End: Sendable {
        /// Index of the controller; nil if it has left the link.
        var controller: Int?
        var queue = FIFO<LinkPDU>()
        /// Whether the first PDU of the queue has arrived but is not yet acknowledged.
        var firstIsDelivered = false
        /// Whether the first PDU of the queue is being sent, rather than an empty PDU.
        var isSendingFirst = false
        /// Whether the last PDU sent is an unacknowledged empty PDU, which precedes the queue.
        var repeatsEmpty = false
        /// transmitSeqNum, 0 or 1: SN of the PDU being sent.
        var sequenceNumber: UInt8 = 0
        /// nextExpectedSeqNum, 0 or 1: SN of the next new PDU from the other end.
        var expectedNumber: UInt8 = 0
        /// Time of the last reception from the other end.
        var lastHeard: Timestamp
        var phy: HCI.PHY

        /// The PDU being sent; nil for an empty one.
        var pdu: LinkPDU? { isSendingFirst ? queue.first : nil }
    }

    var central: End
    var peripheral: End
    var timing: LinkTiming
    /// Time of connection event 0; it changes with the timing.
    var anchor: Timestamp
    /// Number of the last connection event, successful or not.
    var lastEvent: Int64 = 0
    /// Number of event 0 since the start of the connection.
    var firstEvent: Int64 = 0
    /// Event at which the change takes effect that the central is announcing, counted from the start of the connection.
    var instant: Int64?
    /// Whether each end has received a packet from the other.
    var isEstablished = false
    /// Whether packets can be lost, so that every event is simulated.
    var isLossy = false
    /// Serial of the valid scheduled step; 0 if there is none.
    var serial: UInt64 = 0
    /// Whether the scheduled step is the start of an event.
    var isWaiting = false
    /// Latest end of the current event.
    var eventEnd: Timestamp
    /// The connection on the air; nil if nobody records it.
    var air: AirLink?

    /// Connection interval, in nanoseconds.
    var interval: Int64 { Int64(timing.interval) * Span.doubleSlot }

    /// Supervision timeout in nanoseconds; six intervals before the link is established.
    var patience: Int64 { isEstablished ? Int64(timing.timeout) * Span.centisecond : 6 * interval }

    /// Whether an end has PDUs to send or awaits an acknowledgment.
    var hasWork: Bool { !central.queue.isEmpty || !peripheral.queue.isEmpty }

    func joins(_ one: Int, _ other: Int) -> Bool {
        central.controller == one && peripheral.controller == other
            || central.controller == other && peripheral.controller == one
    }

    subscript(_ side: Side) -> End {
        get { side == .central ? central : peripheral }
        set { if side == .central { central = newValue } else { peripheral = newValue } }
    }

    enum Side: Sendable {
        case central, peripheral

        var other: Side { self == .central ? .peripheral : .central }
    }

    /// The end that a controller occupies; nil if it is not on the link.
    func side(of controller: Int) -> Side? {
        if central.controller == controller { return .central }
        return peripheral.controller == controller ? .peripheral : nil
    }

    /// The first event at or after `time` at which the peripheral listens.
    ///
    /// A peripheral with PDUs to send listens at every event; otherwise it may skip events up to its latency.
    func event(notBefore time: Timestamp) -> Int64 {
        let next = eventNumber(notBefore: time)
        guard timing.latency > 0, peripheral.queue.isEmpty else { return next }
        let stride = Int64(timing.latency) + 1
        let skipped = (max(0, next - lastEvent) + stride - 1) / stride
        return max(next, lastEvent + skipped * stride)
    }

    /// The first event at or after `time`.
    func eventNumber(notBefore time: Timestamp) -> Int64 {
        let elapsed = time.nanoseconds(since: anchor)
        return elapsed <= 0 ? 0 : (elapsed + interval - 1) / interval
    }

    /// Applies the sequence numbers of a packet from one end that the other end has received (Vol 6, Part B, 4.5.9).
    ///
    /// - Returns: whether the receiver did not have its PDU, and whether it acknowledges the receiver's last PDU.
    mutating func exchangeNumbers(from side: Side) -> (isNew: Bool, acknowledges: Bool) {
        let isNew = self[side].sequenceNumber == self[side.other].expectedNumber
        if isNew { self[side.other].expectedNumber ^= 1 }
        let acknowledges = self[side].expectedNumber != self[side.other].sequenceNumber
        if acknowledges { self[side.other].sequenceNumber ^= 1 }
        return (isNew, acknowledges)
    }

    func time(of event: Int64) -> Timestamp { anchor.advanced(nanoseconds: event * interval) }
}
