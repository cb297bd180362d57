import Bluetooth
import Bytes
import PluginKit
import Profile

/// `reply`: an event is followed by another one within a time limit. One reply serves all pending events; if its
/// condition refers to fields of the request, it serves only the first event that it answers. A reply by notification
/// or indication is required only if the client has subscribed.
struct ReplyRule: Rule {
    let rule: RuleIndex
    let after: EventMatcher
    let expected: EventMatcher
    let limit: TimeSpan
    /// Whether the reply's condition refers to fields of the request.
    private let asksRequest: Bool
    private var waiting: [Waiting] = []
    /// The characteristic whose notifications or indications carry the reply; nil if no subscription is needed.
    private let carrier: CharacteristicIndex?

    /// An event that waits for its reply, with its value if the reply's condition refers to it.
    private struct Waiting {
        var moment: FrameReference
        var request: Value?
        /// An event of the reply's kind that does not match.
        var other: FrameReference?
    }

    /// Maximum number of events that wait for a reply; further ones are not checked.
    private static let waitingLimit = 64

    /// `source` is the characteristic that carries the expected messages.
    init(
        _ rule: RuleIndex, after: EventMatcher, expect expected: EventMatcher, within seconds: Double,
        from source: CharacteristicIndex? = nil
    ) {
        self.rule = rule
        self.after = after
        self.expected = expected
        limit = TimeSpan(clamping: seconds)
        asksRequest = expected.asksRequest
        let isReported = expected.pattern.operation == .notify || expected.pattern.operation == .indicate
        carrier = source ?? (isReported ? expected.characteristic : nil)
    }

    var rules: [RuleIndex] { [rule] }
    var scope: RuleScope { after.scope }
    var interests: Set<RuleInterest> { [after.interest, expected.interest, .subscriptions] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard after.covers(event) else { return }
        if !waiting.isEmpty { settle(event, &report) }
        // A refused write requires no reply.
        if !event.isRefusedWrite, let value = after.match(event) { wait(event, for: value, &report) }
    }

    /// Settles the pending events.
    private mutating func settle(_ event: Event, _ report: inout RuleReport) {
        if case .closed(let closing) = event.content, closing.isLoss {
            // The time of the loss is unknown: the controller reports it one supervision timeout later.
            giveUp("the connection was lost before the reply came", &report)
        }
        expire(event, &report)
        switch event.content {
        case .closed: giveUp("the connection ended before the reply was due", &report)
        case .gap: giveUp("something was not captured before the reply was due", &report)
        case .subscription(let change) where change.characteristic == carrier:
            if !change.notifies, !change.indicates {
                giveUp("the client unsubscribed before the reply was due", &report)
            }
        default: break
        }
        if asksRequest {
            answerOne(event, &report)
        } else if expected.match(event) != nil {
            for _ in waiting { report.pass(rule) }
            waiting = []
        } else {
            noteOther(event)
        }
    }

    /// Records an event of the reply's kind that does not match; the reply may still come.
    private mutating func noteOther(_ event: Event) {
        guard expected.isOfKind(event), let place = waiting.firstIndex(where: { $0.other == nil }) else { return }
        waiting[place].other = event.moment
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        expire(at: end.time, &report)
        giveUp("the capture ends before the reply was due", &report)
    }

    /// Uses an event as the reply to the first pending event that it answers.
    private mutating func answerOne(_ event: Event, _ report: inout RuleReport) {
        for (index, one) in waiting.enumerated() {
            guard let request = one.request, expected.match(event, answering: request) != nil else { continue }
            report.pass(rule)
            waiting.remove(at: index)
            return
        }
        noteOther(event)
    }

    private mutating func wait(
        _ event: Event, for value: CheckedValue, _ report: inout RuleReport
    ) {
        let isDue = carrier.map { event.isConfigured($0) } ?? true
        if isDue == false { return }
        guard isDue == true else {
            return report.inconclusive(rule, "whether the client has subscribed was not captured")
        }
        if waiting.count < Self.waitingLimit {
            waiting.append(Waiting(moment: event.moment, request: asksRequest ? value.value : nil))
        }
    }

