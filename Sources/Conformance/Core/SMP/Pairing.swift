import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit
import Profile

struct PairingIsBegunByCentral: SpecificationRule {
    static let info = RuleInfo(
        "CORE-SMP-01", "Pairing Request comes from the central, Pairing Response from the peripheral.", role: .traffic,
        source: "Vol 3, Part H, 2.3 and 3.5.1", hint: "A peripheral that wants to pair sends Security Request.")
    static let basis = RuleBasis.sender
    var interests: Set<RuleInterest> { [.smp] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .smp(let opcode) = event.content, opcode == .pairingRequest || opcode == .pairingResponse
        else { return }
        guard let isFromCentral = event.isFromCentral else {
            return report.inconclusive("the central is unknown")
        }
        let isOfCentral = opcode == .pairingRequest
        report.expect(
            isFromCentral == isOfCentral, expected: "one of the \(isOfCentral ? "central" : "peripheral")",
            observed: "one of the \(isOfCentral ? "peripheral" : "central")")
    }
}

struct SecurityIsAskedByPeripheral: SpecificationRule {
    static let info = RuleInfo(
        "CORE-SMP-02", "Security Request comes from the peripheral.", role: .client,
        source: "Vol 3, Part H, 2.4.6 and 3.6.7", hint: "A central begins pairing or encryption itself.")
    static let basis = RuleBasis.sender
    var interests: Set<RuleInterest> { [.smp] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .smp(.securityRequest) = event.content else { return }
        guard let isFromCentral = event.isFromCentral else {
            return report.inconclusive("the central is unknown")
        }
        report.expect(!isFromCentral, expected: "one of the peripheral", observed: "one of the central")
    }
}

/// The pairing commands sent by both sides.
struct PairingProgress: Sendable {
    /// The commands sent by one side since the pairing began.
    struct Side: Sendable {
        var features: SMP.PairingFeatures?
        var keys = 0
        var confirms = 0
        var randoms = 0
        var checks = 0
    }

    private(set) var initiator = Side()
    private(set) var responder = Side()
    /// The initiator's direction; nil while no pairing is in progress.
    private(set) var direction: Direction?
    /// Whether the beginning of a pairing was captured.
    private(set) var hasBegun = false

    /// Whether both sides support LE Secure Connections.
    var isSecure: Bool {
        [initiator, responder].allSatisfy { $0.features?.requirements.isSecureConnections == true }
    }

    /// Whether a side has out-of-band data of the other one: LE Secure Connections then has no confirm values (Vol 3,
    /// Part H, 2.3.5.6.4).
    var isOutOfBand: Bool { [initiator, responder].contains { $0.features?.oobDataFlag == 1 } }

    /// Whether the pairing features have been exchanged.
    var hasFeatures: Bool { initiator.features != nil && responder.features != nil }

    /// Whether both sides have shown that they have the same key.
    var isAuthenticated: Bool {
        hasFeatures && (isSecure ? initiator.checks > 0 && responder.checks > 0 : responder.randoms > 0)
    }

    func isInitiator(_ event: Event) -> Bool { direction == event.direction }

    /// Records a command.
    mutating func take(_ opcode: SMP.Opcode, _ event: Event) {
        switch opcode {
        case .pairingRequest:
            self = PairingProgress()
            hasBegun = true
            direction = event.direction
            initiator.features = event.smp(SMP.PairingRequest.self)?.features
        case .pairingFailed:
            self = PairingProgress()
            hasBegun = true
        default:
            guard direction != nil else { return }
            if isInitiator(event) {
                Self.count(opcode, event, &initiator)
            } else {
                Self.count(opcode, event, &responder)
            }
        }
    }

    private static func count(_ opcode: SMP.Opcode, _ event: Event, _ side: inout Side) {
        switch opcode {
        case .pairingResponse: side.features = event.smp(SMP.PairingResponse.self)?.features
        case .pairingPublicKey: side.keys += 1
        case .pairingConfirm: side.confirms += 1
        case .pairingRandom: side.randoms += 1
        case .pairingDHKeyCheck: side.checks += 1
        default: break
        }
    }
}

