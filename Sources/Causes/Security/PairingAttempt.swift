import Bluetooth
import BluetoothCrypto
import Bytes
import Captures
import Conversation
import PluginKit

/// One pairing of a connection as the capture shows it, from Pairing Request to its end (Vol 3, Part H, 2.3 and 2.4).
struct PairingAttempt: Sendable {
    /// What one side has sent.
    struct Part: Sendable {
        var features: SMP.PairingFeatures?
        /// The frame of the features.
        var featuresFrame: FrameReference?
        var keyX: P256.Coordinate?
        /// Confirm values, random values and checks that were sent.
        var confirms = 0
        var randoms = 0
        var checks = 0
        /// The last confirm value and the last random value, to compute the former.
        var confirm: UInt128?
        var random: UInt128?
    }

    enum Outcome: Sendable {
        case open
        /// Pairing Failed.
        case failed(SMP.FailureReason, FrameReference, by: SecuritySide)
        /// Encryption has begun.
        case encrypted(FrameReference)
        /// Another pairing began before.
        case replaced
    }

    /// The first frame of the pairing.
    let first: FrameReference
    /// Whether Pairing Request was captured.
    private(set) var isBeginningCaptured = false
    /// Whether it is only a Security Request so far.
    private(set) var isOnlyRequested = false
    private(set) var initiator = Part()
    private(set) var responder = Part()
    /// The direction in which the initiator sends; unknown where the capture does not show it.
    private(set) var direction = Direction.unknown
    private(set) var initiatorSide = SecuritySide.unknown
    /// The last command of the pairing, except Pairing Failed.
    private(set) var last: FrameReference
    private(set) var lastCode: SMP.Opcode
    private(set) var lastSide: SecuritySide
    /// The longest time without a command, and the frame after which it began.
    private(set) var silence: (after: FrameReference, span: TimeSpan)
    private(set) var outcome = Outcome.open
    /// Whether something is missing between the first frame and the end.
    var hasGap = false
    /// A command that does not belong to the method that the features select.
    private(set) var strayCommand: (code: SMP.Opcode, frame: FrameReference, side: SecuritySide)?

    init(_ event: Event, _ opcode: SMP.Opcode) {
        first = event.moment
        last = event.moment
        lastCode = opcode
        lastSide = SecuritySide(event)
        silence = (event.moment, .zero)
        isOnlyRequested = opcode == .securityRequest
    }

    var isOpen: Bool { if case .open = outcome { true } else { false } }

    /// Whether both sides support LE Secure Connections; nil where their features were not captured.
    var isSecureConnections: Bool? {
        guard let one = initiator.features, let other = responder.features else { return nil }
        return one.requirements.isSecureConnections && other.requirements.isSecureConnections
    }

    /// Whether out-of-band data are used: in LE legacy pairing both sides must have them (Vol 3, Part H, 2.3.5.1).
    var isOutOfBand: Bool {
        guard let one = initiator.features, let other = responder.features, let isSecureConnections else {
            return false
        }
        let flags = [one.oobDataFlag == 1, other.oobDataFlag == 1]
        return isSecureConnections ? flags.contains(true) : !flags.contains(false)
    }

    /// The method that the features select; nil where they were not captured, and with out-of-band data.
    var method: PairingMethod? {
        guard let one = initiator.features, let other = responder.features, let isSecureConnections, !isOutOfBand
        else { return nil }
        return PairingMethod(initiator: one, responder: other, isSecureConnections: isSecureConnections)
    }

    /// The side whose features require MITM protection, if the method does not give it.
    var unmetRequirement: SecuritySide? {
        guard method == .justWorks else { return nil }
        if initiator.features?.requirements.needsMITMProtection == true { return initiatorSide }
        return responder.features?.requirements.needsMITMProtection == true ? initiatorSide.other : nil
    }

    /// Whether both sides have disclosed what proves that they are authentic, as far as it was captured.
    var isAuthenticated: Bool {
        if isSecureConnections == true { return initiator.checks > 0 && responder.checks > 0 }
        return isSecureConnections == nil || hasGap
            ? initiator.randoms + responder.randoms + initiator.checks + responder.checks > 0 : responder.randoms > 0
    }

    /// Whether both sides store the keys.
    var isBonding: Bool {
        initiator.features?.requirements.isBonding == true && responder.features?.requirements.isBonding == true
    }

    /// The frames of the features.
    var features: [FrameReference] { [initiator.featuresFrame, responder.featuresFrame].compactMap(\.self) }
}

// MARK: - Following

