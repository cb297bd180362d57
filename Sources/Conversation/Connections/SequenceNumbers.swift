import Bluetooth
import Bytes
import Captures

/// The acknowledgement state of a connection's data physical channel: sequence numbers of both sides, and their
/// acknowledgements (Vol 6, Part B, 4.5.9).
///
/// A sender repeats its last PDU until the peer acknowledges it, and changes its sequence number with the next PDU. A
/// one-bit number recurs with every second PDU, and a sniffer misses packets, so an equal number alone does not prove a
/// retransmission.
struct SequenceNumbers: Sendable {
    /// Classification of a data PDU in the sequence.
    enum Verdict: Sendable {
        case new
        /// A repetition of the sender's last PDU: the receiver drops it.
        case repeated
        /// Either: packets between it and the previous equal PDU may have been missed.
        case undecided
    }

    struct Observation: Sendable {
        var verdict = Verdict.new
        /// An earlier PDU of the same side was missed.
        var missedOwn = false
        /// An earlier PDU of the other side was missed.
        var missedPeer = false
        /// Packets before it may have been missed, which the numbers do not prove.
        var mayFollowMissed = false
    }

    /// The part of a PDU that a retransmission may not change.
    struct Content: Sendable, Equatable {
        var llid: UInt8
        /// Payload length in bytes.
        var length: Int
        var hash: UInt64
    }

    /// Longest silence of a side with a PDU to repeat; after a longer gap in the recording, an equal PDU may be new.
    private var longestSilence = TimeSpan(seconds: 1)
    /// The shortest connection interval that may be in force; nil where it is not known.
    var interval: TimeSpan?
    private var sides = (sent: Side(), received: Side())
    /// The last packet of either side.
    private var last: (direction: Direction, time: Timestamp)?

    /// Longest time from the beginning of the central's packet to that of the answer: the longest packet on LE 1M, the
    /// inter frame space, and the tolerance for capture timestamps.
    private static let longestTurn = TimeSpan(microseconds: 2400)

    /// Sets the connection's initial parameters: interval in units of 1.25 ms, latency in events.
    mutating func begin(interval: UInt16, latency: UInt16) {
        longestSilence = Self.longestSilence(interval, latency)
        (sides.sent.isAtBeginning, sides.received.isAtBeginning) = (true, true)
    }

    /// Sets parameters that will replace the current ones at a later instant.
    mutating func update(interval: UInt16, latency: UInt16) {
        longestSilence = max(longestSilence, Self.longestSilence(interval, latency))
    }

    /// The peripheral may skip `latency` events; a few more may be lost to interference.
    private static func longestSilence(_ interval: UInt16, _ latency: UInt16) -> TimeSpan {
        .intervalUnit * ((4 + Int64(latency)) * Int64(interval))
    }

    /// Observes a data PDU of a known direction.
    mutating func observe(
        _ header: LL.DataHeader, _ content: Content, _ direction: Direction, at time: Timestamp
    ) -> Observation {
        let isDoubtful = mayFollowMissed(header, direction, at: time)
        defer { last = (direction, time) }
        var observation =
            direction == .sent
            ? Self.observe(header, content, time, longestSilence, own: &sides.sent, peer: &sides.received)
            : Self.observe(header, content, time, longestSilence, own: &sides.received, peer: &sides.sent)
        observation.mayFollowMissed = isDoubtful.always || isDoubtful.asRepeated && observation.verdict == .repeated
        return observation
    }

    /// Whether packets before this one may have been missed: in any case, and if it turns out to be a repetition.
    ///
    /// Two missed packets leave no trace in the numbers: it looks as if the sender repeated its last PDU, though the
    /// peer has acknowledged it. The repetition is real if no packet can be missing since: the central sends in each
    /// connection event, and the peripheral answers each packet that it receives (Vol 6, Part B, 4.5.1).
    private func mayFollowMissed(
        _ header: LL.DataHeader, _ direction: Direction, at time: Timestamp
    ) -> (always: Bool, asRepeated: Bool) {
        let own = direction == .sent ? sides.sent : sides.received
        guard let before = own.last else {
            // Both sides begin with 0 (4.5.9).
            let peer = direction == .sent ? sides.received : sides.sent
            let acknowledgesUnheard = header.nextExpectedSequenceNumber == 1 && peer.last == nil
            return (own.isAtBeginning && (header.sequenceNumber == 1 || acknowledgesUnheard), false)
        }
        // The peripheral sends only in answer to a packet of the central.
        let isUnanswering = direction == .received && last?.direction == .received
        guard case .none = own.acknowledgement else {
            if direction == .received {
                return (isUnanswering, time - (last?.time ?? .epoch) > Self.longestTurn)
            }
            let silence: TimeSpan = time - before.time
            let isNextEvent = interval.map { silence <= $0 + $0 / 2 } ?? false
            return (isUnanswering, !isNextEvent || sides.sent.hasMore || sides.received.hasMore)
        }
        return (isUnanswering, false)
    }

