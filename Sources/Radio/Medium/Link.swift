import Bluetooth
import Bytes

/// What happens next on a link.
enum LinkStep: Sendable {
    /// The central begins to send.
    case begin
    /// The central's PDU is over.
    case centralSent
    /// The peripheral's PDU is over.
    case peripheralSent
}

/// Two controllers that are connected: when they meet, and what they have for each other (Vol 6, Part B, 4.5).
struct Link: Sendable {
    /// One of the two.
    struct End: Sendable {
        /// Index of the controller; nil for one that has left.
        var controller: Int?
        var queue = FIFO<LinkPDU>()
        /// Whether the other end has the first of the queue, and this end does not know it yet.
        var firstIsDelivered = false
        /// Whether the first of the queue is being sent, instead of an empty PDU.
        var isSendingFirst = false
        /// When the other end was heard last.
        var lastHeard: Timestamp
        var phy: HCI.PHY
    }

    var central: End
    var peripheral: End
    var timing: LinkTiming
    /// Time of connection event 0.
    var anchor: Timestamp
    /// Number of the last event at which the two met, or tried to.
    var lastEvent: Int64 = 0
    /// Whether each end has heard the other.
    var isEstablished = false
    /// Whether something can get lost, so that every event is gone through.
    var isLossy = false
    /// Which scheduled step is the valid one; 0 while none is.
    var serial: UInt64 = 0
    /// Whether the scheduled step is the beginning of an event.
    var isWaiting = false
    /// Where the current event ends at the latest.
    var eventEnd: Timestamp

    /// Nanoseconds from event to event.
    var interval: Int64 { Int64(timing.interval) * Span.doubleSlot }

    /// Nanoseconds after which an end that hears nothing gives up: before the link is established, six intervals.
    var patience: Int64 { isEstablished ? Int64(timing.timeout) * Span.centisecond : 6 * interval }

    /// Whether an end has something to send, or waits for a confirmation.
    var hasWork: Bool { !central.queue.isEmpty || !peripheral.queue.isEmpty }

    func joins(_ one: Int, _ other: Int) -> Bool {
        central.controller == one && peripheral.controller == other
            || central.controller == other && peripheral.controller == one
    }

    subscript(_ side: Side) -> End {
        get { side == .central ? central : peripheral }
        set { if side == .central { central = newValue } else { peripheral = newValue } }
    }

    /// The two ends.
    enum Side: Sendable {
        case central, peripheral

        var other: Side { self == .central ? .peripheral : .central }
    }

    /// Which end a controller is.
    func side(of controller: Int) -> Side? {
        if central.controller == controller { return .central }
        return peripheral.controller == controller ? .peripheral : nil
    }

    /// The first event that is not before `time`, at which the peripheral listens.
    ///
    /// A peripheral that has something to send listens at every event, else it may skip as many as its latency.
    func event(notBefore time: Timestamp) -> Int64 {
        let elapsed = time.nanoseconds(since: anchor)
        let next = elapsed <= 0 ? 0 : (elapsed + interval - 1) / interval
        guard timing.latency > 0, peripheral.queue.isEmpty else { return next }
        let stride = Int64(timing.latency) + 1
        let skipped = (max(0, next - lastEvent) + stride - 1) / stride
        return max(next, lastEvent + skipped * stride)
    }

    func time(of event: Int64) -> Timestamp { anchor.advanced(nanoseconds: event * interval) }
}
