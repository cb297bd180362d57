import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit
import Profile

struct OneRequestAtATime: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-01", "A client sends its next request only after the response to the one before.", role: .client,
        source: "Vol 3, Part F, 3.3.2",
        hint: "Queue requests: wait for the response, or for the Error Response, before sending the next one.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> { .att(.request).union([.bearers]) }

    private var last = PerBearer<FrameReference?>(nil)

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if case .bearerClosed(let bearer) = event.content { last.close(bearer) }
        guard case .att(let att) = event.content else { return }
        let before = last[att.bearer, event.direction]
        last[att.bearer, event.direction] = event.moment
        guard att.isOverlapping, let before else { return report.pass() }
        // After a timeout, the bearer must not be used: `NothingAfterTimeOut` checks that.
        if event.moment.time - before.time > Transaction.limit { return }
        report.fail(
            expected: "the response to the request in frame \(before.frame) first",
            observed: "another request", at: [before, event.moment])
    }
}

struct ResponseAnswersRequest: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-02", "A response answers the client's outstanding request, by its own kind or by an Error Response.",
        role: .peripheral, source: "Vol 3, Part F, 3.3.2",
        hint: "Send exactly one response to each request, of the kind that the request asks for.")
    static let basis = RuleBasis.connection
    var interests: Set<RuleInterest> { .att(.request, .response).union([.bearers]) }

    private var waiting = PerBearer<[ATT.Opcode]>([])
    /// Maximum number of requests kept; a correct client has one.
    private static let limit = 8

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if case .bearerClosed(let bearer) = event.content { waiting.close(bearer) }
        guard case .att(let att) = event.content else { return }
        if att.kind == .request {
            return note(att, &waiting[att.bearer, event.direction])
        }
        let client = event.direction.opposite
        let answered = att.opcode == .errorResponse ? event.att(ATT.ErrorResponse.self)?.requestOpcode : nil
        if answered?.isCommand == true { return }
        let place = waiting[att.bearer, client].firstIndex {
            $0 == answered || ATT.Opcode.table.shape(of: $0)?.response == att.opcode
        }
        // Overlapping requests are answered one after the other: a fault of the client is not one of the server.
        if let place {
            waiting[att.bearer, client].remove(at: place)
            return report.pass()
        }
        if !att.isUnasked { return report.pass() }
        let last = waiting[att.bearer, client].last
        report.fail(
            expected: last.map { "the response to \($0.name ?? hex($0.rawValue))" } ?? "no response",
            observed: att.opcode.name ?? hex(att.opcode.rawValue))
    }

    /// Adds a request. Earlier ones are kept, because the request that a response answers may be a guess if requests
    /// overlap.
    private func note(_ request: ATTTraffic, _ waiting: inout [ATT.Opcode]) {
        if waiting.count >= Self.limit { waiting.removeFirst() }
        waiting.append(request.opcode)
    }
}

struct OneIndicationAtATime: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-03", "A server sends its next indication only after the confirmation of the one before.",
        role: .peripheral, source: "Vol 3, Part F, 3.3.2",
        hint: "Keep further indications back until Handle Value Confirmation has come.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> { .att(.indication, .confirmation).union([.bearers]) }

    private var waiting = PerBearer<FrameReference?>(nil)

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if case .bearerClosed(let bearer) = event.content { waiting.close(bearer) }
        guard case .att(let att) = event.content else { return }
        if att.kind == .confirmation {
            waiting[att.bearer, event.direction.opposite] = nil
            return
        }
        if let before = waiting[att.bearer, event.direction] {
            report.fail(
                expected: "the confirmation of the indication in frame \(before.frame) first",
                observed: "another indication", at: [before, event.moment])
        } else {
            report.pass()
        }
        waiting[att.bearer, event.direction] = event.moment
    }
}

struct ConfirmationAnswersIndication: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-04", "A client sends one confirmation for each indication, and none without one.", role: .client,
        source: "Vol 3, Part F, 3.4.7.3", hint: "Confirm an indication once; notifications are not confirmed.")
    static let basis = RuleBasis.connection
    var interests: Set<RuleInterest> { .att(.indication, .confirmation).union([.bearers]) }

    private var open = PerBearer(0)

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if case .bearerClosed(let bearer) = event.content { open.close(bearer) }
        guard case .att(let att) = event.content else { return }
        if att.kind == .indication {
            open[att.bearer, event.direction] += 1
        } else if open[att.bearer, event.direction.opposite] > 0 {
            open[att.bearer, event.direction.opposite] -= 1
            report.pass()
        } else {
            report.fail(
                expected: "an indication before it",
                observed: "a confirmation of nothing")
        }
    }
}
