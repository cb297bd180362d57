import Bluetooth
import Bytes
import PluginKit
import Profile

/// How the puck answers requests (sections 3.2 and 3.3).
struct AccessRules: PuckRule {
    private let isShipped: Bool
    /// Requests that wait for their answers, what is written with them, and whether their answers may take long.
    private var waiting = PerConnection<Waiting>()
    private var hasAnswered = SortedSet<Int>()

    private struct Waiting {
        var moment: FrameReference
        var request: AttributeRequest
        /// Seconds within which the answer comes: nil where only the specification bounds it.
        var limit: ClosedRange<Double>?
    }

    init(_ dialect: Dialect) {
        isShipped = dialect == .shipped
    }

    var rules: [RuleIndex] {
        [.aq013, .aq020, .aq029, .aq302] + (isShipped ? [.aq014, .aq021, .aq303] : [])
    }
    var interests: Set<RuleInterest> { [.link, .requests, .allValues] }

    /// Errors that ask for security: authentication, authorization, key size, encryption (Vol 3, Part F, 3.4.1.1).
    private static let securityErrors: [UInt8] = [0x05, 0x08, 0x0C, 0x0F]

    /// Whether a write to a characteristic is permitted; nil where no rule says so.
    private static func isWritable(_ characteristic: CharacteristicIndex) -> Bool? {
        switch characteristic {
        case .bottleConfig, .command, .syncControl, .deviceSettings: true
        case .currentState, .drinkData, .activityStats, .calibrationState, .batteryLevel, .currentWeight,
            .drinkHistory, .deviceStatus:
            false
        default: nil
        }
    }

    mutating func see(_ event: PuckEvent, on link: PuckLink?, _ report: inout RuleReport) {
        if let request = event.request { return take(request, event, &report) }
        if let response = event.response { return judge(response, event, &report) }
        if let attribute = event.attribute {
            if attribute.operation == .write { note(attribute, event, link) }
            if attribute.operation == .notify { judgeLength(attribute, event, &report) }
            return
        }
        switch event.content {
        case .mtu(let exchange):
            guard isShipped else { return }
            if exchange.server == 247 { return report.pass(.aq014) }
            report.fail(.aq014, expected: "MTU 247", observed: "\(exchange.server)")
        case .security(let step):
            guard step.isFromDevice, step.kind == .securityRequest else { return }
            report.fail(.aq013, expected: "no demand for security", observed: "a Security Request")
        case .gap: waiting[event.connection] = nil
        case .closed:
            if hasAnswered.remove(event.connection) { report.pass(.aq013) }
            // A client whose request timed out can only disconnect.
            if let waiting = waiting[event.connection], event.closing?.isLoss == false,
                event.moment.seconds(since: waiting.moment) > 30
            {
                failUnanswered(waiting, &report)
            }
            waiting[event.connection] = nil
        default: return
        }
    }

    mutating func finish(at time: Timestamp, _ report: inout RuleReport) {
        for connection in hasAnswered.all { report.pass(.aq013, connection: connection) }
        for (_, waiting) in waiting.all where time - waiting.moment.time > TimeSpan(seconds: 30) {
            failUnanswered(waiting, &report)
        }
    }

    // MARK: - Requests

    /// AQ-302: one request at a time.
    private mutating func take(_ request: AttributeRequest, _ event: PuckEvent, _ report: inout RuleReport) {
        if request.opcode.isCommand { return }
        if let before = waiting[event.connection] {
            if event.moment.seconds(since: before.moment) > 30 {
                failUnanswered(before, &report)
            } else if event.link.isGapless {
                report.fail(
                    .aq302, expected: "the answer to the request before", observed: "another request",
                    at: [before.moment, event.moment], bytes: [])
            }
        }
        waiting[event.connection] = Waiting(moment: event.moment, request: request, limit: 0...1)
    }

    /// How long the answer to a write may take (AQ-303).
    private mutating func note(_ attribute: AttributeValue, _ event: PuckEvent, _ link: PuckLink?) {
        guard waiting[event.connection]?.moment == event.moment else { return }
        if event.commandKind == .calMeasurePoint { waiting[event.connection]?.limit = nil }
        if event.syncRequest?.isAcknowledgement == true {
            let transfer = link?.phase.transfer
            let isLast = transfer.map { one in one.total.map { one.acknowledgements + 1 >= $0 } ?? true } ?? true
            if isLast { waiting[event.connection]?.limit = 0...5 }
        }
    }

    private func failUnanswered(_ waiting: Waiting, _ report: inout RuleReport) {
        report.fail(
            .aq302, expected: "an answer within 30 s", observed: "none", at: [waiting.moment], bytes: [])
    }

    // MARK: - Answers

    private mutating func judge(_ response: AttributeResponse, _ event: PuckEvent, _ report: inout RuleReport) {
        let asked = waiting[event.connection]
        waiting[event.connection] = nil
        // Of requests that overlap, the client's fault is named already.
        if response.isAmbiguous { return }
        hasAnswered.insert(event.connection)
        let seconds = event.moment.seconds(since: response.requested)
        if seconds <= 30 {
            report.pass(.aq302)
        } else {
            report.fail(
                .aq302, expected: "an answer within 30 s", observed: "after \(seconds.secondsText)",
                at: [response.requested, event.moment])
        }
        if let error = response.error, Self.securityErrors.contains(error) {
            report.fail(.aq013, expected: "no demand for security", observed: "error \(error)")
        }
        judgePermission(response, &report)
        guard isShipped else { return }
        guard response.request.opcode == .writeRequest, response.error == nil, let limit = asked?.limit else { return }
        if limit.contains(seconds) { return report.pass(.aq303) }
        report.fail(
            .aq303, expected: "a response within \(limit.upperBound.secondsText)",
            observed: "after \(seconds.secondsText)", at: [response.requested, event.moment], bytes: [])
    }

    /// AQ-020, AQ-021
    private func judgePermission(_ response: AttributeResponse, _ report: inout RuleReport) {
        guard let characteristic = response.request.characteristic else { return }
        var observed: String { response.error.map { "error \($0)" } ?? "success" }
        switch response.request.opcode {
        case .readRequest where characteristic == .command: expect(2, "Read Not Permitted", response, observed, &report)
        case .writeRequest where Self.isWritable(characteristic) == false:
            expect(3, "Write Not Permitted", response, observed, &report)
        case .writeRequest where Self.isWritable(characteristic) == true && (response.request.valueLength ?? 0) <= 512:
            // An error that asks for security is another rule's.
            if let error = response.error, Self.securityErrors.contains(error) { return }
            if response.error == nil { return report.pass(.aq021) }
            report.fail(
                .aq021, expected: "a Write Response", observed: observed, at: [response.requested, report.moment])
        default: return
        }
    }

    private func expect(
        _ error: UInt8, _ name: String, _ response: AttributeResponse, _ observed: String, _ report: inout RuleReport
    ) {
        if response.error == error { return report.pass(.aq020) }
        report.fail(
            .aq020, expected: "error \(error), \(name)", observed: observed,
            at: [response.requested, report.moment])
    }

    /// AQ-029
    private func judgeLength(_ attribute: AttributeValue, _ event: PuckEvent, _ report: inout RuleReport) {
        // Before the exchange is captured, the MTU is not known.
        guard event.link.isMTUExchanged || event.link.isComplete else { return }
        let room = event.link.mtu - 3
        if attribute.bytes.count <= room { return report.pass(.aq029) }
        report.fail(.aq029, expected: "\(room) bytes at most", observed: "\(attribute.bytes.count) bytes")
    }
}
