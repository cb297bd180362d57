import Captures
import PluginKit
import SMP

/// The commands that hand out keys, in their order (Vol 3, Part H, 3.6.1).
private enum KeyCommand {
    static let order: [SMP.Opcode] = [
        .encryptionInformation, .centralIdentification, .identityInformation, .identityAddressInformation,
        .signingInformation,
    ]

    /// The place of the event's command; nil for others.
    static func place(_ event: borrowing TrafficEvent) -> Int? {
        guard case .smp(let opcode) = event.content else { return nil }
        return order.firstIndex(of: opcode)
    }
}

/// Keys are not told in clear.
struct KeysAreEncrypted: CoreRule {
    static let info = RuleInfo(
        "CORE-SMP-11", "Keys are distributed only on an encrypted connection.", role: .traffic,
        source: "Vol 3, Part H, 2.4.3 and 3.6.1", hint: "Wait for the encryption with the new key.")
    static let basis = RuleBasis.connection
    static let interests: [TrafficInterest] = [.smp]

    mutating func see(_ event: borrowing TrafficEvent, _ report: inout CoreReport) {
        guard KeyCommand.place(event) != nil else { return }
        if event.link.state.isEncrypted { return report.pass() }
        report.fail(expected: "an encrypted connection", observed: "a key in clear")
    }
}

/// Only agreed keys are distributed.
struct KeysAreAgreed: CoreRule {
    static let info = RuleInfo(
        "CORE-SMP-12", "Each side distributes only the keys that both have agreed on.", role: .traffic,
        source: "Vol 3, Part H, 3.6.1", hint: "Follow the bits of Pairing Response.")
    static let basis = RuleBasis.exchange
    static let interests: [TrafficInterest] = [.smp]

    private var progress = PairingProgress()

    mutating func see(_ event: borrowing TrafficEvent, _ report: inout CoreReport) {
        guard case .smp(let opcode) = event.content else { return }
        defer { progress.take(opcode, event) }
        guard let place = KeyCommand.place(event), progress.hasFeatures, let agreed = progress.responder.features
        else { return }
        let keys = progress.isInitiator(event) ? agreed.initiatorKeys : agreed.responderKeys
        let isFine =
            switch place {
            case 0, 1: keys.encryption && !progress.isSecure
            case 2, 3: keys.identity
            default: keys.signing
            }
        report.judge(
            isFine, expected: "keys \(hex(keys.rawValue))\(progress.isSecure ? ", with Secure Connections" : "")",
            observed: opcode.name ?? hex(opcode.rawValue))
    }
}

/// Keys come in their order.
struct KeysAreInOrder: CoreRule {
    static let info = RuleInfo(
        "CORE-SMP-13", "Keys come in their order: LTK, EDIV and Rand, IRK, identity address, CSRK.", role: .traffic,
        source: "Vol 3, Part H, 3.6.1", hint: "Send the keys that were agreed on in this order.")
    static let basis = RuleBasis.exchange
    static let interests: [TrafficInterest] = [.smp]

    private var last = PerDirection(-1)

    mutating func see(_ event: borrowing TrafficEvent, _ report: inout CoreReport) {
        if case .smp(.pairingRequest) = event.content { last = PerDirection(-1) }
        guard let place = KeyCommand.place(event) else { return }
        let before = last[event.direction]
        last[event.direction] = place
        report.judge(
            place > before, expected: "keys in their order",
            observed: "\(KeyCommand.order[place].name ?? "a key") after"
                + " \(before >= 0 ? KeyCommand.order[before].name ?? "a key" : "nothing")")
    }
}
