import Bluetooth
import BluetoothCrypto
import Bytes

/// LE Secure Connections (Vol 3, Part H, 2.3.5.6).
extension Pairing {
    /// Number of passkey rounds: one for each of its 20 bits.
    private static let rounds = 20

    /// Starts LE Secure Connections; the initiator sends its public key first.
    mutating func beginSecureConnections(at now: Timestamp, _ random: inout RandomSource) {
        keyPair = P256.KeyPair(using: &random)
        state = .publicKey
        if parties.isInitiator { sendPublicKey(at: now) }
    }

    private mutating func sendPublicKey(at now: Timestamp) {
        guard let key = keyPair?.publicKey else { return }
        send(SMP.PairingPublicKey(x: key.x.wireBytes, y: key.y.wireBytes), at: now)
    }

    /// Handles the peer's public key. Rejects a key that is not on the curve and this device's key reflected.
    mutating func publicKeyReceived(_ pdu: SMP.PairingPublicKey, at now: Timestamp, _ random: inout RandomSource) {
        guard let x = P256.Coordinate(wire: pdu.x), let y = P256.Coordinate(wire: pdu.y), let keyPair,
            x != keyPair.publicKey.x,
            let secret = keyPair.sharedSecret(with: P256.PublicKey(x: x, y: y))
        else { return fail(.invalidParameters, at: now) }
        peerPublicKey = P256.PublicKey(x: x, y: y)
        self.secret = secret
        if !parties.isInitiator { sendPublicKey(at: now) }
        state = .confirm
        if case .passkey = method { return settlePasskey(at: now, &random) }
        passkey = 0
        ownRandom = random.next128()
        if parties.isInitiator { return }
        // For Just Works and Numeric Comparison, only the responder sends a confirm value.
        sendConfirm(at: now)
        state = .random
    }

    /// Starts the round for one bit of the passkey.
    mutating func beginRound(at now: Timestamp, _ random: inout RandomSource) {
        guard state == .confirm, passkey != nil, peerPublicKey != nil else { return }
        ownRandom = random.next128()
        if parties.isInitiator {
            sendConfirm(at: now)
        } else if peerConfirm != nil {
            sendConfirm(at: now)
            state = .random
        }
    }

    mutating func secureConfirmReceived(at now: Timestamp) {
        if parties.isInitiator {
            // In passkey rounds, the initiator sends its confirm value first.
            if case .passkey = method, passkey == nil { return fail(.unspecifiedReason, at: now) }
            send(SMP.PairingRandom(value: ownRandom), at: now)
            state = .random
        } else if case .passkey = method {
            // The response waits until the user has entered the passkey.
            guard passkey != nil else { return }
            sendConfirm(at: now)
            state = .random
        } else {
            fail(.unspecifiedReason, at: now)
        }
    }

    mutating func secureRandomReceived(at now: Timestamp, _ random: inout RandomSource) {
        if case .passkey = method {
            guard confirm(peerRandom, isOwn: false) == peerConfirm else { return fail(.confirmValueFailed, at: now) }
            if !parties.isInitiator { send(SMP.PairingRandom(value: ownRandom), at: now) }
            round += 1
            peerConfirm = nil
            guard round == Self.rounds else {
                state = .confirm
                return beginRound(at: now, &random)
            }
        } else if parties.isInitiator {
            guard confirm(peerRandom, isOwn: false) == peerConfirm else { return fail(.confirmValueFailed, at: now) }
        } else {
            send(SMP.PairingRandom(value: ownRandom), at: now)
        }
        deriveKeys()
        state = .check
        if method == .numericComparison, let number = comparedNumber { actions.append(.ask(.compare(number))) }
        compared(at: now)
    }

    /// Once the user has confirmed the comparison, the initiator sends its DHKey check and the responder answers with
    /// its own.
    mutating func compared(at now: Timestamp) {
        guard state == .check, isCompared else { return }
        if parties.isInitiator {
            sendCheck(at: now)
        } else if peerCheck != nil {
            verifyCheck(at: now)
        }
    }

    mutating func checkReceived(_ value: UInt128, at now: Timestamp) {
        peerCheck = value
        if isCompared { return verifyCheck(at: now) }
        // The responder must not send its check before it has received the initiator's.
        if parties.isInitiator { fail(.unspecifiedReason, at: now) }
    }

    private mutating func verifyCheck(at now: Timestamp) {
        guard check(isOwn: false) == peerCheck, let key else { return fail(.dhKeyCheckFailed, at: now) }
        if !parties.isInitiator { sendCheck(at: now) }
        encrypt(with: key, at: now)
    }

    private mutating func deriveKeys() {
        guard let secret else { return }
        let keys = SecureConnections.f5(
            secret: secret, initiatorRandom: parties.isInitiator ? ownRandom : peerRandom,
            responderRandom: parties.isInitiator ? peerRandom : ownRandom,
            initiator: parties.isInitiator ? parties.own : parties.peer,
            responder: parties.isInitiator ? parties.peer : parties.own)
        macKey = keys.macKey
        key = keys.longTermKey.cut(to: Int(keySize))
    }

    private mutating func sendConfirm(at now: Timestamp) {
        guard let value = confirm(ownRandom, isOwn: true) else { return }
        send(SMP.PairingConfirm(value: value), at: now)
    }

    private mutating func sendCheck(at now: Timestamp) {
        guard let value = check(isOwn: true) else { return }
        send(SMP.PairingDHKeyCheck(value: value), at: now)
    }

    /// The confirm value for a random number of this device or the peer.
    private func confirm(_ random: UInt128, isOwn: Bool) -> UInt128? {
        guard let own = keyPair?.publicKey, let peer = peerPublicKey, let passkey else { return nil }
        var bit: UInt8 = 0
        if case .passkey = method { bit = 0x80 | UInt8(passkey >> UInt32(round) & 1) }
        return isOwn
            ? SecureConnections.f4(u: own.x, v: peer.x, x: random, z: bit)
            : SecureConnections.f4(u: peer.x, v: own.x, x: random, z: bit)
    }

    /// The DHKey check value of this device or the peer.
    private func check(isOwn: Bool) -> UInt128? {
        guard let macKey, let request, let response, let passkey else { return nil }
        let sender = isOwn == parties.isInitiator ? request : response
        let capabilities =
            UInt32(sender.requirements.rawValue) << 16 | UInt32(sender.oobDataFlag) << 8
            | UInt32(sender.ioCapability.rawValue)
        return SecureConnections.f6(
            macKey: macKey,
            SecureConnections.Check(
                own: isOwn ? ownRandom : peerRandom, other: isOwn ? peerRandom : ownRandom, r: UInt128(passkey),
                capabilities: capabilities, from: isOwn ? parties.own : parties.peer,
                to: isOwn ? parties.peer : parties.own))
    }

    private var comparedNumber: UInt32? {
        guard let own = keyPair?.publicKey, let peer = peerPublicKey else { return nil }
        return parties.isInitiator
            ? SecureConnections.g2(u: own.x, v: peer.x, x: ownRandom, y: peerRandom)
            : SecureConnections.g2(u: peer.x, v: own.x, x: peerRandom, y: ownRandom)
    }
}