    /// Fails pending events whose time limit has passed; the event may be the late reply.
    private mutating func expire(_ event: Event, _ report: inout RuleReport) {
        let moment = event.moment
        guard let first = waiting.first, moment.time - first.moment.time > limit else { return }
        let isReply = expected.match(event, answering: first.request) != nil
        expire(at: moment.time, reply: isReply ? moment : nil, &report)
    }

    private mutating func expire(at time: Timestamp, reply: FrameReference? = nil, _ report: inout RuleReport) {
        var reply = reply
        while let first = waiting.first, time - first.moment.time > limit {
            waiting.removeFirst()
            if expected.pattern.isAdvertisement {
                report.inconclusive(rule, PeriodRule.unheard)
                continue
            }
            let observed =
                reply.map { "after \($0.seconds(since: first.moment).secondsText)" }
                ?? (first.other == nil ? "none came in time" : "another one")
            report.fail(
                rule, expected: "\(expected.title) within \(limit.seconds.secondsText)", observed: observed,
                at: [first.moment, reply ?? first.other].compactMap(\.self), bytes: [])
            if asksRequest { reply = nil }
        }
    }

    private mutating func giveUp(_ reason: String, _ report: inout RuleReport) {
        for _ in waiting { report.inconclusive(rule, reason) }
        waiting = []
    }
}

/// `period`: while the client is subscribed, an event recurs with a fixed period, within a tolerance.
struct PeriodRule: Rule {
    let rule: RuleIndex
    let on: EventMatcher
    let seconds: Double
    let tolerance: Double
    /// The characteristic whose values carry the event.
    private let source: CharacteristicIndex?
    private var last: FrameReference?

    /// `source` is the characteristic that carries the expected messages.
    init(
        _ rule: RuleIndex, _ on: EventMatcher, seconds: Double, tolerance: Double,
        from source: CharacteristicIndex? = nil
    ) {
        self.rule = rule
        self.on = on
        self.seconds = seconds
        self.tolerance = tolerance
        self.source = source ?? on.characteristic
    }

    var rules: [RuleIndex] { [rule] }
    var scope: RuleScope { on.scope }
    var interests: Set<RuleInterest> { [on.interest, .subscriptions] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard on.covers(event) else { return }
        switch event.content {
        case .gap: last = nil
        // The time of the loss is unknown: the controller reports it one supervision timeout later.
        case .closed(let closing) where closing.isLoss: last = nil
        case .closed: stop(at: event.moment.time, &report)
        case .subscription(let subscription) where subscription.characteristic == source:
            stop(at: event.moment.time, &report)
        default:
            guard on.match(event) != nil else { return }
            if let last { check(event.moment, after: last, &report) }
            last = event.moment
        }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) { stop(at: end.time, &report) }

    private func check(_ moment: FrameReference, after last: FrameReference, _ report: inout RuleReport) {
        let passed = moment.seconds(since: last)
        if abs(passed - seconds) <= tolerance { return report.pass(rule) }
        if on.pattern.isAdvertisement, passed > seconds { return report.inconclusive(rule, Self.unheard) }
        report.fail(rule, expected: expectation, observed: "after \(passed.secondsText)", at: [last, moment])
    }

    /// Expects no further event, and reports one that is overdue.
    private mutating func stop(at time: Timestamp, _ report: inout RuleReport) {
        guard let last else { return }
        self.last = nil
        let passed = (time - last.time).seconds
        guard passed > seconds + tolerance else { return }
        if on.pattern.isAdvertisement { return report.inconclusive(rule, Self.unheard) }
        report.fail(rule, expected: expectation, observed: "none in the \(passed.secondsText) after this", at: [last])
    }

    /// A receiver misses some advertisements, and controllers may report repeated ones only once.
    static let unheard = "advertisements in between may not have been received"

    private var expectation: String {
        "\(on.title) every \(seconds.secondsText), give or take \(tolerance.secondsText)"
    }
}