    private static func observe(
        _ header: LL.DataHeader, _ content: Content, _ time: Timestamp, _ longestSilence: TimeSpan, own: inout Side,
        peer: inout Side
    ) -> Observation {
        var observation = Observation()
        let expected = header.nextExpectedSequenceNumber
        if let last = own.last, last.expected != expected {
            // The side has accepted a PDU of the peer.
            observation.missedPeer = !peer.isUnacknowledged
            peer.isUnacknowledged = false
        }
        peer.acknowledge(expected, by: header.sequenceNumber)
        let isRepetition = own.last?.number == header.sequenceNumber
        if isRepetition, own.last?.content == content {
            observation.verdict = own.verdict(onRepetitionExpecting: expected, at: time, longestSilence)
            observation.missedOwn = observation.verdict != .repeated
        } else {
            observation.missedOwn = isRepetition
            own.noteNumber(isSame: isRepetition)
        }
        if observation.verdict != .repeated { own.isUnacknowledged = true }
        own.last = SentPDU(number: header.sequenceNumber, expected: expected, content: content, time: time)
        own.hasMore = header.moreData
        own.acknowledgement = .none
        return observation
    }
}

extension SequenceNumbers {
    /// One side's last PDU and the peer's answer to it.
    private struct Side: Sendable {
        var last: SentPDU?
        /// Whether the connection was captured from its beginning.
        var isAtBeginning = false
        /// Whether the last packet announced more in the same connection event.
        var hasMore = false
        /// Whether the peer has not acknowledged a captured PDU.
        var isUnacknowledged = false
        /// The peer's acknowledgements since `last`.
        var acknowledgement = Acknowledgement.none
        /// Consecutive PDUs that had the previous number and different content.
        var unchangedNumbers: UInt8 = 0

        /// Whether the recorder writes one sequence number for all PDUs: no real sequence contradicts itself so often.
        var hasConstantNumbers: Bool { unchangedNumbers >= 4 }

        mutating func noteNumber(isSame: Bool) {
            unchangedNumbers = isSame ? min(unchangedNumbers + 1, 4) : 0
        }

        /// Records a packet of the peer: the number that it expects next, and its own number.
        mutating func acknowledge(_ expected: UInt8, by number: UInt8) {
            guard let last else { return }
            switch acknowledgement {
            case .none: if expected != last.number { acknowledgement = .once(by: number) }
            case .once: if expected == last.number { acknowledgement = .andNext }
            case .andNext: break
            }
        }

        /// Classifies a PDU that equals `last` in number and content and expects the number `expected` next.
        func verdict(onRepetitionExpecting expected: UInt8, at time: Timestamp, _ longestSilence: TimeSpan) -> Verdict {
            guard let last else { return .new }
            // The peer has accepted the PDU with the other number since.
            if case .andNext = acknowledgement { return .new }
            let silence: TimeSpan = time - last.time
            if hasConstantNumbers || silence < .zero || silence > longestSilence { return .undecided }
            guard case .once(let number) = acknowledgement else { return .repeated }
            // This side expected the packet with the acknowledgement: its next packet shows whether it has received it.
            guard number == last.expected else { return .undecided }
            return expected == last.expected ? .repeated : .new
        }
    }

    /// The peer's progress since a side's last PDU.
    private enum Acknowledgement: Sendable {
        case none
        /// It expects the next PDU. `by` is the number of its first packet that showed this.
        case once(by: UInt8)
        /// It has also accepted the next PDU, which was missed.
        case andNext
    }

    private struct SentPDU: Sendable {
        var number: UInt8
        var expected: UInt8
        var content: Content
        var time: Timestamp
    }
}
