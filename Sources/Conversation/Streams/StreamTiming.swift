import Bytes

extension TimeSpan {
    /// What intervals of connections, trains and isochronous channels are counted in.
    static let intervalUnit = TimeSpan(microseconds: 1250)
}

/// When the events of a stream come: gives the place of a PDU by its time.
struct StreamTiming: Sendable {
    /// From event to event; zero where it is not known.
    var interval = TimeSpan.zero
    /// Time of an event.
    private(set) var anchor: Timestamp?
    /// The number of that event.
    private(set) var event: Int64 = 0
    /// Whether `event` counts as the sender does.
    private(set) var isNumbered = false
    /// Whether the last PDU came when one was due.
    private(set) var wasDue = true
    /// The last event of which a PDU was heard.
    private var lastHeard: Int64?
    var subevents = Subevents()

    /// The parts of an event.
    struct Subevents: Sendable {
        var count: UInt8 = 1
        /// From subevent to subevent.
        var interval = TimeSpan.zero
        /// Of a broadcast isochronous stream: from the event to the stream's first subevent.
        var offset = TimeSpan.zero
        /// Of periodic advertising: from a subevent to its first response slot, and from slot to slot.
        var slotDelay = TimeSpan.zero
        var slotSpacing = TimeSpan.zero
        /// Of a broadcast isochronous stream: new payloads of an event, how often each is sent in it, and by how many
        /// events others are sent before their own.
        var burst: Int64 = 0
        var repetitions: Int64 = 1
        var preTransmission: Int64 = 0
    }

    /// The place of a PDU.
    struct Place {
        /// Nil where nothing says how the sender counts.
        var event: Int64?
        var subevent: UInt8?
        /// Events since the last one that was heard, of which nothing was heard.
        var missed = 0
        /// Whether the PDU begins an event or a subevent: it came when one was due.
        var isDue = false
    }

    /// How far times of capture may be off.
    private static let tolerance = TimeSpan(microseconds: 400)
    /// What an AuxPtr leads to comes later than this: after the shortest PDU and T_MAFS, 300 µs.
    private static let leastChainOffset = TimeSpan(microseconds: 350)
    /// Events that one pause may have: times may be centuries apart.
    private static let mostMissed = 1_000_000

    /// Sets the time of an event whose number is known.
    mutating func set(anchor: Timestamp, event: Int64) {
        if lastHeard != nil, !isNumbered { lastHeard = nil }
        self.anchor = anchor
        self.event = event
        isNumbered = true
    }

    /// The place of a PDU at a time, which is heard.
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

    /// The slot of a response at a time, after a subevent at another one; nil where that is not known.
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