struct PairingIsInOrder: SpecificationRule {
    static let info = RuleInfo(
        "CORE-SMP-03",
        "The commands of pairing come in their order: features, public keys, confirm values, random values, checks.",
        role: .traffic, source: "Vol 3, Part H, 2.3.5.5, 2.3.5.6 and Appendix C",
        hint: "Send each command only after the other side's that it waits for; after Pairing Failed begin anew.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> { [.smp] }

    private var progress = PairingProgress()
    private var failedBy: Direction?

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .smp(let opcode) = event.content else { return }
        let expected = obstacle(opcode, event)
        // A command sent before the other side's Pairing Failed arrived is no fault.
        let crosses = failedBy == event.direction.opposite && expected != nil
        let doubt = progress.hasBegun ? nil : event.connection.incompleteness
        progress.take(opcode, event)
        failedBy = opcode == .pairingFailed ? event.direction : opcode == .pairingRequest ? nil : failedBy
        if crosses { return }
        if let expected {
            report.fail(unless: doubt, expected: expected, observed: opcode.name ?? hex(opcode.rawValue))
        } else if progress.direction != nil {
            report.pass()
        }
    }

    /// The missing prerequisite of a command; nil if the command is in order.
    private func obstacle(_ opcode: SMP.Opcode, _ event: Event) -> String? {
        let isInitiator = progress.isInitiator(event)
        let (own, other) =
            isInitiator ? (progress.initiator, progress.responder) : (progress.responder, progress.initiator)
        switch opcode {
        case .pairingResponse:
            return progress.direction == nil || isInitiator || own.features != nil ? "Pairing Request first" : nil
        case .pairingPublicKey:
            if !progress.hasFeatures || !progress.isSecure { return "features with Secure Connections first" }
            return !isInitiator && other.keys == 0 ? "the initiator's public key first" : nil
        case .pairingConfirm:
            if !progress.hasFeatures { return "the exchange of features first" }
            if progress.isSecure { return own.keys == 0 || other.keys == 0 ? "the public keys first" : nil }
            return !isInitiator && other.confirms == 0 ? "the initiator's confirm value first" : nil
        case .pairingRandom:
            if !progress.hasFeatures { return "the exchange of features first" }
            if progress.isSecure {
                if own.keys == 0 || other.keys == 0 { return "the public keys first" }
                if isInitiator, !progress.isOutOfBand, other.confirms <= own.randoms {
                    return "the responder's confirm value first"
                }
            } else if own.confirms == 0 || other.confirms == 0 {
                return "the confirm values first"
            }
            return !isInitiator && other.randoms <= own.randoms ? "the initiator's random value first" : nil
        case .pairingDHKeyCheck:
            if own.randoms == 0 || other.randoms == 0 { return "the random values first" }
            return !isInitiator && other.checks == 0 ? "the initiator's check first" : nil
        default: return nil
        }
    }
}

struct PairingIsInTime: SpecificationRule {
    static let info = RuleInfo(
        "CORE-SMP-04", "No command of pairing comes more than 30 seconds after the one before.", role: .traffic,
        source: "Vol 3, Part H, 3.4", hint: "After 30 s the pairing has failed: disconnect and begin anew.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> { [.smp] }

    private var progress = PairingProgress()
    private var last: FrameReference?
    /// The Security Manager timeout (Vol 3, Part H, 3.4).
    private static let limit = TimeSpan(seconds: 30)

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .smp(let opcode) = event.content else { return }
        let isPairing = progress.direction != nil && !progress.isAuthenticated
        if isPairing, let last {
            let isLate = event.moment.time - last.time > Self.limit
            if isLate {
                report.fail(
                    expected: "nothing more after 30 s",
                    observed: "\(opcode.name ?? "a command") after \(event.moment.seconds(since: last)) s",
                    at: [last, event.moment])
            } else {
                report.pass()
            }
        }
        progress.take(opcode, event)
        last = event.moment
    }
}
