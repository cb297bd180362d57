/// Tracks one counter's sequence numbers: which are in order, missing or repeated.
///
/// The rules are those of "Integrity" in the counter's profile description. A replayed event is looked up among the
/// accepted ones, because replays do not come in the order of their numbers; every other event is compared with the
/// last one. The memory is bounded: `historyLimit` contents to distinguish a repetition from a contradiction, and
/// `gapLimit` gaps.
struct SequenceRuleTracker: Sendable {
    /// The place of an event in the sequence of its device.
    enum Verdict: Hashable, Sendable {
        /// The first known event of the device.
        case first
        /// The successor of the last event; 0 succeeds 2^32-1.
        case inOrder
        /// `count` events between the last one and this one are missing, the first of them with the number `from`.
        case missing(count: UInt32, from: UInt32)
        /// The device restarted its count; confirmed if the event is marked as the first since a boot.
        case reset(from: UInt32, isConfirmed: Bool)
        /// The event was accepted before and is not counted again; `isReplayed` if it is marked as replayed.
        case duplicate(isReplayed: Bool)
        /// A replayed event that was missing until now, or is older than the first known one.
        case recovered
        /// The number was accepted before, for an event with different content.
        case contradiction(CountEvent)
    }

    /// Maximum number of remembered contents; twice what a counter keeps for replays.
    static let historyLimit = 1024
    /// Maximum number of remembered gaps; beyond it, the oldest count as filled.
    static let gapLimit = 64

    /// Number of the event accepted last in order, extended over wraps; nil before the first event.
    private var last: Int64?
    /// The lowest known number, on the same scale.
    private var first: Int64 = 0
    /// Numbers that were not seen, lowest first.
    private var gaps: [ClosedRange<Int64>] = []
    /// Accepted events by their place on the scale, and the places in order of arrival.
    private var history: [Int64: CountEvent] = [:]
    private var arrivals: [Int64] = []
    private var oldestArrival = 0

    init() {}

    mutating func classify(_ event: CountEvent) -> Verdict {
        guard let last else { return begin(with: event, .first) }
        let place = place(of: event, after: last)
        if place == last || event.header.replayed, let known = history[place] {
            if known.content == event.content { return .duplicate(isReplayed: event.header.replayed) }
            return event.header.firstSinceBoot ? reset(to: event) : .contradiction(known)
        }
        if place == last { return .duplicate(isReplayed: event.header.replayed) }
        if place > last { return advance(to: place, from: last, event) }
        guard event.header.replayed, !event.header.firstSinceBoot else { return reset(to: event) }
        return recover(event, at: place)
    }

    /// The number of the event accepted last in order; nil before the first event.
    var lastNumber: UInt32? { last.map { UInt32(truncatingIfNeeded: $0) } }

    /// The first number from `start` on that was not accepted; without `start`, from the first known number on. Nil if
    /// neither is known.
    func firstMissing(from start: UInt32?) -> UInt32? {
        guard let last else { return start }
        let place = start.map { last + Int64($0.distance(after: UInt32(truncatingIfNeeded: last))) } ?? first
        if place < first || place > last { return start }
        let gap = gaps.first { $0.upperBound >= place }
        return UInt32(truncatingIfNeeded: gap.map { max($0.lowerBound, place) } ?? last + 1)
    }

    /// The place of a number on the scale that continues over wraps. A replayed number is placed nearest to the last
    /// one. Any other is compared as a number, so that only the step from 2^32-1 to 0 is a wrap.
    private func place(of event: CountEvent, after last: Int64) -> Int64 {
        let number = UInt32(truncatingIfNeeded: last)
        let isWrap = number == .max && event.number == 0
        if event.header.replayed || isWrap {
            return last + Int64(event.number.distance(after: number))
        }
        return last + Int64(event.number) - Int64(number)
    }

    private mutating func begin(with event: CountEvent, _ verdict: Verdict) -> Verdict {
        self = SequenceRuleTracker()
        // One wrap above zero, so that older numbers have places too.
        let place = Int64(event.number) + 1 << 32
        first = place
        last = place
        remember(event, at: place)
        return verdict
    }

    private mutating func reset(to event: CountEvent) -> Verdict {
        let former = UInt32(truncatingIfNeeded: last ?? 0)
        return begin(with: event, .reset(from: former, isConfirmed: event.header.firstSinceBoot))
    }

    private mutating func advance(to place: Int64, from last: Int64, _ event: CountEvent) -> Verdict {
        self.last = place
        remember(event, at: place)
        guard place > last + 1 else { return .inOrder }
        gaps.append(last + 1...place - 1)
        forgetGaps()
        return .missing(
            count: UInt32(truncatingIfNeeded: place - last - 1), from: UInt32(truncatingIfNeeded: last + 1))
    }

    private mutating func recover(_ event: CountEvent, at place: Int64) -> Verdict {
        if place < first {
            if place + 1 < first { gaps.insert(place + 1...first - 1, at: 0) }
            first = place
        } else if let index = gaps.firstIndex(where: { $0.contains(place) }) {
            let gap = gaps[index]
            var rest: [ClosedRange<Int64>] = []
            if gap.lowerBound < place { rest.append(gap.lowerBound...place - 1) }
            if place < gap.upperBound { rest.append(place + 1...gap.upperBound) }
            gaps.replaceSubrange(index...index, with: rest)
        } else {
            return .duplicate(isReplayed: true)
        }
        forgetGaps()
        remember(event, at: place)
        return .recovered
    }

    private mutating func forgetGaps() {
        if gaps.count > Self.gapLimit { gaps.removeFirst(gaps.count - Self.gapLimit) }
    }

    private mutating func remember(_ event: CountEvent, at place: Int64) {
        history[place] = event
        if arrivals.count < Self.historyLimit {
            arrivals.append(place)
        } else {
            history[arrivals[oldestArrival]] = nil
            arrivals[oldestArrival] = place
            oldestArrival = (oldestArrival + 1) % Self.historyLimit
        }
    }
}

extension SequenceRuleTracker.Verdict {
    var title: String {
        switch self {
        case .first: "first"
        case .inOrder: "in order"
        case .missing: "after a gap"
        case .reset(_, isConfirmed: true): "reset"
        case .reset(_, isConfirmed: false): "reset (unconfirmed)"
        case .duplicate(isReplayed: true): "replayed duplicate"
        case .duplicate(isReplayed: false): "duplicate"
        case .recovered: "recovered"
        case .contradiction: "contradiction"
        }
    }

    /// The problem; nil if there is none. A confirmed reset, and the replay of a known event, are correct.
    var warning: String? {
        switch self {
        case .first, .inOrder, .recovered, .duplicate(isReplayed: true), .reset(_, isConfirmed: true): nil
        case .missing(count: 1, let first): "1 event missing: \(first)"
        case .missing(let count, let first): "\(count) events missing: \(first) to \(first &+ (count - 1))"
        case .reset(let former, isConfirmed: false):
            "sequence reset (unconfirmed): after \(former), without first_since_boot"
        case .duplicate(isReplayed: false): "duplicate: the number and content of an event before"
        case .contradiction: "the number of an event before, with another content"
        }
    }
}
