import Bluetooth
import Bytes
import PluginKit
import Profile

/// Responses of the puck to requests (sections 3.2 and 3.3).
struct AccessRules: Rule {
    private let pucks: PuckTracker
    private let isShipped: Bool
    /// The pending request.
    private var waiting: Waiting?
    /// Whether the puck has answered a request.
    private var hasAnswered = false

    private struct Waiting {
        var moment: FrameReference
        var request: AttributeRequest
        /// Allowed seconds until a Write Response; nil where only the ATT transaction timeout applies.
        var limit: ClosedRange<Double>?
    }

    init(_ dialect: Dialect, _ pucks: PuckTracker) {
        self.pucks = pucks
        isShipped = dialect == .shipped
    }

    var rules: [RuleIndex] {
        [.aq013, .aq020, .aq029, .aq302] + (isShipped ? [.aq014, .aq021, .aq303] : [])
    }
    var interests: Set<RuleInterest> { [.link, .requests, .allValues] }

    /// Errors that demand security: authentication, authorization, key size, encryption (Vol 3, Part F, 3.4.1.1).
    private static let securityErrors: [UInt8] = [0x05, 0x08, 0x0C, 0x0F]

    /// Whether a write to a characteristic is permitted; nil where no rule covers it.
    private static func isWritable(_ characteristic: CharacteristicIndex) -> Bool? {
        switch characteristic {
        case .bottleConfig, .command, .syncControl, .deviceSettings: true
        case .currentState, .drinkData, .activityStats, .calibrationState, .batteryLevel, .currentWeight,
            .drinkHistory, .deviceStatus:
            false
        default: nil
        }
    }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        let puck = pucks[event]
        if let request = event.request { return handle(request, event, &report) }
        if let response = event.response { return check(response, event, &report) }
        if let attribute = event.value {
            if attribute.operation == .write { note(attribute, event, puck) }
            if attribute.operation == .notify { checkLength(attribute, event, &report) }
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
        case .gap: waiting = nil
        case .closed(let closing):
            // A client whose request timed out can only disconnect.
            if let waiting, !closing.isLoss, event.moment.seconds(since: waiting.moment) > 30 {
                failUnanswered(waiting, &report)
            }
            waiting = nil
        default: return
        }
    }

    func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        if hasAnswered { report.pass(.aq013) }
        if let waiting, end.time - waiting.moment.time > TimeSpan(seconds: 30) { failUnanswered(waiting, &report) }
    }

    // MARK: - Requests

    /// AQ-302: one pending request at a time.
    private mutating func handle(_ request: AttributeRequest, _ event: Event, _ report: inout RuleReport) {
        if request.opcode.isCommand { return }
        if let before = waiting {
            if event.moment.seconds(since: before.moment) > 30 {
                failUnanswered(before, &report)
            } else if event.connection.isGapless {
                report.fail(
                    .aq302, expected: "the answer to the request before", observed: "another request",
                    at: [before.moment, event.moment], bytes: [])
            }
        }
        waiting = Waiting(moment: event.moment, request: request, limit: 0...1)
    }

    /// Sets the limit for the response to a write (AQ-303).
    private mutating func note(_ attribute: AttributeValue, _ event: Event, _ puck: PuckState?) {
        guard waiting?.moment == event.moment else { return }
        if event.commandKind == .calMeasurePoint { waiting?.limit = nil }
        if event.syncRequest?.isAcknowledgement == true {
            let transfer = puck?.phase.transfer
            let isLast = transfer.map { one in one.total.map { one.acknowledgements + 1 >= $0 } ?? true } ?? true
            if isLast { waiting?.limit = 0...5 }
        }
    }

    private func failUnanswered(_ waiting: Waiting, _ report: inout RuleReport) {
        report.fail(
            .aq302, expected: "an answer within 30 s", observed: "none", at: [waiting.moment], bytes: [])
    }

    // MARK: - Answers

    private mutating func check(_ response: AttributeResponse, _ event: Event, _ report: inout RuleReport) {
        let asked = waiting
        waiting = nil
        // Overlapping requests are a fault of the client, which AQ-302 has reported.
        if response.isAmbiguous { return }
        hasAnswered = true
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
        checkPermission(response, &report)
        guard isShipped else { return }
        guard response.request.opcode == .writeRequest, response.error == nil, let limit = asked?.limit else { return }
        if limit.contains(seconds) { return report.pass(.aq303) }
        report.fail(
            .aq303, expected: "a response within \(limit.upperBound.secondsText)",
            observed: "after \(seconds.secondsText)", at: [response.requested, event.moment], bytes: [])
    }

    /// AQ-020, AQ-021
    private func checkPermission(_ response: AttributeResponse, _ report: inout RuleReport) {
        guard let characteristic = response.request.characteristic else { return }
        var observed: String { response.error.map { "error \($0)" } ?? "success" }
        switch response.request.opcode {
        case .readRequest where characteristic == .command: expect(2, "Read Not Permitted", response, observed, &report)
        case .writeRequest where Self.isWritable(characteristic) == false:
            expect(3, "Write Not Permitted", response, observed, &report)
        case .writeRequest where Self.isWritable(characteristic) == true && (response.request.valueLength ?? 0) <= 512:
            // AQ-013 covers errors that demand security.
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
    private func checkLength(_ attribute: AttributeValue, _ event: Event, _ report: inout RuleReport) {
        // The MTU is unknown until its exchange is captured, unless the capture is complete.
        guard event.connection.isMTUExchanged || event.connection.isComplete else { return }
        let room = event.connection.mtu - 3
        if attribute.bytes.count <= room { return report.pass(.aq029) }
        report.fail(.aq029, expected: "\(room) bytes at most", observed: "\(attribute.bytes.count) bytes")
    }
}