extension PairingAttempt {
    /// Records a command.
    mutating func record(_ opcode: SMP.Opcode, _ event: Event) {
        let time = event.moment.time - last.time as TimeSpan
        if !isOnlyRequested, time > silence.span { silence = (last, time) }
        if opcode == .pairingFailed {
            let reason = event.smp(SMP.PairingFailed.self)?.reason ?? .unspecifiedReason
            outcome = .failed(reason, event.moment, by: SecuritySide(event))
            return
        }
        (last, lastCode, lastSide) = (event.moment, opcode, SecuritySide(event))
        switch opcode {
        case .pairingRequest:
            begin(event, event.direction, SecuritySide(event))
            isBeginningCaptured = true
            initiator.features = event.smp(SMP.PairingRequest.self)?.features
            initiator.featuresFrame = event.moment
        case .pairingResponse:
            if direction == .unknown { begin(event, event.direction.opposite, SecuritySide(event).other) }
            responder.features = event.smp(SMP.PairingResponse.self)?.features
            responder.featuresFrame = event.moment
        default:
            isOnlyRequested = isOnlyRequested && opcode == .securityRequest
            noteStray(opcode, event)
            guard direction != .unknown, event.direction != .unknown else { return }
            if event.direction == direction {
                Self.count(opcode, event, &initiator)
            } else {
                Self.count(opcode, event, &responder)
            }
        }
    }

    private mutating func begin(_ event: Event, _ direction: Direction, _ side: SecuritySide) {
        isOnlyRequested = false
        self.direction = direction
        initiatorSide = side
        silence = (event.moment, .zero)
    }

    private static func count(_ opcode: SMP.Opcode, _ event: Event, _ part: inout Part) {
        switch opcode {
        case .pairingPublicKey:
            part.keyX = event.smp(SMP.PairingPublicKey.self).flatMap { P256.Coordinate(wire: $0.x) }
        case .pairingConfirm:
            part.confirms += 1
            part.confirm = event.smp(SMP.PairingConfirm.self)?.value
        case .pairingRandom:
            part.randoms += 1
            part.random = event.smp(SMP.PairingRandom.self)?.value
        case .pairingDHKeyCheck: part.checks += 1
        default: break
        }
    }

    /// Notes a command of the other kind of pairing: both sides understand the features differently.
    private mutating func noteStray(_ opcode: SMP.Opcode, _ event: Event) {
        guard strayCommand == nil, let isSecureConnections else { return }
        let isStray =
            switch opcode {
            case .pairingPublicKey, .pairingDHKeyCheck: !isSecureConnections
            case .pairingConfirm:
                isSecureConnections && !hasGap && initiator.keyX == nil && event.direction == direction
            default: false
            }
        if isStray { strayCommand = (opcode, event.moment, SecuritySide(event)) }
    }

    /// Records that encryption has begun with the key of the pairing.
    mutating func succeed(at moment: FrameReference) { outcome = .encrypted(moment) }

    mutating func replace() { outcome = .replaced }
}

// MARK: - Confirm values

extension PairingAttempt {
    /// How the confirm value fits that the refusing side has checked last.
    enum ConfirmCheck: Sendable, Equatable {
        /// It fits the other values; in passkey entry, for this bit of the sender's passkey.
        case fits(bit: Int)
        case differs
        /// Not all values were captured, or the pairing is no LE Secure Connections pairing.
        case unknown
    }

    /// Computes the confirm value of the side that did not refuse, as the refusing side does (Vol 3, Part H, 2.3.5.6).
    func confirmCheck(refusedBy side: SecuritySide) -> ConfirmCheck {
        guard isSecureConnections == true, !hasGap, side != .unknown else { return .unknown }
        let (own, other) = side == initiatorSide ? (initiator, responder) : (responder, initiator)
        guard let refusing = own.keyX, let confirming = other.keyX, let confirm = other.confirm,
            let random = other.random, other.confirms == other.randoms
        else { return .unknown }
        let isPasskey = if case .passkey? = method { true } else { false }
        for (bit, z) in (isPasskey ? [0x80, 0x81] : [0x00] as [UInt8]).enumerated()
        where SecureConnections.f4(u: confirming, v: refusing, x: random, z: z) == confirm {
            return .fits(bit: bit)
        }
        return .differs
    }

    /// The round of passkey entry that failed, from 1: each compares one bit, the least significant first (Vol 3, Part H,
    /// 2.3.5.6.3). Nil in LE legacy pairing.
    var round: Int? {
        guard isSecureConnections == true, case .passkey? = method, !hasGap else { return nil }
        let rounds = max(initiator.randoms, responder.randoms)
        return (1...20).contains(rounds) ? rounds : nil
    }
}
