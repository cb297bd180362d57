import ATT
import Captures
import Conversation
import PluginKit
import Profile

/// One request at a time.
final class OneRequestAtATime: CoreRule {
    static let info = RuleInfo(
        "CORE-ATT-01", "A client sends its next request only after the response to the one before.", role: .client,
        source: "Vol 3, Part F, 3.3.2",
        hint: "Queue requests: wait for the response, or for the Error Response, before sending the next one.")
    static let basis = RuleBasis.exchange
    static let interests: [TrafficInterest] = .att(.request)

    private var last = PerDirection<FrameReference?>(nil)

    func see(_ event: TrafficEvent, _ report: inout RuleReport) {
        guard case .att(let att) = event.content else { return }
        let before = last[event.direction]
        last[event.direction] = event.moment
        guard att.isOverlapping, let before else { return report.pass() }
        // After a time-out the bearer is dead: another rule's matter.
        if event.moment.time &- before.time > Transaction.limit { return }
        report.fail(
            expected: "the response to the request in frame \(before.frame) first",
            observed: "another request", at: [before, event.moment])
    }
}

/// Each response answers the request that waits for it.
final class ResponseAnswersRequest: CoreRule {
    static let info = RuleInfo(
        "CORE-ATT-02", "A response answers the client's outstanding request, by its own kind or by an Error Response.",
        role: .peripheral, source: "Vol 3, Part F, 3.3.2",
        hint: "Send exactly one response to each request, of the kind that the request asks for.")
    static let basis = RuleBasis.connection
    static let interests: [TrafficInterest] = .att(.request, .response)

    private var waiting = PerDirection<[ATT.Opcode]>([])
    /// Requests that are remembered; a client that obeys has one.
    private static let limit = 8

    func see(_ event: TrafficEvent, _ report: inout RuleReport) {
        guard case .att(let att) = event.content else { return }
        if att.kind == .request {
            if !att.isOverlapping { waiting[event.direction].removeAll(keepingCapacity: true) }
            if waiting[event.direction].count >= Self.limit { waiting[event.direction].removeFirst() }
            waiting[event.direction].append(att.opcode)
            return
        }
        let client = event.direction.opposite
        let answered = att.opcode == .errorResponse ? event.att(ATT.ErrorResponse.self)?.requestOpcode : nil
        if answered?.isCommand == true { return }
        let place = waiting[client].firstIndex {
            $0 == answered || ATT.Opcode.table.shape(of: $0)?.response == att.opcode
        }
        // Requests that overlap are answered one after the other: the client's fault is none of the server's.
        if let place {
            waiting[client].remove(at: place)
            return report.pass()
        }
        if !att.isUnasked { return report.pass() }
        report.fail(
            expected: waiting[client].last.map { "the response to \($0.name ?? hex($0.rawValue))" } ?? "no response",
            observed: att.opcode.name ?? hex(att.opcode.rawValue))
    }
}

/// One indication at a time.
final class OneIndicationAtATime: CoreRule {
    static let info = RuleInfo(
        "CORE-ATT-03", "A server sends its next indication only after the confirmation of the one before.",
        role: .peripheral, source: "Vol 3, Part F, 3.3.2",
        hint: "Keep further indications back until Handle Value Confirmation has come.")
    static let basis = RuleBasis.exchange
    static let interests: [TrafficInterest] = .att(.indication, .confirmation)

    private var waiting = PerDirection<FrameReference?>(nil)

    func see(_ event: TrafficEvent, _ report: inout RuleReport) {
        guard case .att(let att) = event.content else { return }
        if att.kind == .confirmation {
            waiting[event.direction.opposite] = nil
            return
        }
        if let before = waiting[event.direction] {
            report.fail(
                expected: "the confirmation of the indication in frame \(before.frame) first",
                observed: "another indication", at: [before, event.moment])
        } else {
            report.pass()
        }
        waiting[event.direction] = event.moment
    }
}

/// Each confirmation answers an indication.
final class ConfirmationAnswersIndication: CoreRule {
    static let info = RuleInfo(
        "CORE-ATT-04", "A client sends one confirmation for each indication, and none without one.", role: .client,
        source: "Vol 3, Part F, 3.4.7.3", hint: "Confirm an indication once; notifications are not confirmed.")
    static let basis = RuleBasis.connection
    static let interests: [TrafficInterest] = .att(.indication, .confirmation)

    private var open = PerDirection(0)

    func see(_ event: TrafficEvent, _ report: inout RuleReport) {
        guard case .att(let att) = event.content else { return }
        if att.kind == .indication {
            open[event.direction] += 1
        } else if open[event.direction.opposite] > 0 {
            open[event.direction.opposite] -= 1
            report.pass()
        } else {
            report.fail(
                expected: "an indication before it",
                observed: "a confirmation of nothing")
        }
    }
}
