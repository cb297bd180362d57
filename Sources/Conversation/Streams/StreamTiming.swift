import Bytes

extension TimeSpan {
    /// Unit of the intervals of connections, trains and isochronous channels: 1.25 ms.
    static let intervalUnit = TimeSpan(microseconds: 1250)
}

/// The schedule of a stream's events, which gives the position of a PDU from its time.
struct StreamTiming: Sendable {
    /// Time between events; zero where it is not known.
    var interval = TimeSpan.zero
    /// Time of an event.
    private(set) var anchor: Timestamp?
    /// Number of the event at `anchor`.
    private(set) var event: Int64 = 0
    /// Whether `event` equals the sender's event counter.
    private(set) var isNumbered = false
    /// Whether the last PDU came when one was expected.
    private(set) var wasDue = true
    /// The last event with a captured PDU.
    private var lastHeard: Int64?
    var subevents = Subevents()

    /// The subevents of an event.
    struct Subevents: Sendable {
        var count: UInt8 = 1
        /// Time between subevents.
        var interval = TimeSpan.zero
        /// For a broadcast isochronous stream: time from the event to the stream's first subevent.
        var offset = TimeSpan.zero
        /// For periodic advertising: time from a subevent to its first response slot, and between slots.
        var slotDelay = TimeSpan.zero
        var slotSpacing = TimeSpan.zero
        /// For a broadcast isochronous stream: new payloads of an event, transmissions of each in that event, and the
        /// number of events by which further payloads are sent in advance.
        var burst: Int64 = 0
        var repetitions: Int64 = 1
        var preTransmission: Int64 = 0
    }

    /// The position of a PDU in its stream.
    struct Place {
        /// Nil where the sender's event counter is not known.
        var event: Int64?
        var subevent: UInt8?
        /// Events without a captured PDU, since the last event with one.
        var missed = 0
        /// Whether the PDU begins an event or a subevent: it came when one was expected.
        var isDue = false
    }

    /// Tolerance for capture timestamps.
    private static let tolerance = TimeSpan(microseconds: 400)
    /// A PDU that an AuxPtr points to comes later than this: after the shortest PDU and T_MAFS, 300 µs.
    private static let leastChainOffset = TimeSpan(microseconds: 350)
    /// Events that one pause may contain: timestamps may be centuries apart.
    private static let mostMissed = 1_000_000

    /// Sets the time of an event whose number is known.
    mutating func set(anchor: Timestamp, event: Int64) {
        if lastHeard != nil, !isNumbered { lastHeard = nil }
        self.anchor = anchor
        self.event = event
        isNumbered = true
    }

    /// Records a PDU at a time and returns its position.
    mutating func place(at time: Timestamp) -> Place {
        guard let anchor, interval > .zero else {
            anchor = time
            lastHeard = event
            return Place()
        }
        let hasSubevents = subevents.interval > .zero
        let sinceAnchor = (time - anchor) - subevents.offset
        // Without subevents an event has one PDU, which may come early or late.
        let early = hasSubevents ? min(Self.tolerance, interval / 4) : interval / 2
        let events = (sinceAnchor + early).count(of: interval)
        let within = sinceAnchor - interval * events
        var place = Place()
        var late = within
        if hasSubevents {
            let number = (within + subevents.interval / 2).count(of: subevents.interval)
            if number >= 0, number < Int64(subevents.count) {
                place.subevent = UInt8(truncatingIfNeeded: number)
                late = within - subevents.interval * number
            } else {
                isNumbered = false
            }
        } else if within.magnitude > max(interval / 8, Self.tolerance) {
            isNumbered = false
        }
        place.isDue = isNumbered && late.magnitude <= Self.leastChainOffset
        wasDue = place.isDue
        event = event &+ events
        let start = time - subevents.offset - subevents.interval * Int64(place.subevent ?? 0)
        if place.isDue {
            self.anchor = start
        } else {
            self.anchor = isNumbered || events == 0 ? anchor + interval * events : start
        }
        if let lastHeard, event > lastHeard &+ 1 {
            place.missed = min(Int(clamping: event &- lastHeard &- 1), Self.mostMissed)
        }
        lastHeard = event
        if isNumbered { place.event = event }
        return place
    }

    /// The slot of a response at a time, counted from a subevent; nil where it is not known.
    func responseSlot(at time: Timestamp, after subevent: Timestamp) -> UInt8? {
        guard subevents.slotSpacing > .zero else { return nil }
        let sinceFirst = (time - subevent) - subevents.slotDelay
        return UInt8(exactly: (sinceFirst + subevents.slotSpacing / 2).count(of: subevents.slotSpacing))
    }

    /// The number of the payload that a broadcast isochronous stream sends in a subevent (Vol 6, Part B, 4.4.6.6).
    func payload(at place: Place) -> UInt64? {
        guard let event = place.event, let subevent = place.subevent, subevents.burst > 0 else { return nil }
        let (group, number) = Int64(subevent).quotientAndRemainder(dividingBy: subevents.burst)
        let ahead =
            group < subevents.repetitions
            ? 0 : subevents.preTransmission * (group - subevents.repetitions + 1) * subevents.burst
        return UInt64(exactly: event &* subevents.burst &+ ahead &+ number)
    }
}
