import Bluetooth
import Captures
import Conversation
import PluginKit
import Profile

struct OneCommandPerFrame: SpecificationRule {
    static let info = RuleInfo(
        "CORE-L2CAP-01", "A frame of the LE signaling channel has one command, as long as its header says.",
        role: .traffic, source: "Vol 3, Part A, 4", hint: "Send each command in a frame of its own.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { [.signals] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard event.isLESignal else { return }
        let length = event.bytes.u16(2).map { 4 + Int($0) }
        report.expect(
            length == event.payload.count,
            expected: length.map { "\($0) bytes" } ?? "a command's header of 4 bytes",
            observed: "\(event.payload.count) bytes")
    }
}

struct IdentifierIsNotZero: SpecificationRule {
    static let info = RuleInfo(
        "CORE-L2CAP-02", "The identifier of a signaling command is not 0x00.", role: .traffic,
        source: "Vol 3, Part A, 4", hint: "Count identifiers from 1 to 255.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { [.signals] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard event.isLESignal, let signal = event.signals.first else { return }
        report.expect(signal.header.identifier != 0, expected: "0x01 to 0xff", observed: "0x00")
    }
}

struct SignalAnswersRequest: SpecificationRule {
    static let info = RuleInfo(
        "CORE-L2CAP-03", "A signaling response has the identifier of a request that it can answer.", role: .traffic,
        source: "Vol 3, Part A, 4 and 6.2.1", hint: "Copy the identifier from the request, and answer once.")
    static let basis = RuleBasis.connection
    var interests: Set<RuleInterest> { [.signals] }

    /// Requests with one identifier that are not answered: a request and its duplicates, each of which is answered.
    private struct OpenRequests {
        /// The command code of the response.
        var response: L2CAP.CommandCode?
        var count = 0
    }

    /// By direction of the sender and by identifier.
    private var open = PerDirection<[UInt8: OpenRequests]>([:])

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard event.isLESignal, let signal = event.signals.first else { return }
        let code = signal.header.code
        let identifier = signal.header.identifier
        let asker = event.direction.opposite
        if code == .commandReject {
            if answer(identifier, of: asker) { return report.pass() }
            return report.fail(
                expected: "a command with identifier \(identifier) before it",
                observed: "Command Reject")
        }
        let isResponse = L2CAP.CommandCode.table.rows.contains { $0.response == code }
        guard isResponse else {
            let response = L2CAP.CommandCode.table[code]?.response
            var requests = open[event.direction][identifier] ?? OpenRequests()
            if requests.response != response { requests = OpenRequests(response: response) }
            requests.count += 1
            open[event.direction][identifier] = requests
            return
        }
        if open[asker][identifier]?.response == code, answer(identifier, of: asker) { return report.pass() }
        report.fail(
            expected: "a request with identifier \(identifier) before it",
            observed: code.name ?? hex(code.rawValue))
    }

    /// Removes one request with an identifier. Returns false if there is none.
    private mutating func answer(_ identifier: UInt8, of asker: Direction) -> Bool {
        guard var requests = open[asker][identifier] else { return false }
        requests.count -= 1
        open[asker][identifier] = requests.count > 0 ? requests : nil
        return true
    }
}

struct ParameterRequestIsOfPeripheral: SpecificationRule {
    static let info = RuleInfo(
        "CORE-L2CAP-04", "Only the peripheral sends Connection Parameter Update Request.", role: .client,
        source: "Vol 3, Part A, 4.20", hint: "A central changes the parameters itself: LE Connection Update.")
    static let basis = RuleBasis.sender
    var interests: Set<RuleInterest> { [.signals] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard event.parameterRequest != nil else { return }
        guard let isFromCentral = event.isFromCentral else {
            return report.inconclusive("the central is unknown")
        }
        report.expect(!isFromCentral, expected: "one of the peripheral", observed: "one of the central")
    }
}

struct RequestedParametersAreLegal: SpecificationRule {
    static let info = RuleInfo(
        "CORE-L2CAP-05",
        """
        Connection Parameter Update Request asks for an interval of 6 to 3200, a latency of 499 at most and a timeout of \
        10 to 3200 that is longer than what the latency lets pass.
        """,
        role: .peripheral, source: "Vol 3, Part A, 4.20",
        hint: "Interval in 1.25 ms, timeout in 10 ms: the timeout must exceed (1 + latency) x interval x 2.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { [.signals] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let request = event.parameterRequest else { return }
        let parameters = ConnectionParameters(
            interval: request.maximumInterval, latency: request.latency, timeout: request.timeout)
        let isFine =
            request.minimumInterval >= 6 && request.minimumInterval <= request.maximumInterval && parameters.isInRange
            && parameters.isTimeoutLongEnough
        report.expect(
            isFine, expected: "legal parameters",
            observed: "interval \(request.minimumInterval) to \(request.maximumInterval), latency \(request.latency),"
                + " timeout \(request.timeout)")
    }
}

extension Event {
    /// Whether this is a frame of the LE signaling channel.
    var isLESignal: Bool { frame.metadata.channel == L2CAP.ChannelID.leSignaling.rawValue }

    /// The Connection Parameter Update Request in the frame; nil for others.
    var parameterRequest: L2CAP.ConnectionParameterUpdateRequest? {
        isLESignal ? signals.first?.command as? L2CAP.ConnectionParameterUpdateRequest : nil
    }
}
