import Bluetooth
import Captures
import Conversation
import PluginKit
import Profile

struct MTURequestedOnce: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-08", "A client sends Exchange MTU Request once in a connection at most.", role: .client,
        source: "Vol 3, Part F, 3.4.2.1", hint: "Ask once, with the largest MTU that the client can take.")
    static let basis = RuleBasis.sender
    var interests: Set<RuleInterest> { [.att(.exchangeMTURequest)] }

    private var first = PerDirection<FrameReference?>(nil)

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .att = event.content, event.direction != .unknown else { return }
        guard let before = first[event.direction] else {
            first[event.direction] = event.moment
            return report.pass()
        }
        report.fail(
            expected: "no other one after frame \(before.frame)", observed: "Exchange MTU Request",
            at: [before, event.moment])
    }
}

struct ClientMTUIsLegal: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-09", "Client Rx MTU is 23 or more.", role: .client, source: "Vol 3, Part F, 3.4.2.1",
        hint: "23 bytes is the smallest ATT_MTU on LE.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { [.att(.exchangeMTURequest)] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let mtu = event.att(ATT.ExchangeMTURequest.self)?.clientRxMTU else { return }
        report.expect(mtu >= ATT.defaultMTU, expected: "23 or more", observed: "\(mtu)")
    }
}

struct ServerMTUIsLegal: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-10", "Server Rx MTU is 23 or more.", role: .peripheral, source: "Vol 3, Part F, 3.4.2.2",
        hint: "23 bytes is the smallest ATT_MTU on LE.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { [.att(.exchangeMTUResponse)] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let mtu = event.att(ATT.ExchangeMTUResponse.self)?.serverRxMTU else { return }
        report.expect(mtu >= ATT.defaultMTU, expected: "23 or more", observed: "\(mtu)")
    }
}

struct ClientPDUFitsMTU: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-11", "A PDU of the client is no longer than ATT_MTU; a written value has ATT_MTU - 3 bytes at most.",
        role: .client, source: "Vol 3, Part F, 3.2.8 and 3.3.1",
        hint: "Exchange MTUs first, or write long values in parts: Prepare Write and Execute Write.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { .attFromClient }

    mutating func handle(_ event: Event, _ report: inout RuleReport) { report.expectLength(of: event) }
}

struct ServerPDUFitsMTU: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ATT-12", "A PDU of the server is no longer than ATT_MTU; a notified value has ATT_MTU - 3 bytes at most.",
        role: .peripheral, source: "Vol 3, Part F, 3.2.8, 3.3.1 and 3.4.7.1",
        hint: "Send the first ATT_MTU - 3 bytes; the client reads the rest by Read Blob.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { .attFromServer }

    mutating func handle(_ event: Event, _ report: inout RuleReport) { report.expectLength(of: event) }
}

extension RuleReport {
    fileprivate mutating func expectLength(of event: Event) {
        let mtu = event.connection.mtu
        if event.payload.count <= mtu { return pass() }
        fail(
            unless: event.connection.isMTUExchanged ? nil : event.connection.incompleteness,
            expected: "\(mtu) bytes at most\(event.connection.isMTUExchanged ? "" : ", as no MTU was agreed")",
            observed: "\(event.payload.count) bytes")
    }
}
