import Bluetooth
import Bytes
import PluginKit

extension Session {
    /// The request that was not answered in time, if that is the failure.
    func unanswered(_ failure: Failure) -> Transactions.Unanswered? {
        guard case .unanswered = failure.detail, let frame = failure.frames.first?.frame else { return nil }
        return attributes.transactions.unanswered[frame]
    }

    /// The request that was sent too early, if that is the failure.
    func overlap(_ failure: Failure) -> Transactions.Overlap? {
        guard case .unanswered = failure.detail, let frame = failure.frames.last?.frame else { return nil }
        return attributes.transactions.overlapping[frame]
    }
}

/// The server did not respond.
enum RequestTimeout: Cause {
    static let info = CauseInfo(
        "request_timeout", "The other side did not answer a request within the transaction timeout of 30 s.",
        explains: [.procedureFailed, .discoveryFailed, .subscriptionFailed],
        evidence: """
            Certain: no answer was captured for more than 30 s, or it came later, and nothing of the connection is \
            missing. Likely: the same on a connection with gaps; or a side ended the connection, or sent another \
            request, after it had waited for an answer for 3 s or longer.
            """,
        against: """
            The connection was lost, or the capture ended, before 30 s had passed; pairing or encryption went on, for \
            which a server may keep the response back; the next request followed at once.
            """,
        advice: """
            Find out why the other side does not answer: a callback that blocks or never completes the request, a full \
            queue, a crash. A server answers at once, with an error where a value is not ready. After 30 s the client \
            must disconnect: the bearer cannot be used again.
            """,
        source: "Vol 3, Part F, 3.3.3")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        if let overlap = session.overlap(failure) {
            let wait = overlap.second.sent.seconds(since: overlap.first.sent).secondsText
            return .excluded("the next request was sent \(wait) after \(overlap.first.text)")
        }
        guard let unanswered = session.unanswered(failure) else { return nil }
        if let before = unanswered.overlapped {
            return .excluded("the request was sent while \(before.text) was pending")
        }
        let request = unanswered.request
        let wait = unanswered.wait.seconds.secondsText
        let answer = request.opcode == .handleValueIndication ? "confirmation" : "response"
        let text =
            if let late = unanswered.late {
                "the \(answer) to \(request.text) came after \(wait), in frame \(late.frame): the limit is 30 s"
            } else if let next = unanswered.next {
                "\(request.text) got no \(answer) for \(wait), and frame \(next.frame) has the next request"
            } else {
                "\(request.text) got no \(answer) in the \(wait) until the connection or the capture ended"
            }
        let isCertain = unanswered.isTimedOut && session.connection.isGapless
        return .found(isCertain ? .certain : .likely, frames: failure.frames, text: text)
    }
}

/// The client did not wait for the response.
enum RequestsOverlapped: Cause {
    static let info = CauseInfo(
        "requests_overlapped", "A request was sent before the response to the one before had come.",
        explains: [.procedureFailed, .discoveryFailed, .subscriptionFailed],
        evidence: """
            Certain: both responses came after the second request, and nothing of the connection is missing. Likely: \
            the same on a connection with gaps; or, in a host's log, the first request got no response. On the air, a \
            missing response alone shows nothing: the sniffer may have missed it.
            """,
        against: "The client had waited for the response for 3 s or longer, so that it gave up on the first request.",
        advice: """
            Queue the requests of each bearer: send the next one only after the response, or the Error Response, to \
            the one before. A server may drop a request that comes too early.
            """,
        source: "Vol 3, Part F, 3.3.2")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        if let unanswered = session.unanswered(failure), let before = unanswered.overlapped {
            return .found(
                .likely, frames: [before.sent] + failure.frames,
                text: "\(unanswered.request.text) was sent while \(before.text) was pending, and got no response"
            )
        }
        if let unanswered = session.unanswered(failure), let next = unanswered.next {
            return .excluded(
                "the request in frame \(next.frame) came after a wait of \(unanswered.wait.seconds.secondsText)")
        }
        guard let overlap = session.overlap(failure) else { return nil }
        let count = session.attributes.transactions.overlapCount
        let response =
            overlap.response.map { "its response came in frame \($0.frame)" } ?? "it never got a response"
        let times = count > 1 ? "; \(count) requests of the connection overlap" : ""
        return .found(
            overlap.isProven && session.connection.isGapless ? .certain : .likely,
            frames: failure.frames + (overlap.response.map { [$0] } ?? []),
            text: "\(overlap.second.text) was sent while \(overlap.first.text) was pending: \(response)\(times)")
    }
}
