import Bluetooth
import Captures
import Conversation
import PluginKit
import Profile

extension Event {
    /// The features in a Pairing Request or Response; nil for other events.
    var pairingFeatures: SMP.PairingFeatures? {
        switch content {
        case .smp(.pairingRequest): smp(SMP.PairingRequest.self)?.features
        case .smp(.pairingResponse): smp(SMP.PairingResponse.self)?.features
        default: nil
        }
    }
}

struct KeySizeIsLegal: SpecificationRule {
    static let info = RuleInfo(
        "CORE-SMP-05", "Maximum Encryption Key Size is 7 to 16.", role: .traffic,
        source: "Vol 3, Part H, 2.3.4 and 3.5.1", hint: "Offer 16 bytes.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { [.smp] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let size = event.pairingFeatures?.maximumKeySize else { return }
        report.expect((7...16).contains(size), expected: "7 to 16", observed: "\(size)")
    }
}

struct FeaturesAreDefined: SpecificationRule {
    static let info = RuleInfo(
        "CORE-SMP-06",
        "Pairing Request and Response have an IO capability of 0 to 4, an OOB flag of 0 or 1, and no reserved bit.",
        role: .traffic, source: "Vol 3, Part H, 3.5.1 and 3.6.1", hint: "Set what is reserved to 0.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { [.smp] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let features = event.pairingFeatures else { return }
        let isFine =
            features.ioCapability.rawValue <= 4 && features.oobDataFlag <= 1
            && features.requirements.rawValue & 0xC0 == 0
            && features.requirements.rawValue & 0x03 <= 1 && features.initiatorKeys.rawValue & 0xF0 == 0
            && features.responderKeys.rawValue & 0xF0 == 0
        report.expect(
            isFine, expected: "defined values",
            observed: "IO \(hex(features.ioCapability.rawValue)), OOB \(hex(features.oobDataFlag)),"
                + " AuthReq \(hex(features.requirements.rawValue)), keys \(hex(features.initiatorKeys.rawValue))"
                + " and \(hex(features.responderKeys.rawValue))")
    }
}

struct ResponderAddsNoKeys: SpecificationRule {
    static let info = RuleInfo(
        "CORE-SMP-07", "Pairing Response distributes only keys that Pairing Request asks for.", role: .peripheral,
        source: "Vol 3, Part H, 3.6.1", hint: "Take the request's bits and clear those that are not wanted.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> { [.smp] }

    private var progress = PairingProgress()

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .smp(let opcode) = event.content else { return }
        if opcode == .pairingResponse, let asked = progress.initiator.features, let reported = event.pairingFeatures {
            let added =
                reported.initiatorKeys.rawValue & ~asked.initiatorKeys.rawValue
                | reported.responderKeys.rawValue & ~asked.responderKeys.rawValue
            report.expect(added == 0, expected: "no other key than asked for", observed: "keys \(hex(added)) more")
        }
        progress.take(opcode, event)
    }
}

struct FailureHasReason: SpecificationRule {
    static let info = RuleInfo(
        "CORE-SMP-08", "The reason of Pairing Failed is 0x01 to 0x10.", role: .traffic,
        source: "Vol 3, Part H, 3.5.5", hint: "0x08, Unspecified Reason, fits where no other does.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { [.smp] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let reason = event.smp(SMP.PairingFailed.self)?.reason.rawValue else { return }
        report.expect((0x01...0x10).contains(reason), expected: "0x01 to 0x10", observed: hex(reason))
    }
}

struct SMPLengthIsRight: SpecificationRule {
    static let info = RuleInfo(
        "CORE-SMP-09", "A command of the Security Manager is as long as its code wants it.", role: .traffic,
        source: "Vol 3, Part H, 3.3 to 3.6", hint: "Look at the format of the command.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { [.smp] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .smp(let opcode) = event.content, let length = Self.length(of: opcode) else { return }
        report.expect(
            event.payload.count == length, expected: "\(length) bytes", observed: "\(event.payload.count) bytes")
    }

    /// Length in bytes including the code (Vol 3, Part H, 3.5 and 3.6); nil for unknown codes.
    private static func length(of opcode: SMP.Opcode) -> Int? {
        switch opcode {
        case .pairingRequest, .pairingResponse: 7
        case .pairingConfirm, .pairingRandom, .encryptionInformation, .identityInformation, .signingInformation,
            .pairingDHKeyCheck:
            17
        case .pairingFailed, .securityRequest, .pairingKeypressNotification: 2
        case .centralIdentification: 11
        case .identityAddressInformation: 8
        case .pairingPublicKey: 65
        default: nil
        }
    }
}

struct PublicKeysDiffer: SpecificationRule {
    static let info = RuleInfo(
        "CORE-SMP-10", "The two public keys of a pairing differ, but for the debug key.", role: .peripheral,
        source: "Vol 3, Part H, 2.3.5.6.1",
        hint: "Make a key pair of one's own; one who sends the key back without it means to deceive.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> { [.smp] }

    private var first = PerDirection<[UInt8]?>(nil)

    /// X coordinate of the debug key, least significant octet first: any device may use the key (Vol 3, Part H,
    /// 2.3.5.6.1).
    private static let debugKey: [UInt8] = [
        0xE6, 0x9D, 0x35, 0x0E, 0x48, 0x01, 0x03, 0xCC, 0xDB, 0xFD, 0xF4, 0xAC, 0x11, 0x91, 0xF4, 0xEF, 0xB9, 0xA5,
        0xF9, 0xE9, 0xA7, 0x83, 0x2C, 0x5E, 0x2C, 0xBE, 0x97, 0xF2, 0xD2, 0x03, 0xB0, 0x20,
    ]

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let key = event.smp(SMP.PairingPublicKey.self) else { return }
        if key.x == Self.debugKey { return report.pass() }
        first[event.direction] = key.x
        guard let other = first[event.direction.opposite], event.direction != .unknown else { return }
        report.expect(key.x != other, expected: "a key of its own", observed: "the other side's key")
        first = PerDirection(nil)
    }
}
