import Bluetooth
package import Bytes
import Captures
import Conversation
import PluginKit
import Profile

/// Timing of ATT transactions.
package enum Transaction {
    /// The transaction timeout (Vol 3, Part F, 3.3.3).
    package static let limit = TimeSpan(seconds: 30)

    static func isOver(since start: FrameReference, at time: Timestamp) -> Bool { time - start.time > limit }
}

/// Checks, for each direction of each bearer, that a PDU is answered before the transaction times out.
private struct AnswerWait {
    /// The expected answer: `a response`.
    let answer: String
    private var waiting = PerBearer<FrameReference?>(nil)

    init(for answer: String) {
        self.answer = answer
    }

    /// Starts the transaction of a PDU that requires an answer.
    mutating func begin(_ event: Event) { waiting[event.moment.bearer, event.direction] = event.moment }

    /// Checks the time of an answer.
    mutating func end(_ event: Event, _ report: inout RuleReport) {
        guard let start = waiting[event.moment.bearer, event.direction.opposite] else { return }
        waiting[event.moment.bearer, event.direction.opposite] = nil
        report.expect(
            !Transaction.isOver(since: start, at: event.moment.time), expected: "\(answer) within 30 s",
            observed: "one after \(event.moment.seconds(since: start)) s", at: [start, event.moment])
    }

    /// Settles the transactions of a closed bearer.
    mutating func close(_ bearer: UInt8, at time: Timestamp, _ report: inout RuleReport) {
        settle(waiting.close(bearer), at: time, &report)
    }

    func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        settle(waiting.all, at: end.time, &report)
    }

    private func settle(_ starts: [FrameReference?], at time: Timestamp, _ report: inout RuleReport) {
        for case let start? in starts where Transaction.isOver(since: start, at: time) {
            report.fail(expected: "\(answer) within 30 s", observed: "none", at: [start])
        }
    }
}

struct ResponseInTime: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-05", "A server responds to a request within 30 seconds.", role: .peripheral, severity: .warning,
        source: "Vol 3, Part F, 3.3.3",
        hint: "Respond at once, with an error where the value is not ready; the client gives the bearer up after 30 s.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> { .att(.request, .response).union([.bearers]) }

    private var wait = AnswerWait(for: "a response")

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if case .bearerClosed(let bearer) = event.content { wait.close(bearer, at: event.moment.time, &report) }
        guard case .att(let att) = event.content else { return }
        if att.kind == .request {
            wait.begin(event)
        } else if event.request != nil {
            wait.end(event, &report)
        }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        wait.finish(end, &report)
    }
}

struct IndicationConfirmed: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-06", "A client confirms each indication within 30 seconds.", role: .client,
        source: "Vol 3, Part F, 3.3.3 and 3.4.7.2",
        hint: "Send Handle Value Confirmation at once, before the value is dealt with.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> { .att(.indication, .confirmation).union([.bearers]) }

    private var wait = AnswerWait(for: "a confirmation")

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if case .bearerClosed(let bearer) = event.content { wait.close(bearer, at: event.moment.time, &report) }
        guard case .att(let att) = event.content else { return }
        if att.kind == .indication { wait.begin(event) } else { wait.end(event, &report) }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        wait.finish(end, &report)
    }
}

struct NothingAfterTimeOut: SpecificationRule {
    private struct Wait {
        var start: FrameReference
        var isBroken = false
    }

    static let info = RuleInfo(
        "CORE-ATT-07", "A client sends no request and no command after a transaction of its has timed out.",
        role: .client, source: "Vol 3, Part F, 3.3.3",
        hint: "After 30 s without a response, disconnect: the bearer must not be used again.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> { .att(.request, .command, .response).union([.bearers]) }

    private var waiting = PerBearer<Wait?>(nil)

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if case .bearerClosed(let bearer) = event.content {
            settle(waiting.close(bearer), at: event.moment.time, &report)
        }
        guard case .att(let att) = event.content else { return }
        if att.kind == .response {
            // A response after the timeout changes nothing.
            let wait = waiting[att.bearer, event.direction.opposite]
            if let wait, Transaction.isOver(since: wait.start, at: event.moment.time) { return }
            waiting[att.bearer, event.direction.opposite] = nil
            return
        }
        if let wait = waiting[att.bearer, event.direction],
            Transaction.isOver(since: wait.start, at: event.moment.time)
        {
            if wait.isBroken { return }
            waiting[att.bearer, event.direction]?.isBroken = true
            return report.fail(
                expected: "nothing more, as the request in frame \(wait.start.frame) has timed out",
                observed: att.opcode.name ?? hex(att.opcode.rawValue), at: [wait.start, event.moment])
        }
        // Of overlapping requests, the first one times out first.
        if att.kind == .request, !att.isOverlapping || waiting[att.bearer, event.direction] == nil {
            waiting[att.bearer, event.direction] = Wait(start: event.moment)
        }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        settle(waiting.all, at: end.time, &report)
    }

    private func settle(_ waits: [Wait?], at time: Timestamp, _ report: inout RuleReport) {
        for case let wait? in waits where !wait.isBroken && Transaction.isOver(since: wait.start, at: time) {
            report.pass()
        }
    }
}
