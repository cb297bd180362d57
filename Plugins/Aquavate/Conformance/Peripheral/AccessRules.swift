import ATT
import PluginKit
import Profile

/// How the puck answers requests (sections 3.2 and 3.3).
struct AccessRules: PuckRules {
    private let isShipped: Bool
    /// Requests that wait for their answers, what is written with them, and whether their answers may take long.
    private var waiting = PerConnection<Waiting>()
    private var hasAnswered: Set<Int> = []

    private struct Waiting {
        var moment: Moment
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
    var interests: Set<ConformanceInterest> { [.link, .requests, .allValues] }

    /// Errors that ask for security: authentication, authorization, key size, encryption (Vol 3, Part F, 3.4.1.1).
    private static let securityErrors: Set<UInt8> = [0x05, 0x08, 0x0C, 0x0F]
    private static let writable: Set<CharacteristicIndex> = [.bottleConfig, .command, .syncControl, .deviceSettings]
    private static let notWritable: Set<CharacteristicIndex> = [
        .currentState, .drinkData, .activityStats, .calibrationState, .batteryLevel, .currentWeight,
        .drinkHistory, .deviceStatus,
    ]

    mutating func see(_ sight: Sight, _ report: inout JudgeReport) {
        switch sight.event.content {
        case .request(let request): take(request, sight, &report)
        case .response(let response): judge(response, sight, &report)
        case .mtu(let exchange):
            guard isShipped else { return }
            if exchange.server == 247 { return report.pass(.aq014) }
            report.fail(.aq014, expected: "MTU 247", observed: "\(exchange.server)")
        case .security(let step):
            guard step.isFromDevice, step.kind == .securityRequest else { return }
            report.fail(.aq013, expected: "no demand for security", observed: "a Security Request")
        case .value(let told):
            if told.operation == .write { note(told, sight) }
            if told.operation == .notify { judgeLength(told, sight, &report) }
        case .gap: waiting[sight.connection] = nil
        case .closed:
            if hasAnswered.remove(sight.connection) != nil { report.pass(.aq013) }
            // A client whose request timed out can only disconnect.
            if let waiting = waiting[sight.connection], sight.closing?.isLoss == false,
                sight.moment.seconds(since: waiting.moment) > 30
            {
                failUnanswered(waiting, &report)
            }
            waiting[sight.connection] = nil
        default: return
        }
    }

    mutating func finish(at time: Int64, _ report: inout JudgeReport) {
        for connection in hasAnswered.sorted() { report.pass(.aq013, connection: connection) }
        for (_, waiting) in waiting.all where time &- waiting.moment.time > 30_000_000_000 {
            failUnanswered(waiting, &report)
        }
    }

    // MARK: - Requests

    /// AQ-302: one request at a time.
    private mutating func take(_ request: AttributeRequest, _ sight: Sight, _ report: inout JudgeReport) {
        if request.opcode.isCommand { return }
        if let before = waiting[sight.connection] {
            if sight.moment.seconds(since: before.moment) > 30 {
                failUnanswered(before, &report)
            } else if sight.link.isGapless {
                report.fail(
                    .aq302, expected: "the answer to the request before", observed: "another request",
                    at: [before.moment, sight.moment], bytes: [])
            }
        }
        waiting[sight.connection] = Waiting(moment: sight.moment, request: request, limit: 0...1)
    }

    /// How long the answer to a write may take (AQ-303).
    private mutating func note(_ told: AttributeValue, _ sight: Sight) {
        guard waiting[sight.connection]?.moment == sight.moment else { return }
        if sight.command?.kind == .measure { waiting[sight.connection]?.limit = nil }
        if sight.syncRequest?.isAcknowledgement == true {
            let transfer = sight.puck?.phase.transfer
            let isLast = transfer.map { one in one.total.map { one.acknowledgements + 1 >= $0 } ?? true } ?? true
            if isLast { waiting[sight.connection]?.limit = 0...5 }
        }
    }

    private func failUnanswered(_ waiting: Waiting, _ report: inout JudgeReport) {
        report.fail(
            .aq302, expected: "an answer within 30 s", observed: "none", at: [waiting.moment], bytes: [])
    }

    // MARK: - Answers

    private mutating func judge(_ response: AttributeResponse, _ sight: Sight, _ report: inout JudgeReport) {
        let asked = waiting[sight.connection]
        waiting[sight.connection] = nil
        // Of requests that overlap, the client's fault is named already.
        if response.isAmbiguous { return }
        hasAnswered.insert(sight.connection)
        let seconds = sight.moment.seconds(since: response.requested)
        if seconds <= 30 {
            report.pass(.aq302)
        } else {
            report.fail(
                .aq302, expected: "an answer within 30 s", observed: "after \(seconds.secondsText)",
                at: [response.requested, sight.moment])
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
            observed: "after \(seconds.secondsText)", at: [response.requested, sight.moment], bytes: [])
    }

    /// AQ-020, AQ-021
    private func judgePermission(_ response: AttributeResponse, _ report: inout JudgeReport) {
        guard let characteristic = response.request.characteristic else { return }
        let observed = response.error.map { "error \($0)" } ?? "success"
        switch response.request.opcode {
        case .readRequest where characteristic == .command: expect(2, "Read Not Permitted", response, observed, &report)
        case .writeRequest where Self.notWritable.contains(characteristic):
            expect(3, "Write Not Permitted", response, observed, &report)
        case .writeRequest where Self.writable.contains(characteristic) && (response.request.valueLength ?? 0) <= 512:
            // An error that asks for security is another rule's.
            if let error = response.error, Self.securityErrors.contains(error) { return }
            if response.error == nil { return report.pass(.aq021) }
            report.fail(
                .aq021, expected: "a Write Response", observed: observed, at: [response.requested, report.moment])
        default: return
        }
    }

    private func expect(
        _ error: UInt8, _ name: String, _ response: AttributeResponse, _ observed: String, _ report: inout JudgeReport
    ) {
        if response.error == error { return report.pass(.aq020) }
        report.fail(
            .aq020, expected: "error \(error), \(name)", observed: observed,
            at: [response.requested, report.moment])
    }

    /// AQ-029
    private func judgeLength(_ told: AttributeValue, _ sight: Sight, _ report: inout JudgeReport) {
        // Before the exchange is captured, the MTU is not known.
        guard sight.link.isMTUExchanged || sight.link.isComplete else { return }
        let room = sight.link.mtu - 3
        if told.bytes.count <= room { return report.pass(.aq029) }
        report.fail(.aq029, expected: "\(room) bytes at most", observed: "\(told.bytes.count) bytes")
    }
}
