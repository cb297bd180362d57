import Bluetooth
import Bytes
import Captures
import Conformance
import Conversation
import PluginKit

/// The ATT transactions of a connection: requests and indications that are not answered, answered late, or sent before
/// the one before was answered (Vol 3, Part F, 3.3.2 and 3.3.3).
struct Transactions {
    /// A sender of requests or of indications on one bearer.
    private struct Side: Hashable {
        var bearer: UInt8
        var direction: Direction
        var indicates: Bool
    }

    /// A request without a response in time.
    struct Unanswered {
        let request: SentRequest
        /// The time that the requester waited.
        var wait: TimeSpan
        /// The response after the timeout; nil for none.
        var late: FrameReference?
        /// The request that the requester sent instead of waiting on; nil for none.
        var next: FrameReference?
        /// The request that was pending when this one was sent; nil for none.
        var overlapped: SentRequest?
        /// Whether the wait was longer than the transaction timeout.
        var isTimedOut: Bool { wait > Transaction.limit }
    }

    /// A request that was sent before the response to the one before.
    struct Overlap {
        let first: SentRequest
        let second: SentRequest
        /// The response to the first request, after the second one; nil for none.
        var response: FrameReference?
        /// Whether the responses show that the second request was sent before the response to the first.
        var isProven = false

        /// Whether both were sent within the shortest connection interval: a server's host does not respond that fast,
        /// so that no response was missed in between.
        var isWithinEvent: Bool { second.sent.time - first.sent.time < TimeSpan(microseconds: 7500) }
    }

    private var open: [Side: [SentRequest]] = [:]
    private var overlaps: [Overlap] = []
    /// Number of overlaps, with those that are not kept.
    private(set) var overlapCount = 0
    /// Requests without a response in time, by frame.
    private(set) var unanswered: [Int: Unanswered] = [:]
    /// The overlap that is a failure, by the frame of the second request.
    private(set) var overlapping: [Int: Overlap] = [:]

    /// Requests of one side, and overlaps, that are kept.
    private static let (openLimit, overlapLimit, unansweredLimit) = (8, 16, 64)
    /// The wait after which a side that ends the connection has given up on a response.
    static let patience = TimeSpan(seconds: 3)

    mutating func begin(_ request: SentRequest, _ event: Event, indicates: Bool) {
        let side = Side(bearer: event.moment.bearer, direction: event.direction, indicates: indicates)
        var pending = open[side] ?? []
        if let before = pending.last {
            let wait: TimeSpan = request.sent.time - before.sent.time
            if wait > Transaction.limit {
                pending.removeLast()
                add(Unanswered(request: before, wait: wait, next: request.sent))
            } else {
                overlapCount += 1
                if overlaps.count < Self.overlapLimit { overlaps.append(Overlap(first: before, second: request)) }
            }
        }
        if pending.count >= Self.openLimit { pending.removeFirst() }
        open[side] = pending + [request]
    }

    /// Ends the transaction that a response answers, and returns its request; nil if the request was not captured.
    mutating func end(_ event: Event, indicates: Bool) -> SentRequest? {
        let side = Side(bearer: event.moment.bearer, direction: event.direction.opposite, indicates: indicates)
        guard let answered = event.request?.frame, let pending = open[side],
            let place = pending.firstIndex(where: { $0.sent.frame == answered })
        else { return nil }
        let request = pending[place]
        // A server answers in order: it will not answer the requests before this one any more.
        open[side] = Array(pending[(place + 1)...])
        for index in overlaps.indices {
            if overlaps[index].first.sent == request.sent {
                overlaps[index].response = event.moment
                // Of two requests of one kind, the response may answer the second if the one to the first is missing.
                overlaps[index].isProven = overlaps[index].second.opcode != request.opcode
            } else if overlaps[index].second.sent == request.sent, overlaps[index].response != nil {
                overlaps[index].isProven = true
            }
        }
        let wait: TimeSpan = event.moment.time - request.sent.time
        if wait > Transaction.limit { add(Unanswered(request: request, wait: wait, late: event.moment)) }
        return request
    }

    /// Settles the transactions of a closed bearer.
    mutating func close(_ bearer: UInt8, at time: Timestamp) {
        for side in open.keys.filter({ $0.bearer == bearer }) {
            let pending = open.removeValue(forKey: side) ?? []
            if let last = pending.last, time - last.sent.time > Transaction.limit {
                add(Unanswered(request: last, wait: time - last.sent.time))
            }
        }
    }

    private mutating func add(_ request: Unanswered) {
        if unanswered.count < Self.unansweredLimit { unanswered[request.request.sent.frame] = request }
    }

    /// Adds the failures of the connection. `closed` is its end if a side ended it, and `secured` the time of the last
    /// step of pairing or encryption, which a response may wait for.
    mutating func finish(
        _ session: Session, at time: Timestamp, closed: FrameReference?, secured: Timestamp
    ) {
        for pending in open.values {
            guard let last = pending.last else { continue }
            let wait: TimeSpan = time - last.sent.time
            let hasGivenUp = closed != nil && wait >= Self.patience && secured < last.sent.time
            if wait > Transaction.limit || hasGivenUp { add(Unanswered(request: last, wait: wait)) }
        }
        for (frame, request) in unanswered {
            let overlap = overlaps.first { $0.second.sent == request.request.sent }
            guard let overlap, overlap.first.isFromHost || overlap.isWithinEvent else { continue }
            unanswered[frame]?.overlapped = overlap.first
        }
        settleOverlaps(session)
        for request in unanswered.values.sorted(by: { $0.request.sent < $1.request.sent }) {
            let end = request.late ?? request.next ?? closed
            session.add(
                Failure(
                    request.request.failureKind, [request.request.sent] + (end.map { [$0] } ?? []),
                    .unanswered(request.request.opcode, handle: request.request.handle)))
        }
        if let overlap = overlapping.values.first {
            session.add(
                Failure(
                    .procedureFailed, [overlap.first.sent, overlap.second.sent],
                    .unanswered(overlap.second.opcode, handle: overlap.second.handle)))
        }
    }

    /// Selects the overlap that is a failure. On the air, a request without a response is more likely one of which the
    /// sniffer missed the response, unless the next one follows in the same connection event.
    private mutating func settleOverlaps(_ session: Session) {
        if let proven = overlaps.first(where: { $0.isProven }) {
            overlapping[proven.second.sent.frame] = proven
            return
        }
        let isGapless = session.connection.gaps.keys.allSatisfy { $0 == .unanswered }
        guard isGapless, !unanswered.values.contains(where: { $0.overlapped != nil }),
            let last = overlaps.first(where: { ($0.first.isFromHost || $0.isWithinEvent) && $0.response == nil })
        else { return }
        let wait: TimeSpan = last.second.sent.time - last.first.sent.time
        if wait >= Self.patience {
            add(Unanswered(request: last.first, wait: wait, next: last.second.sent))
        } else {
            overlapping[last.second.sent.frame] = last
        }
    }
}

extension SentRequest {
    /// What fails with the request.
    fileprivate var failureKind: Failure.Kind {
        if opcode.hasHandleRange { return .discoveryFailed }
        return isConfiguration ? .subscriptionFailed : .procedureFailed
    }
}
